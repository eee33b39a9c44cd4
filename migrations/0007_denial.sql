-- Who was refused what, and who was in the way.

-- +goose Up

-- One row for all attempts of one asker at one hold: who clicks a thousand times changes one row a second, not more.
-- Not part of the history, so that however many are refused, nothing of that is pushed out or kept waiting.
CREATE TABLE CT_OCCUPY_DENIAL (
    DENIAL_ID          bigint GENERATED ALWAYS AS IDENTITY,
    ITEM_TYPE          varchar(40)  COLLATE "C" NOT NULL,
    ITEM_NAME          varchar(200) COLLATE "C" NOT NULL,
    FENCING_TOKEN      bigint NOT NULL,
    USER_ID            varchar(40)  COLLATE "C" NOT NULL,
    SESSION_ID         varchar(100) COLLATE "C" NOT NULL DEFAULT '',
    UI_NAME            varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    MENU_NAME          varchar(80)  COLLATE "C" NOT NULL DEFAULT '',
    BLOCKER_USER_ID    varchar(40)  COLLATE "C" NOT NULL,
    BLOCKER_SESSION_ID varchar(100) COLLATE "C" NOT NULL DEFAULT '',
    BLOCKER_UI_NAME    varchar(40)  COLLATE "C" NOT NULL DEFAULT '',
    BLOCKER_MENU_NAME  varchar(80)  COLLATE "C" NOT NULL DEFAULT '',
    BLOCKER_START_TIME timestamptz NOT NULL,
    ATTEMPTS           bigint NOT NULL,
    FIRST_DT           timestamptz NOT NULL,
    LAST_DT            timestamptz NOT NULL,
    CONSTRAINT CT_OCCUPY_DENIAL_PK PRIMARY KEY (ITEM_TYPE, ITEM_NAME, FENCING_TOKEN, USER_ID, SESSION_ID),
    CONSTRAINT CT_OCCUPY_DENIAL_ATTEMPTS_CK CHECK (ATTEMPTS > 0 AND LAST_DT >= FIRST_DT)
) WITH (
    -- ATTEMPTS and LAST_DT are in no index: an attempt more changes the row within its page.
    fillfactor = 80
);

-- Questions are for a period, in its order; what is too old goes by it.
CREATE UNIQUE INDEX CT_OCCUPY_DENIAL_TIME_IX ON CT_OCCUPY_DENIAL (FIRST_DT, DENIAL_ID);

COMMENT ON TABLE CT_OCCUPY_DENIAL IS 'Who was refused an item, and whose hold was in the way: one row for all attempts of one user and session at one hold. Written up to a second later, and left out when there are more than can be written; old ones go (OCCUPY_DENIAL_RETENTION).';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.DENIAL_ID IS 'Tells rows of one instant apart. Has holes.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.ITEM_TYPE IS 'Kind of item that was wanted.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.ITEM_NAME IS 'Name of the item within its type.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.FENCING_TOKEN IS 'Number of the grant that was in the way: the history has the hold under it.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.USER_ID IS 'Who wanted the item.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.SESSION_ID IS 'Their window, tab or service instance. Empty: none was given.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.UI_NAME IS 'The screen they first asked from.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.BLOCKER_USER_ID IS 'Who held the item; the same user as USER_ID in another window, at times.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.BLOCKER_SESSION_ID IS 'Their window, tab or service instance.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.BLOCKER_UI_NAME IS 'The screen they held it from.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.BLOCKER_MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.BLOCKER_START_TIME IS 'When their hold began.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.ATTEMPTS IS 'How often this user was refused while this hold was in the way.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.FIRST_DT IS 'The first of these attempts, by the database clock. When they got the item is in the history: their next grant of it.';
COMMENT ON COLUMN CT_OCCUPY_DENIAL.LAST_DT IS 'The last of these attempts.';
