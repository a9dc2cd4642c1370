-- What the database remembers of those who use it, each set once.
CREATE TABLE marks (
    name  text COLLATE "C" PRIMARY KEY,
    value text NOT NULL
);
