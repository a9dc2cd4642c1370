-- The signed log: entries and the hashes of their Merkle tree, numbered from 0.
CREATE TABLE entries (
    sequence bigint PRIMARY KEY,
    envelope bytea NOT NULL
);
CREATE TABLE hashes (
    position bigint PRIMARY KEY, -- tlog.StoredHashIndex
    hash     bytea NOT NULL CHECK (length(hash) = 32)
);
CREATE TABLE log_head (
    one        int PRIMARY KEY CHECK (one = 1),
    size       bigint NOT NULL,
    checkpoint bytea
);
INSERT INTO log_head (one, size) VALUES (1, 0);

-- What is in the log stays as it is: no statement of ours, however wrong, changes it. Who
-- owns the tables can drop a trigger; then the signed checkpoints show it.
CREATE FUNCTION log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log only grows';
END $$;
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION log_only_grows();
CREATE TRIGGER hashes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON hashes FOR EACH STATEMENT EXECUTE FUNCTION log_only_grows();
CREATE TRIGGER log_head_stays BEFORE DELETE OR TRUNCATE ON log_head FOR EACH STATEMENT EXECUTE FUNCTION log_only_grows();
CREATE TRIGGER log_head_grows BEFORE UPDATE ON log_head FOR EACH ROW WHEN (NEW.size < OLD.size) EXECUTE FUNCTION log_only_grows();
-- Also in a session that replicates (session_replication_role), which skips plain triggers.
ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_stay;
ALTER TABLE hashes ENABLE ALWAYS TRIGGER hashes_stay;
ALTER TABLE log_head ENABLE ALWAYS TRIGGER log_head_stays;
ALTER TABLE log_head ENABLE ALWAYS TRIGGER log_head_grows;

-- The sealed entries that speak of a job.
CREATE TABLE trail (
    job      text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL REFERENCES entries (sequence),
    PRIMARY KEY (job, sequence)
);

-- Wrapped data keys. A destroyed key leaves its name behind, so that a late worker
-- cannot make it anew.
CREATE TABLE keys (
    job     text COLLATE "C" NOT NULL,
    class   text COLLATE "C" NOT NULL,
    wrapped bytea  NOT NULL,
    created bigint NOT NULL,
    expires bigint NOT NULL DEFAULT 0,
    keep    bigint, -- how long it lives once its job has ended, or was delivered; null while neither is so
    PRIMARY KEY (job, class)
);
CREATE INDEX keys_expiring ON keys (expires) WHERE expires > 0;
CREATE TABLE destroyed_keys (
    job       text COLLATE "C" NOT NULL,
    class     text COLLATE "C" NOT NULL,
    destroyed bigint NOT NULL,
    PRIMARY KEY (job, class)
);
CREATE INDEX destroyed_keys_latest ON destroyed_keys (destroyed);

-- When the table of keys was last written anew, without what was destroyed (scrub.go).
CREATE TABLE scrubs (
    one int PRIMARY KEY CHECK (one = 1),
    at  bigint NOT NULL
);
INSERT INTO scrubs (one, at) VALUES (1, 0);

-- API keys without their secrets. A revoked key stays, so that its events can be read.
CREATE TABLE access_keys (
    seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id      text COLLATE "C" NOT NULL UNIQUE,
    tenant  text COLLATE "C" NOT NULL,
    role    text COLLATE "C" NOT NULL,
    lanes   text[] NOT NULL,
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    created bigint NOT NULL,
    revoked bigint NOT NULL DEFAULT 0
);

-- Who leads in a role that must be alone, and until when. The token grows with each change
-- of leader; so a row is never deleted.
CREATE TABLE leaders (
    role  text COLLATE "C" PRIMARY KEY,
    node  text COLLATE "C" NOT NULL,
    token bigint NOT NULL,
    until bigint NOT NULL
) WITH (fillfactor = 50); -- each extension makes a new version of the row
