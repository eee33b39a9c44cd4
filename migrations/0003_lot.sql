-- LOT IDs: the rules, one counter row a rule and business day (LOT_SEQ), and the ledger of what was given out.

-- +goose Up

CREATE TABLE CT_LOT_RULE (
    RULE_NAME   varchar(40)  COLLATE "C" NOT NULL,
    FORMAT      varchar(100) COLLATE "C" NOT NULL,
    TIME_ZONE   varchar(64)  COLLATE "C" NOT NULL,
    SHIFT_START time         NOT NULL DEFAULT '00:00',
    BACK_DAYS   integer      NOT NULL DEFAULT 0,
    UPDT_USR_ID varchar(40)  COLLATE "C" NOT NULL,
    UPDT_DT     timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT CT_LOT_RULE_PK PRIMARY KEY (RULE_NAME),
    CONSTRAINT CT_LOT_RULE_BACK_DAYS_CK CHECK (BACK_DAYS >= 0)
);

COMMENT ON TABLE CT_LOT_RULE IS 'What LOT IDs look like and when their business day begins, one row a rule.';
COMMENT ON COLUMN CT_LOT_RULE.RULE_NAME IS 'Name of the rule, as its users spell it.';
COMMENT ON COLUMN CT_LOT_RULE.UPDT_USR_ID IS 'Who set the rule last.';
COMMENT ON COLUMN CT_LOT_RULE.UPDT_DT IS 'When that was.';
COMMENT ON COLUMN CT_LOT_RULE.FORMAT IS 'Plain text with {date:yyyyMMdd}, {seq:4}, {line}, {product}.';
COMMENT ON COLUMN CT_LOT_RULE.TIME_ZONE IS 'The plant''s, such as Asia/Seoul.';
COMMENT ON COLUMN CT_LOT_RULE.SHIFT_START IS 'When the business day begins, by the plant''s clock.';
COMMENT ON COLUMN CT_LOT_RULE.BACK_DAYS IS 'How many business days back IDs may still be asked for.';

INSERT INTO CT_LOT_RULE (RULE_NAME, FORMAT, TIME_ZONE, SHIFT_START, BACK_DAYS, UPDT_USR_ID)
VALUES ('LOT', 'LOT-{date:yyyyMMdd}-{seq:4}', 'Asia/Seoul', '00:00', 7, 'occupy');

CREATE TABLE LOT_SEQ (
    RULE_NAME   varchar(40) COLLATE "C" NOT NULL,
    TARGET_DATE date        NOT NULL,
    CURRENT_SEQ bigint      NOT NULL,
    CONSTRAINT LOT_SEQ_PK PRIMARY KEY (RULE_NAME, TARGET_DATE),
    CONSTRAINT LOT_SEQ_CURRENT_SEQ_CK CHECK (CURRENT_SEQ > 0)
) WITH (fillfactor = 50); -- a hot row is rewritten within its page

COMMENT ON TABLE LOT_SEQ IS 'The last number given out, one row a rule and business day. It only rises.';
COMMENT ON COLUMN LOT_SEQ.RULE_NAME IS 'Rule it counts for.';
COMMENT ON COLUMN LOT_SEQ.TARGET_DATE IS 'Business day it counts for.';
COMMENT ON COLUMN LOT_SEQ.CURRENT_SEQ IS 'The last number given out.';

-- +goose StatementBegin
CREATE FUNCTION LOT_SEQ_ONLY_RISES() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'delete of % % refused: its numbers would be given again', OLD.RULE_NAME, OLD.TARGET_DATE
            USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'lot_seq_only_rises';
    ELSIF NEW.CURRENT_SEQ < OLD.CURRENT_SEQ OR (NEW.RULE_NAME, NEW.TARGET_DATE) <> (OLD.RULE_NAME, OLD.TARGET_DATE) THEN
        RAISE EXCEPTION 'lowering % % from % to % refused: its numbers would be given again',
            OLD.RULE_NAME, OLD.TARGET_DATE, OLD.CURRENT_SEQ, NEW.CURRENT_SEQ
            USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'lot_seq_only_rises';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER LOT_SEQ_ONLY_RISES BEFORE UPDATE OR DELETE ON LOT_SEQ
    FOR EACH ROW EXECUTE FUNCTION LOT_SEQ_ONLY_RISES();

CREATE TABLE CT_LOT_ID (
    LOT_ID      varchar(300) COLLATE "C" NOT NULL,
    RULE_NAME   varchar(40)  COLLATE "C" NOT NULL,
    TARGET_DATE date         NOT NULL,
    SEQ         bigint       NOT NULL,
    USER_ID     varchar(40)  COLLATE "C" NOT NULL,
    REQUEST_ID  varchar(100) COLLATE "C" NOT NULL DEFAULT '',
    REG_DT      timestamptz  NOT NULL,
    VOID_REASON varchar(400) COLLATE "C" NOT NULL DEFAULT '',
    VOID_USR_ID varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    VOID_DT     timestamptz,
    CONSTRAINT CT_LOT_ID_PK PRIMARY KEY (TARGET_DATE, RULE_NAME, SEQ),
    -- Two rules whose formats meet would give one ID twice: the database itself refuses.
    CONSTRAINT CT_LOT_ID_ONCE UNIQUE (LOT_ID)
);

CREATE INDEX CT_LOT_ID_REQUEST_IX ON CT_LOT_ID (USER_ID, REQUEST_ID) WHERE REQUEST_ID <> '';

COMMENT ON TABLE CT_LOT_ID IS 'Every LOT ID that was given out, to whom, when and for which request; voided ones stay, with the reason.';
COMMENT ON COLUMN CT_LOT_ID.LOT_ID IS 'The ID as it was given out.';
COMMENT ON COLUMN CT_LOT_ID.RULE_NAME IS 'Rule that made it.';
COMMENT ON COLUMN CT_LOT_ID.SEQ IS 'Its number within the rule and business day.';
COMMENT ON COLUMN CT_LOT_ID.USER_ID IS 'User who got it.';
COMMENT ON COLUMN CT_LOT_ID.REQUEST_ID IS 'Request it was given for, as its user named it. Empty: none was named.';
COMMENT ON COLUMN CT_LOT_ID.REG_DT IS 'When it was given out, by the database clock.';
COMMENT ON COLUMN CT_LOT_ID.VOID_REASON IS 'Why it is not to be used. Empty: it is valid.';
COMMENT ON COLUMN CT_LOT_ID.VOID_USR_ID IS 'Who voided it.';
COMMENT ON COLUMN CT_LOT_ID.TARGET_DATE IS 'The business day: that of the ID''s own date and of its counter.';
COMMENT ON COLUMN CT_LOT_ID.VOID_DT IS 'When it was voided; null: it is valid.';

CREATE TABLE CT_LOT_REQUEST (
    USER_ID    varchar(40)  COLLATE "C" NOT NULL,
    REQUEST_ID varchar(100) COLLATE "C" NOT NULL,
    ARGUMENTS  text         COLLATE "C" NOT NULL,
    REG_DT     timestamptz  NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT CT_LOT_REQUEST_PK PRIMARY KEY (USER_ID, REQUEST_ID)
);

COMMENT ON TABLE CT_LOT_REQUEST IS 'Requests that were answered, so that a retry gets the same LOT IDs again; ARGUMENTS is what was sent.';
COMMENT ON COLUMN CT_LOT_REQUEST.USER_ID IS 'User who asked.';
COMMENT ON COLUMN CT_LOT_REQUEST.REQUEST_ID IS 'The user''s own name for the request.';
COMMENT ON COLUMN CT_LOT_REQUEST.ARGUMENTS IS 'What was sent, to tell a retry from another request.';
COMMENT ON COLUMN CT_LOT_REQUEST.REG_DT IS 'When it was answered, by the database clock.';
