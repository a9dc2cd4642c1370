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

-- The sealed entries that speak of a job.
CREATE TABLE trail (
    job      text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
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

-- API keys without their secrets. A revoked key stays, so that its events can be read.
CREATE TABLE access_keys (
    seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id      text COLLATE "C" NOT NULL UNIQUE,
    tenant  text COLLATE "C" NOT NULL,
    role    text NOT NULL,
    lanes   text NOT NULL, -- separated by commas
    hash    bytea NOT NULL CHECK (length(hash) = 32),
    created bigint NOT NULL,
    revoked bigint NOT NULL DEFAULT 0
);

-- Who leads in a role that must be alone. The token grows with each change of leader.
CREATE TABLE leaders (
    role  text COLLATE "C" PRIMARY KEY,
    node  text COLLATE "C" NOT NULL,
    token bigint NOT NULL,
    until bigint NOT NULL
);
