-- When the service's own jobs ran last and are due next. Their locks are occupancies of the item type SLOT.

-- +goose Up

CREATE TABLE CT_JOB (
    SLOT_KEY       varchar(200) COLLATE "C" NOT NULL,
    PERIOD_SECONDS integer      NOT NULL,
    LAST_RUN_DT    timestamptz  NOT NULL,
    LAST_RUN_BY    varchar(100) COLLATE "C" NOT NULL,
    LAST_SECONDS   double precision NOT NULL,
    LAST_ERROR     varchar(400) COLLATE "C" NOT NULL DEFAULT '',
    NEXT_DUE_DT    timestamptz  NOT NULL,
    OVERDUE_DT     timestamptz  NOT NULL,
    CONSTRAINT CT_JOB_PK PRIMARY KEY (SLOT_KEY)
);

COMMENT ON TABLE CT_JOB IS 'How the service''s own jobs go, one row a job, by the key of its slot lock.';
COMMENT ON COLUMN CT_JOB.LAST_RUN_DT IS 'When the last run began, by the database clock. Runs of a job that runs all the time are written down every ten seconds.';
COMMENT ON COLUMN CT_JOB.LAST_RUN_BY IS 'The gateway that ran it.';
COMMENT ON COLUMN CT_JOB.LAST_ERROR IS 'What went wrong; empty: it went well.';
COMMENT ON COLUMN CT_JOB.OVERDUE_DT IS 'From when on it counts as overdue: later than due by what another gateway needs to take over.';
COMMENT ON COLUMN CT_JOB.SLOT_KEY IS 'Key of the job''s slot lock.';
COMMENT ON COLUMN CT_JOB.PERIOD_SECONDS IS 'How often it is due, in seconds.';
COMMENT ON COLUMN CT_JOB.LAST_SECONDS IS 'How long the last run took, in seconds.';
COMMENT ON COLUMN CT_JOB.NEXT_DUE_DT IS 'When the next run is due, by the database clock.';
