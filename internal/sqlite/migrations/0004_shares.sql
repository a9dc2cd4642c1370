-- What a tenant pays for a job: its time from claim to end, less the time it stood parked.
ALTER TABLE jobs ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;      -- when the present lease was given
ALTER TABLE jobs ADD COLUMN parked_since INTEGER NOT NULL DEFAULT 0; -- 0: not parked now
ALTER TABLE jobs ADD COLUMN parked_ms INTEGER NOT NULL DEFAULT 0;    -- parked before that, under this lease
ALTER TABLE jobs ADD COLUMN charged_ms INTEGER NOT NULL DEFAULT 0;   -- charged so far for this lease
UPDATE jobs SET claimed = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) WHERE state = 'leased';

DROP VIEW job_rows;
CREATE VIEW job_rows AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       claimed, parked_since > 0 AS parked, input, bytes, policy_name, policy_version, policy_digest, body AS policy_body,
       sealed, result, final_seq, trace, seal_ms, delivered
FROM jobs JOIN policies ON policies.digest = jobs.policy_digest;

DROP VIEW listed_jobs;
CREATE VIEW listed_jobs AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       claimed, parked_since > 0 AS parked, input, bytes, policy_name, policy_version, policy_digest, NULL AS policy_body,
       NULL AS sealed,
       CASE WHEN json_valid(CAST(result AS TEXT)) THEN json_remove(CAST(result AS TEXT), '$.assets') ELSE result END AS result,
       final_seq, trace, seal_ms, delivered
FROM jobs;

-- Each tenant has a line of its own in each lane; claims read the head of one.
DROP INDEX jobs_ready;
CREATE INDEX jobs_ready ON jobs (lane, tenant, not_before, seq) WHERE state = 'queued';

-- How much of a lane each tenant has had. Who is active may have a ready job; who is not has
-- none until it wakes, which is when the first of its queued jobs will be ready (0: none is
-- queued).
CREATE TABLE shares (
    lane    TEXT NOT NULL CHECK (lane IN ('interactive', 'bulk')),
    tenant  TEXT NOT NULL,
    virtual INTEGER NOT NULL, -- microseconds of processing, divided by the tenant's weight
    started INTEGER NOT NULL, -- its greatest virtual time when a job of it was lent in its turn
    mean_ms INTEGER NOT NULL, -- moving average of what a job takes
    active  INTEGER NOT NULL CHECK (active IN (0, 1)),
    since   INTEGER NOT NULL, -- when it last became active
    wakes   INTEGER NOT NULL CHECK (wakes = 0 OR active = 0),
    PRIMARY KEY (lane, tenant)
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_order ON shares (lane, virtual, since, tenant) WHERE active = 1;
CREATE INDEX shares_started ON shares (lane, started);
CREATE INDEX shares_waking ON shares (lane, wakes) WHERE wakes > 0;

-- Whoever has something queued begins level; who has something under way will be charged.
INSERT INTO shares (lane, tenant, virtual, started, mean_ms, active, since, wakes)
SELECT lane, tenant, 0, 0, 1000, max(state = 'queued'), min(not_before), 0
FROM jobs WHERE state IN ('queued', 'leased') GROUP BY lane, tenant;

-- Which node's disk a working copy stands on. Until now there was one.
ALTER TABLE working_copies ADD COLUMN node TEXT NOT NULL DEFAULT 'local';
CREATE INDEX working_copies_of_node ON working_copies (node, created, id);
