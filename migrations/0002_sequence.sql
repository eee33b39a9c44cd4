-- Named counters (CT_SEQUENCE), what gateways have drawn of them and not yet accounted for (CT_SEQUENCE_BLOCK), and the
-- values that nobody will ever get (CT_SEQUENCE_GAP).

-- +goose Up

CREATE TABLE CT_SEQUENCE (
    SEQ_NAME    varchar(100) COLLATE "C" NOT NULL,
    CURR_VALUE  bigint NOT NULL DEFAULT 0,
    EPOCH       bigint NOT NULL DEFAULT 1,
    CACHE_SIZE  int    NOT NULL DEFAULT 0,
    REG_USR_ID  varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    REG_DT      timestamptz NOT NULL DEFAULT clock_timestamp(),
    UPDT_USR_ID varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    UPDT_DT     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT CT_SEQUENCE_PK PRIMARY KEY (SEQ_NAME),
    CONSTRAINT CT_SEQUENCE_NAME_CK CHECK (btrim(SEQ_NAME) <> ''),
    CONSTRAINT CT_SEQUENCE_VALUE_CK CHECK (CURR_VALUE >= 0 AND EPOCH >= 1),
    CONSTRAINT CT_SEQUENCE_CACHE_CK CHECK (CACHE_SIZE BETWEEN 0 AND 10000)
) WITH (
    -- A hot counter is rewritten thousands of times a second: each version has to find room in the same page.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05
);

COMMENT ON TABLE CT_SEQUENCE IS 'Named counters, one row each. Within an epoch the value only rises, so that no value is given twice; a reset begins a new epoch at 0. A name without a row is at 0.';
COMMENT ON COLUMN CT_SEQUENCE.SEQ_NAME IS 'Name of the sequence, as its users spell it.';
COMMENT ON COLUMN CT_SEQUENCE.CURR_VALUE IS 'Last value drawn in this epoch; with caching, the end of the last block that a gateway has drawn. 0: none yet.';
COMMENT ON COLUMN CT_SEQUENCE.EPOCH IS 'Number of the count: 1, one more at each reset, never less. A retried reset may pass one over.';
COMMENT ON COLUMN CT_SEQUENCE.CACHE_SIZE IS 'How many values a gateway draws ahead of need. 0: none, every value comes from this row.';
COMMENT ON COLUMN CT_SEQUENCE.REG_USR_ID IS 'User who drew, reset or set up this sequence for the very first time.';
COMMENT ON COLUMN CT_SEQUENCE.REG_DT IS 'When that was.';
COMMENT ON COLUMN CT_SEQUENCE.UPDT_USR_ID IS 'Who changed the row last; of several who drew together, one of them.';
COMMENT ON COLUMN CT_SEQUENCE.UPDT_DT IS 'When that was.';

-- One row for everything that a gateway draws, written in the statement that draws it, so that nothing can be drawn and
-- forgotten; removed by the gateway once it has given all of it out.
CREATE TABLE CT_SEQUENCE_BLOCK (
    SEQ_NAME        varchar(100) COLLATE "C" NOT NULL,
    EPOCH           bigint NOT NULL,
    FIRST_VALUE     bigint NOT NULL,
    LAST_VALUE      bigint NOT NULL,
    USED_TO         bigint NOT NULL,
    GATEWAY         varchar(100) COLLATE "C" NOT NULL,
    GATEWAY_SESSION varchar(40)  COLLATE "C" NOT NULL,
    LEASE_UNTIL     timestamptz,
    CLOSED          varchar(20)  COLLATE "C" NOT NULL DEFAULT '',
    REG_DT          timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Also the last line of defence: what is out can not be drawn a second time, whatever became of the counter.
    CONSTRAINT CT_SEQUENCE_BLOCK_PK PRIMARY KEY (SEQ_NAME, EPOCH, FIRST_VALUE),
    CONSTRAINT CT_SEQUENCE_BLOCK_RANGE_CK CHECK (
        FIRST_VALUE <= LAST_VALUE AND USED_TO BETWEEN FIRST_VALUE - 1 AND LAST_VALUE)
) WITH (
    fillfactor = 60,
    -- Rows live for less than a second where a sequence is busy: what counts is how many died, not how many there are.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000
);

COMMENT ON TABLE CT_SEQUENCE_BLOCK IS 'What gateways have drawn and not yet accounted for. A row goes when its gateway has given out all of it or gives back the rest; one whose lease is long over is a crashed gateway''s, and becomes a gap.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.SEQ_NAME IS 'Name of the sequence.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.EPOCH IS 'Epoch of the values.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.FIRST_VALUE IS 'First value drawn.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.LAST_VALUE IS 'Last value drawn.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.USED_TO IS 'Values up to this one are known to have been given out. It is written down with a delay of up to a second.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.GATEWAY IS 'Name of the gateway that drew it.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.GATEWAY_SESSION IS 'Random name of that gateway''s process.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.LEASE_UNTIL IS 'Until when the gateway may give out of it without asking again, if it keeps something ahead of need. Null: all of it went to callers who were waiting.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.CLOSED IS 'Why the lease is not extended any more: RESET, CACHE_OFF. Empty: it is.';
COMMENT ON COLUMN CT_SEQUENCE_BLOCK.REG_DT IS 'When it was drawn.';

CREATE TABLE CT_SEQUENCE_GAP (
    SEQ_NAME    varchar(100) COLLATE "C" NOT NULL,
    EPOCH       bigint NOT NULL,
    FIRST_VALUE bigint NOT NULL,
    LAST_VALUE  bigint NOT NULL,
    REASON      varchar(20)  COLLATE "C" NOT NULL,
    GATEWAY     varchar(100) COLLATE "C" NOT NULL,
    REG_DT      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT CT_SEQUENCE_GAP_PK PRIMARY KEY (SEQ_NAME, EPOCH, FIRST_VALUE),
    CONSTRAINT CT_SEQUENCE_GAP_RANGE_CK CHECK (FIRST_VALUE <= LAST_VALUE)
);

COMMENT ON TABLE CT_SEQUENCE_GAP IS 'Values that were drawn and that nobody gets any more, append only. Exact, but for REASON LOST: that has all that may be missing, and with it what was given out in the last second before.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.SEQ_NAME IS 'Name of the sequence.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.EPOCH IS 'Epoch of the values.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.FIRST_VALUE IS 'First value of the gap.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.LAST_VALUE IS 'Last value of the gap.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.REASON IS 'STOPPED: the gateway shut down. RESET: the sequence was reset. CACHE_OFF: its cache was switched off. LOST: the gateway crashed, or lost its connection before it knew what it had drawn.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.GATEWAY IS 'Name of the gateway that had drawn them.';
COMMENT ON COLUMN CT_SEQUENCE_GAP.REG_DT IS 'When the gap was written down.';

-- +goose StatementBegin
CREATE FUNCTION CT_SEQUENCE_REFUSE() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
        USING ERRCODE = 'restrict_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = lower(TG_NAME);
END
$$;
-- +goose StatementEnd

COMMENT ON FUNCTION CT_SEQUENCE_REFUSE() IS 'Refuses what would give a value twice or hide one that is missing.';

-- The condition stands in the trigger, not in the function, so that a draw does not pay for calling it.
CREATE TRIGGER CT_SEQUENCE_NEVER_BACK BEFORE UPDATE ON CT_SEQUENCE FOR EACH ROW
    WHEN (NEW.EPOCH < OLD.EPOCH OR NEW.EPOCH = OLD.EPOCH AND NEW.CURR_VALUE < OLD.CURR_VALUE OR NEW.SEQ_NAME <> OLD.SEQ_NAME)
    EXECUTE FUNCTION CT_SEQUENCE_REFUSE('values would be given twice; a reset begins a new epoch');
CREATE TRIGGER CT_SEQUENCE_NO_DELETE BEFORE DELETE ON CT_SEQUENCE FOR EACH ROW
    EXECUTE FUNCTION CT_SEQUENCE_REFUSE('values would be given twice; a reset begins a new epoch');
CREATE TRIGGER CT_SEQUENCE_NO_TRUNCATE BEFORE TRUNCATE ON CT_SEQUENCE FOR EACH STATEMENT
    EXECUTE FUNCTION CT_SEQUENCE_REFUSE('values would be given twice; a reset begins a new epoch');

CREATE TRIGGER CT_SEQUENCE_GAP_APPEND_ONLY BEFORE UPDATE OR DELETE ON CT_SEQUENCE_GAP FOR EACH ROW
    EXECUTE FUNCTION CT_SEQUENCE_REFUSE('gaps are append only');
CREATE TRIGGER CT_SEQUENCE_GAP_NO_TRUNCATE BEFORE TRUNCATE ON CT_SEQUENCE_GAP FOR EACH STATEMENT
    EXECUTE FUNCTION CT_SEQUENCE_REFUSE('gaps are append only');
