-- Who has a role of which there may be one process at a time.
CREATE TABLE leaders (
    role  TEXT PRIMARY KEY,
    node  TEXT NOT NULL,
    token INTEGER NOT NULL, -- grows with each change
    until INTEGER NOT NULL
) STRICT;

-- What the database remembers of those who use it, each set once.
CREATE TABLE marks (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
