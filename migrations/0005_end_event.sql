-- What an expiry will be called, when that is known before: a lost connection leaves a hold a few seconds to come back.

-- +goose Up

ALTER TABLE CT_OCCUPY_ITEM ADD COLUMN END_EVENT varchar(20) COLLATE "C" NOT NULL DEFAULT '';

COMMENT ON COLUMN CT_OCCUPY_ITEM.END_EVENT IS 'What the history will call the end of this hold if EXPIRE_TIME passes: CONNECTION_LOST after the connection that held it was lost. Empty: EXPIRED. A renewal or re-entry clears it.';
