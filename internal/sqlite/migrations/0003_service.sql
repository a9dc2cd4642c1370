-- The trace that a request belongs to, passed on to the worker.
ALTER TABLE jobs ADD COLUMN trace TEXT NOT NULL DEFAULT '';

-- What a key was accepted for; empty for jobs that came without a reservation.
ALTER TABLE jobs ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';

-- When the job's end was written, and how long it then took to its signed checkpoint.
ALTER TABLE jobs ADD COLUMN finished INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN seal_ms INTEGER NOT NULL DEFAULT 0;

DROP VIEW job_rows;
CREATE VIEW job_rows AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       input, bytes, policy_name, policy_version, policy_digest, body AS policy_body, sealed, result, final_seq, trace, seal_ms, delivered
FROM jobs JOIN policies ON policies.digest = jobs.policy_digest;

-- A job as lists show it: without what is large and of no use there (the policy's text, the
-- sealed order, the images of the result). A result that is no JSON shows as it is.
CREATE VIEW listed_jobs AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       input, bytes, policy_name, policy_version, policy_digest, NULL AS policy_body, NULL AS sealed,
       CASE WHEN json_valid(CAST(result AS TEXT)) THEN json_remove(CAST(result AS TEXT), '$.assets') ELSE result END AS result,
       final_seq, trace, seal_ms, delivered
FROM jobs;

-- A key that a request was accepted under stays as long as its job; one that came without
-- a reservation is free again once its job was delivered.
DROP INDEX jobs_idempotency;
CREATE UNIQUE INDEX jobs_idempotency ON jobs (tenant, idempotency) WHERE idempotency <> '' AND delivered = 0 AND fingerprint = '';
CREATE UNIQUE INDEX jobs_accepted ON jobs (tenant, idempotency) WHERE idempotency <> '' AND fingerprint <> '';

-- Each lane has its own head. The tenant is in it so that depths are counted from the
-- index alone.
DROP INDEX jobs_ready;
CREATE INDEX jobs_ready ON jobs (lane, not_before, seq, tenant) WHERE state = 'queued';

-- What waits is counted and what is asked for is listed without reading what has ended.
CREATE INDEX jobs_of_tenant ON jobs (tenant, seq);
CREATE INDEX jobs_in_state ON jobs (state, seq);
CREATE INDEX jobs_of_tenant_in_state ON jobs (tenant, state, seq);

-- Requests whose body is being received. One that ended without becoming a job (until
-- lies in the past, no key any more) stays until its data keys were destroyed: it is what
-- tells them from keys whose job is still on its way.
CREATE TABLE reservations (
    job         TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    idempotency TEXT NOT NULL,
    token       INTEGER NOT NULL,
    until       INTEGER NOT NULL,
    staged      INTEGER NOT NULL CHECK (staged IN (0, 1)) -- an upload was announced to the trail
) STRICT;
CREATE UNIQUE INDEX reservations_idempotency ON reservations (tenant, idempotency) WHERE idempotency <> '';
CREATE INDEX reservations_until ON reservations (until, tenant);

-- Since when an event waits. Those that wait already count from now on.
ALTER TABLE outbox ADD COLUMN created INTEGER NOT NULL DEFAULT 0;
UPDATE outbox SET created = CAST(round(unixepoch('subsec') * 1000) AS INTEGER);

-- The sealed entries that speak of a job. What the log held before is read into it by the
-- migration (trail.go), because SQLite cannot decode the base64 of an envelope.
CREATE TABLE trail (
    job      TEXT NOT NULL,
    sequence INTEGER NOT NULL REFERENCES entries (sequence),
    PRIMARY KEY (job, sequence)
) STRICT, WITHOUT ROWID;

-- API keys without their secrets. A revoked key stays, so that its events can be read.
CREATE TABLE access_keys (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,
    tenant  TEXT NOT NULL,
    role    TEXT NOT NULL,
    lanes   TEXT NOT NULL, -- separated by commas
    hash    BLOB NOT NULL CHECK (length(hash) = 32),
    created INTEGER NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
