-- Times are whole milliseconds since 1970 by SQLite's own clock; 0 is "never".
-- Digests are 32 bytes. No column holds text of a document, a file name or a path.

-- The fencing token grows over the whole store, so that it can be compared between jobs.
CREATE TABLE fence (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    token INTEGER NOT NULL
) STRICT;
INSERT INTO fence (one, token) VALUES (1, 0);

-- A pinned policy stands here once, however many jobs run under it.
CREATE TABLE policies (
    digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
    body   BLOB NOT NULL
) STRICT;

CREATE TABLE jobs (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival
    id             TEXT NOT NULL UNIQUE,
    tenant         TEXT NOT NULL,
    lane           TEXT NOT NULL CHECK (lane IN ('interactive', 'bulk')),
    state          TEXT NOT NULL,
    target         TEXT NOT NULL DEFAULT '',
    reason         TEXT NOT NULL DEFAULT '',
    idempotency    TEXT NOT NULL DEFAULT '',
    attempt        INTEGER NOT NULL DEFAULT 0,
    token          INTEGER NOT NULL DEFAULT 0,
    created        INTEGER NOT NULL,
    not_before     INTEGER NOT NULL,
    lease_until    INTEGER NOT NULL DEFAULT 0,
    input          BLOB NOT NULL CHECK (length(input) = 32),
    bytes          INTEGER NOT NULL DEFAULT 0,
    policy_name    TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    policy_digest  BLOB NOT NULL REFERENCES policies (digest),
    sealed         BLOB,
    result         BLOB,
    final_seq      INTEGER NOT NULL DEFAULT -1,
    delivered      INTEGER NOT NULL DEFAULT 0 CHECK (delivered IN (0, 1)),
    CHECK ((state = 'leased') = (lease_until > 0)),
    CHECK ((state = 'sealing') = (target <> ''))
) STRICT;

-- Claiming and expiring read the head of an index, so that their cost does not grow
-- with the backlog.
CREATE INDEX jobs_ready ON jobs (not_before, seq) WHERE state = 'queued';
CREATE INDEX jobs_leased ON jobs (lease_until, seq) WHERE state = 'leased';
CREATE UNIQUE INDEX jobs_idempotency ON jobs (tenant, idempotency) WHERE idempotency <> '' AND delivered = 0;

CREATE VIEW job_rows AS
SELECT seq, id, tenant, lane, state, target, reason, idempotency, attempt, token, created, not_before, lease_until,
       input, bytes, policy_name, policy_version, policy_digest, body AS policy_body, sealed, result, final_seq, delivered
FROM jobs JOIN policies ON policies.digest = jobs.policy_digest;

-- Events wait here, in order, until the sequencer has signed them.
CREATE TABLE outbox (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    event BLOB NOT NULL,
    job   TEXT NOT NULL DEFAULT '', -- the job that moves when the event is sealed
    state TEXT NOT NULL DEFAULT ''  -- and the state it moves to
) STRICT;

-- The signed log: entries and the hashes of their Merkle tree, numbered from 0.
CREATE TABLE entries (
    sequence INTEGER PRIMARY KEY,
    envelope BLOB NOT NULL
) STRICT;
CREATE TABLE hashes (
    position INTEGER PRIMARY KEY, -- tlog.StoredHashIndex
    hash     BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE TABLE log_head (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    size       INTEGER NOT NULL,
    checkpoint BLOB
) STRICT;
INSERT INTO log_head (one, size) VALUES (1, 0);

-- What is in the log stays as it is: no statement of ours, however wrong, changes it. Who
-- can write to the file can drop a trigger; then the signed checkpoints show it.
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER hashes_no_delete BEFORE DELETE ON hashes BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER hashes_no_update BEFORE UPDATE ON hashes BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
-- REPLACE deletes without asking the triggers above.
CREATE TRIGGER entries_no_replace BEFORE INSERT ON entries
WHEN EXISTS (SELECT 1 FROM entries WHERE sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER hashes_no_replace BEFORE INSERT ON hashes
WHEN EXISTS (SELECT 1 FROM hashes WHERE position = NEW.position) BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_head_no_delete BEFORE DELETE ON log_head BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_head_grows BEFORE UPDATE ON log_head WHEN NEW.size < OLD.size
BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;

-- Wrapped data keys. A destroyed key leaves its name behind, so that a late worker
-- cannot make it anew.
CREATE TABLE keys (
    job     TEXT NOT NULL,
    class   TEXT NOT NULL,
    wrapped BLOB NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, class)
) STRICT;
CREATE INDEX keys_expiring ON keys (expires) WHERE expires > 0;
CREATE TABLE destroyed_keys (
    job       TEXT NOT NULL,
    class     TEXT NOT NULL,
    destroyed INTEGER NOT NULL,
    PRIMARY KEY (job, class)
) STRICT;

-- Private copies that may stand on a worker's disk.
CREATE TABLE working_copies (
    id      TEXT PRIMARY KEY,
    job     TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT;
