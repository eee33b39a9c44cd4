-- What BI tools read: views, so that the tables can change under them. Who may read them: `occupy -grant-views ROLE`.

-- +goose Up

CREATE VIEW V_OCCUPY_CURRENT AS
SELECT ITEM_TYPE, ITEM_NAME,
       CASE WHEN STATE = 'OCCUPIED' AND EXPIRE_TIME <= now() THEN 'EXPIRED' COLLATE "C" ELSE STATE END AS STATE,
       USER_ID, SESSION_ID, UI_NAME, MENU_NAME, START_TIME, EXPIRE_TIME, FENCING_TOKEN, VERSION, RENEWALS, UPDT_USR_ID, UPDT_DT
FROM CT_OCCUPY_ITEM
WHERE VERSION > 0;

COMMENT ON VIEW V_OCCUPY_CURRENT IS 'Every item that was ever occupied, as it is now.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.ITEM_TYPE IS 'Kind of item: LOT, PRODUCT, MASK, CST, SLOT, ...';
COMMENT ON COLUMN V_OCCUPY_CURRENT.ITEM_NAME IS 'Name of the item within its type.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.STATE IS 'OCCUPIED, FREE or EXPIRED; a hold whose time is over is EXPIRED, whether or not that has been written yet.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.USER_ID IS 'Who holds it; if nobody does, who did last.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.SESSION_ID IS 'Their window, tab or service instance. Empty: none was given.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.UI_NAME IS 'Screen it is held from.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.START_TIME IS 'When the hold began.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.EXPIRE_TIME IS 'When it ends by itself; of an EXPIRED one, when it ended.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.FENCING_TOKEN IS 'Number of the grant.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.VERSION IS 'How many rows of history the item has.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.RENEWALS IS 'How often the hold was renewed or re-entered.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.UPDT_USR_ID IS 'Who changed it last: the holder, a service for them, a supervisor, or occupy.';
COMMENT ON COLUMN V_OCCUPY_CURRENT.UPDT_DT IS 'When that was.';

CREATE VIEW V_OCCUPY_HISTORY AS
SELECT TIME_KEY, REG_DT, ITEM_TYPE, ITEM_NAME, STATE, EVENT, USER_ID, SESSION_ID, START_TIME, EXPIRE_TIME,
       UI_NAME, MENU_NAME, FENCING_TOKEN, VERSION, RENEWALS, COMMENT, REG_USR_ID
FROM CT_OCCUPY_ITEM_HISTORY;

COMMENT ON VIEW V_OCCUPY_HISTORY IS 'Everything that happened to every item, one row a change. For a period compare TIME_KEY, whose front is UTC: TIME_KEY >= ''20260301'' AND TIME_KEY < ''20260401'' is March 2026 and reads only that month.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.TIME_KEY IS 'Unique, in order of writing: yyyymmddhh24missuuuuuu in UTC, then 12 digits.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.REG_DT IS 'When the row was written.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.ITEM_TYPE IS 'Kind of item: LOT, PRODUCT, MASK, CST, SLOT, ...';
COMMENT ON COLUMN V_OCCUPY_HISTORY.ITEM_NAME IS 'Name of the item within its type.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.STATE IS 'State from then on: OCCUPIED, FREE or EXPIRED.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.EVENT IS 'How it came to that: OCCUPIED, REENTERED, TAKEN_OVER, TRANSFERRED, FREED, WINDOW_CLOSED, CONNECTION_LOST, FORCED, EXPIRED, MAX_HOLD.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.USER_ID IS 'The holder, or who held it until then.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.SESSION_ID IS 'Their window, tab or service instance. Empty: none was given.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.START_TIME IS 'When the hold began.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.EXPIRE_TIME IS 'Its planned end, which renewals move on without a row; in an EXPIRED row the real one.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.UI_NAME IS 'Screen it was taken from.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.FENCING_TOKEN IS 'Number of the grant: rows of one hold share it.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.VERSION IS 'Number of the row within its item: 1, 2, 3, ... without holes.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.RENEWALS IS 'How often the hold had been renewed or re-entered by then.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.COMMENT IS 'A supervisor''s reason.';
COMMENT ON COLUMN V_OCCUPY_HISTORY.REG_USR_ID IS 'Who caused the row: the holder, a service for them, a supervisor, or occupy.';

-- A hold is read from the row that ended it, which has all of it. One that was handed over or taken over ended with
-- the first row of the next one; and one that lasts is the item itself.
CREATE VIEW V_OCCUPY_HOLD AS
SELECT ITEM_TYPE, ITEM_NAME, USER_ID, SESSION_ID, UI_NAME, MENU_NAME, FENCING_TOKEN, RENEWALS, START_TIME,
       CASE STATE WHEN 'EXPIRED' THEN EXPIRE_TIME ELSE REG_DT END AS END_TIME,
       extract(epoch FROM CASE STATE WHEN 'EXPIRED' THEN EXPIRE_TIME ELSE REG_DT END - START_TIME)::float8 AS HELD_SECONDS,
       EVENT AS END_EVENT, REG_USR_ID AS ENDED_BY, COMMENT, TIME_KEY AS END_KEY
FROM CT_OCCUPY_ITEM_HISTORY
WHERE STATE <> 'OCCUPIED'
UNION ALL
SELECT H.ITEM_TYPE, H.ITEM_NAME, P.USER_ID, P.SESSION_ID, P.UI_NAME, P.MENU_NAME, P.FENCING_TOKEN, NULL, P.START_TIME,
       H.REG_DT, extract(epoch FROM H.REG_DT - P.START_TIME)::float8, H.EVENT, H.REG_USR_ID, H.COMMENT, H.TIME_KEY
FROM CT_OCCUPY_ITEM_HISTORY H
CROSS JOIN LATERAL (
    SELECT USER_ID, SESSION_ID, UI_NAME, MENU_NAME, FENCING_TOKEN, START_TIME
    FROM CT_OCCUPY_ITEM_HISTORY
    WHERE ITEM_TYPE = H.ITEM_TYPE AND ITEM_NAME = H.ITEM_NAME AND TIME_KEY < H.TIME_KEY
    ORDER BY TIME_KEY DESC LIMIT 1
) P
WHERE H.EVENT IN ('TAKEN_OVER', 'TRANSFERRED')
UNION ALL
SELECT ITEM_TYPE, ITEM_NAME, USER_ID, SESSION_ID, UI_NAME, MENU_NAME, FENCING_TOKEN, RENEWALS, START_TIME,
       CASE WHEN EXPIRE_TIME <= now() THEN EXPIRE_TIME END,
       extract(epoch FROM least(EXPIRE_TIME, now()) - START_TIME)::float8,
       CASE WHEN EXPIRE_TIME <= now() THEN coalesce(nullif(END_EVENT, ''), 'EXPIRED') END COLLATE "C", '', '', NULL
FROM CT_OCCUPY_ITEM
WHERE STATE = 'OCCUPIED';

COMMENT ON VIEW V_OCCUPY_HOLD IS 'One row a hold: who had which item, from when to when, and how it ended; those that last, too. For a period compare END_KEY, as TIME_KEY in V_OCCUPY_HISTORY.';
COMMENT ON COLUMN V_OCCUPY_HOLD.ITEM_TYPE IS 'Kind of item: LOT, PRODUCT, MASK, CST, SLOT, ...';
COMMENT ON COLUMN V_OCCUPY_HOLD.ITEM_NAME IS 'Name of the item within its type.';
COMMENT ON COLUMN V_OCCUPY_HOLD.USER_ID IS 'The holder.';
COMMENT ON COLUMN V_OCCUPY_HOLD.SESSION_ID IS 'Their window, tab or service instance. Empty: none was given.';
COMMENT ON COLUMN V_OCCUPY_HOLD.UI_NAME IS 'Screen it was held from, the last one if it was re-entered.';
COMMENT ON COLUMN V_OCCUPY_HOLD.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN V_OCCUPY_HOLD.FENCING_TOKEN IS 'Number of the grant: the item''s first hold is 1.';
COMMENT ON COLUMN V_OCCUPY_HOLD.RENEWALS IS 'How often it was renewed or re-entered; not known of one that was taken over or transferred.';
COMMENT ON COLUMN V_OCCUPY_HOLD.START_TIME IS 'When it began.';
COMMENT ON COLUMN V_OCCUPY_HOLD.END_TIME IS 'When it ended; null while it lasts.';
COMMENT ON COLUMN V_OCCUPY_HOLD.HELD_SECONDS IS 'How long it lasted, or has so far.';
COMMENT ON COLUMN V_OCCUPY_HOLD.END_EVENT IS 'How it ended: FREED, WINDOW_CLOSED, CONNECTION_LOST, FORCED, EXPIRED, MAX_HOLD, TAKEN_OVER or TRANSFERRED; null while it lasts.';
COMMENT ON COLUMN V_OCCUPY_HOLD.ENDED_BY IS 'Who ended it. Empty while it lasts.';
COMMENT ON COLUMN V_OCCUPY_HOLD.COMMENT IS 'A supervisor''s reason.';
COMMENT ON COLUMN V_OCCUPY_HOLD.END_KEY IS 'TIME_KEY of the row that ended it, UTC in front; null if there is none yet.';

CREATE VIEW V_OCCUPY_DENIAL AS
SELECT ITEM_TYPE, ITEM_NAME, FENCING_TOKEN, USER_ID, SESSION_ID, UI_NAME, MENU_NAME,
       BLOCKER_USER_ID, BLOCKER_SESSION_ID, BLOCKER_UI_NAME, BLOCKER_MENU_NAME, BLOCKER_START_TIME, ATTEMPTS, FIRST_DT, LAST_DT
FROM CT_OCCUPY_DENIAL;

COMMENT ON VIEW V_OCCUPY_DENIAL IS 'Who was refused an item, and whose hold was in the way: one row for all attempts of one user and session at one hold.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.ITEM_TYPE IS 'Kind of item: LOT, PRODUCT, MASK, CST, SLOT, ...';
COMMENT ON COLUMN V_OCCUPY_DENIAL.ITEM_NAME IS 'Name of the item within its type.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.FENCING_TOKEN IS 'The hold that was in the way, as in V_OCCUPY_HOLD.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.USER_ID IS 'Who was refused.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.SESSION_ID IS 'Their window, tab or service instance. Empty: none was given.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.UI_NAME IS 'Screen they asked from.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.BLOCKER_USER_ID IS 'Who held it.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.BLOCKER_SESSION_ID IS 'Their window, tab or service instance.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.BLOCKER_UI_NAME IS 'Screen they held it from.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.BLOCKER_MENU_NAME IS 'Menu of that screen.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.BLOCKER_START_TIME IS 'Since when.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.ATTEMPTS IS 'How often they asked while that hold lasted.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.FIRST_DT IS 'The first time.';
COMMENT ON COLUMN V_OCCUPY_DENIAL.LAST_DT IS 'The last time.';
