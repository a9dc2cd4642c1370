-- When a node last said that it knows a webhook endpoint.
CREATE TABLE endpoints (
    name text COLLATE "C" PRIMARY KEY,
    seen bigint NOT NULL
);
