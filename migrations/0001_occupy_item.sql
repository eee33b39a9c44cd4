-- Who holds what now (CT_OCCUPY_ITEM), and everything that ever happened (CT_OCCUPY_ITEM_HISTORY).
-- Migrations are append only: never edit one that has run anywhere, add the next number.

-- +goose Up

-- A lock only keeps gateways from getting in each other's way; that no migration is ever recorded twice is this.
CREATE UNIQUE INDEX GOOSE_DB_VERSION_ONCE ON goose_db_version (version_id);

-- COLLATE "C" on names and keys: in a Korean ICU database 'A-2' < 'A1', and a prefix search would scan the table.
CREATE TABLE CT_OCCUPY_ITEM (
    ITEM_TYPE     varchar(40)  COLLATE "C" NOT NULL,
    ITEM_NAME     varchar(200) COLLATE "C" NOT NULL,
    USER_ID       varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    SESSION_ID    varchar(100) COLLATE "C" NOT NULL DEFAULT '',
    STATE         varchar(10)  COLLATE "C" NOT NULL DEFAULT 'FREE',
    START_TIME    timestamptz,
    EXPIRE_TIME   timestamptz,
    UI_NAME       varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    MENU_NAME     varchar(80)  COLLATE "C" NOT NULL DEFAULT '',
    FENCING_TOKEN bigint NOT NULL DEFAULT 0,
    VERSION       bigint NOT NULL DEFAULT 0,
    RENEWALS      bigint NOT NULL DEFAULT 0,
    REG_USR_ID    varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    REG_DT        timestamptz,
    UPDT_USR_ID   varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    UPDT_DT       timestamptz,
    CONSTRAINT CT_OCCUPY_ITEM_PK PRIMARY KEY (ITEM_TYPE, ITEM_NAME),
    CONSTRAINT CT_OCCUPY_ITEM_STATE_CK CHECK (STATE IN ('FREE', 'OCCUPIED', 'EXPIRED')),
    -- A holder without a name once let two servers both "own" one lock.
    CONSTRAINT CT_OCCUPY_ITEM_HOLDER_CK CHECK (
        STATE <> 'OCCUPIED' OR (btrim(USER_ID) <> '' AND START_TIME IS NOT NULL AND EXPIRE_TIME IS NOT NULL))
) WITH (
    -- Every row is rewritten many times a shift. Room left in its page takes the new version, so that the table
    -- neither grows nor scatters, and the next visitor of the page clears the old one away without a vacuum.
    fillfactor = 60,
    -- Every change leaves a dead entry in each index; the default (a fifth of the table) lets them pile up.
    autovacuum_vacuum_scale_factor = 0.05
);

-- The sweeper asks every second for what has run out, freeAll for what one user holds. Partial: only held items count.
CREATE INDEX CT_OCCUPY_ITEM_EXPIRE_IX ON CT_OCCUPY_ITEM (EXPIRE_TIME) WHERE STATE = 'OCCUPIED';
CREATE INDEX CT_OCCUPY_ITEM_USER_IX ON CT_OCCUPY_ITEM (USER_ID) WHERE STATE = 'OCCUPIED';

COMMENT ON TABLE CT_OCCUPY_ITEM IS 'Who holds each item now: one row an item, found by type and name. Rows with VERSION 0 are place-holders that nobody has occupied yet: leave them out. An OCCUPIED row whose EXPIRE_TIME is past is EXPIRED, whether or not STATE says so yet. All times are by the database clock.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.ITEM_TYPE IS 'Kind of item: LOT, PRODUCT, MASK, CST, SLOT, ... Upper case.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.ITEM_NAME IS 'Name of the item within its type. Upper case unless folding is switched off; keys of SLOT items keep their case.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.USER_ID IS 'User who holds the item; once it is FREE or EXPIRED, who held it last. Empty only in a place-holder.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.SESSION_ID IS 'Window, tab or service instance of the holder. Empty: none was given.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.STATE IS 'OCCUPIED, FREE (given back) or EXPIRED (time ran out).';
COMMENT ON COLUMN CT_OCCUPY_ITEM.START_TIME IS 'When the present hold began, or the last one.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.EXPIRE_TIME IS 'When the hold ends by itself. A renewal moves it later, never earlier.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.UI_NAME IS 'Screen the item is held from.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.FENCING_TOKEN IS 'Number of the grant: rises with every new one of this item, stays through renewals.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.VERSION IS 'Number of the last history row of this item: 1, 2, 3, ... 0 is a place-holder.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.RENEWALS IS 'How often the present hold was renewed or re-entered; 0 at a new grant.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.REG_USR_ID IS 'User who occupied this item for the very first time.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.REG_DT IS 'When that was.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.UPDT_USR_ID IS 'Who changed the row last: the holder, a supervisor, or the sweeper.';
COMMENT ON COLUMN CT_OCCUPY_ITEM.UPDT_DT IS 'When that was. Never goes back, even if the clock does.';

-- The last 12 digits of a TIME_KEY. CACHE 1: a cached block would put keys of one microsecond in another order.
CREATE SEQUENCE CT_OCCUPY_TIME_KEY AS bigint MINVALUE 0 MAXVALUE 999999999999 START 0 CYCLE CACHE 1;
COMMENT ON SEQUENCE CT_OCCUPY_TIME_KEY IS 'Tells apart history rows written in one microsecond: the last 12 digits of TIME_KEY.';

-- Partitions, a month each, are made by the program (persistence/postgres/partitions.go) as months come.
CREATE TABLE CT_OCCUPY_ITEM_HISTORY (
    TIME_KEY      varchar(32)  COLLATE "C" NOT NULL,
    ITEM_TYPE     varchar(40)  COLLATE "C" NOT NULL,
    ITEM_NAME     varchar(200) COLLATE "C" NOT NULL,
    USER_ID       varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    SESSION_ID    varchar(100) COLLATE "C" NOT NULL DEFAULT '',
    STATE         varchar(10)  COLLATE "C" NOT NULL,
    START_TIME    timestamptz,
    EXPIRE_TIME   timestamptz,
    UI_NAME       varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    MENU_NAME     varchar(80)  COLLATE "C" NOT NULL DEFAULT '',
    FENCING_TOKEN bigint NOT NULL DEFAULT 0,
    VERSION       bigint NOT NULL,
    RENEWALS      bigint NOT NULL DEFAULT 0,
    EVENT         varchar(20)  COLLATE "C" NOT NULL,
    COMMENT       varchar(400) NOT NULL DEFAULT '',
    REG_USR_ID    varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    REG_DT        timestamptz NOT NULL,
    TX_ID         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT CT_OCCUPY_ITEM_HISTORY_PK PRIMARY KEY (TIME_KEY, ITEM_TYPE, ITEM_NAME),
    CONSTRAINT CT_OCCUPY_ITEM_HISTORY_STATE_CK CHECK (STATE IN ('FREE', 'OCCUPIED', 'EXPIRED')),
    -- Order and partition are read from the digits: a key of another width would sort into the wrong place.
    CONSTRAINT CT_OCCUPY_ITEM_HISTORY_TIME_KEY_CK CHECK (TIME_KEY ~ '^[0-9]{32}$'),
    CONSTRAINT CT_OCCUPY_ITEM_HISTORY_VERSION_CK CHECK (VERSION > 0)
) PARTITION BY RANGE (TIME_KEY);

-- One item's past; one user's past; and, for the tail, what a range of transactions wrote.
CREATE INDEX CT_OCCUPY_ITEM_HISTORY_ITEM_IX ON CT_OCCUPY_ITEM_HISTORY (ITEM_TYPE, ITEM_NAME, TIME_KEY);
CREATE INDEX CT_OCCUPY_ITEM_HISTORY_USER_IX ON CT_OCCUPY_ITEM_HISTORY (USER_ID, TIME_KEY);
CREATE INDEX CT_OCCUPY_ITEM_HISTORY_TX_IX ON CT_OCCUPY_ITEM_HISTORY (TX_ID);

COMMENT ON TABLE CT_OCCUPY_ITEM_HISTORY IS 'Everything that happened to every item, one row a change, append only. Order one item by VERSION, several by TIME_KEY. A hold lasts from its OCCUPIED row to the item''s next row: to REG_DT if that is FREE, to EXPIRE_TIME if that is EXPIRED; renewals write no row, so do not trust the OCCUPIED row''s own EXPIRE_TIME. A partition a month, by TIME_KEY.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.TIME_KEY IS 'Unique, time-ordered key, 32 digits: when it was written in UTC to the microsecond (yyyymmddhh24missuuuuuu), then 12 digits of a sequence. For a period compare its front: TIME_KEY >= ''20260301'' AND TIME_KEY < ''20260401'' is March 2026 UTC and reads only that partition.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.ITEM_TYPE IS 'Kind of item: LOT, PRODUCT, MASK, CST, SLOT, ...';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.ITEM_NAME IS 'Name of the item within its type.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.USER_ID IS 'The holder: who took the item, or who held it until this row ended that.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.SESSION_ID IS 'Window, tab or service instance of the holder. Empty: none was given.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.STATE IS 'State after the change: OCCUPIED, FREE or EXPIRED.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.START_TIME IS 'When the hold began.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.EXPIRE_TIME IS 'When the hold would have ended by itself, as known at this row; in an EXPIRED row, when it did end.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.UI_NAME IS 'Screen the item was held from.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.FENCING_TOKEN IS 'Number of the grant: rows of one hold share it.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.VERSION IS 'Number of this row within its item: 1, 2, 3, ... without holes.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.RENEWALS IS 'How often the hold had been renewed or re-entered by then.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.EVENT IS 'What happened, and how a hold ended.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.COMMENT IS 'In words, where somebody gave a reason.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.REG_USR_ID IS 'Who did it: the holder, a supervisor, or the sweeper.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.REG_DT IS 'When this row was written, by the database clock; an expiry may be written after it happened.';
COMMENT ON COLUMN CT_OCCUPY_ITEM_HISTORY.TX_ID IS 'Database transaction that wrote the row, for live feeds. Says nothing about order.';

-- +goose StatementBegin
CREATE FUNCTION CT_OCCUPY_HISTORY_REFUSE() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- After a restore the owner must be able to set TX_IDs that are not yet reached to a past one.
    IF TG_OP = 'UPDATE' AND current_setting('occupy.maintenance', true) = 'on' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% of % refused: the history is append only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
              CONSTRAINT = 'ct_occupy_item_history_append_only';
END
$$;
-- +goose StatementEnd

COMMENT ON FUNCTION CT_OCCUPY_HISTORY_REFUSE() IS 'Keeps the history append only: refuses UPDATE, DELETE and TRUNCATE. SET LOCAL occupy.maintenance = ''on'' lets an UPDATE through. Old months go by DETACH PARTITION and DROP TABLE.';

-- A row trigger, because only that is carried to every partition: one for statements would let a statement through
-- that names the partition. For TRUNCATE there is no row trigger; the program puts this one on each partition.
CREATE TRIGGER CT_OCCUPY_ITEM_HISTORY_APPEND_ONLY BEFORE UPDATE OR DELETE ON CT_OCCUPY_ITEM_HISTORY
    FOR EACH ROW EXECUTE FUNCTION CT_OCCUPY_HISTORY_REFUSE();
CREATE TRIGGER CT_OCCUPY_ITEM_HISTORY_NO_TRUNCATE BEFORE TRUNCATE ON CT_OCCUPY_ITEM_HISTORY
    FOR EACH STATEMENT EXECUTE FUNCTION CT_OCCUPY_HISTORY_REFUSE();
