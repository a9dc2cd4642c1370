-- When a process last said that it knows a webhook endpoint.
CREATE TABLE endpoints (
    name TEXT PRIMARY KEY,
    seen INTEGER NOT NULL
) STRICT;
