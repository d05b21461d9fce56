-- Who moved a server to another stage, and when.
CREATE TABLE promotion (
    id INTEGER PRIMARY KEY,
    server INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    from_stage TEXT,
    to_stage TEXT NOT NULL,
    who TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX promotion_of_server ON promotion (server, id);
