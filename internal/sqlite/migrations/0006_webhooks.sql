-- What webhook endpoints are still to be told. A row comes in the transaction that moves
-- its job to the end, and goes when the endpoint has taken the message. It names the
-- endpoint, never its URL.
CREATE TABLE deliveries (
    id         TEXT PRIMARY KEY,
    endpoint   TEXT NOT NULL,
    tenant     TEXT NOT NULL,
    job        TEXT NOT NULL,
    state      TEXT NOT NULL,
    reason     TEXT NOT NULL,
    sequence   INTEGER NOT NULL,
    ended      INTEGER NOT NULL,
    status     TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'dead')),
    attempt    INTEGER NOT NULL DEFAULT 0,
    token      INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL,
    why        TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX deliveries_ready ON deliveries (endpoint, not_before, sequence) WHERE status = 'pending';
CREATE INDEX deliveries_by_sequence ON deliveries (sequence, endpoint);
