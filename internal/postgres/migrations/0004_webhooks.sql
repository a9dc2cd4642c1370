-- What webhook endpoints are still to be told. A row comes in the transaction that moves
-- its job to the end, and goes when the endpoint has taken the message. It names the
-- endpoint, never its URL.
CREATE TABLE deliveries (
    id         text COLLATE "C" PRIMARY KEY,
    endpoint   text COLLATE "C" NOT NULL,
    tenant     text COLLATE "C" NOT NULL,
    job        text COLLATE "C" NOT NULL,
    state      text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    sequence   bigint NOT NULL,
    ended      bigint NOT NULL,
    status     text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'dead')),
    attempt    int NOT NULL DEFAULT 0,
    token      bigint NOT NULL DEFAULT 0,
    not_before bigint NOT NULL,
    why        text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX deliveries_ready ON deliveries (endpoint, not_before, sequence) WHERE status = 'pending';
CREATE INDEX deliveries_by_sequence ON deliveries (sequence, endpoint);
