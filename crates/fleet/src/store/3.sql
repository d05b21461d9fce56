-- What a server offers, a row for each change of it.
CREATE TABLE interface (
    way INTEGER NOT NULL REFERENCES way (id) ON DELETE CASCADE,
    result INTEGER NOT NULL,
    digest BLOB NOT NULL,
    bytes BLOB NOT NULL,
    breaking TEXT NOT NULL DEFAULT '',  -- a line for each change
    harmless TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (way, result)
) STRICT, WITHOUT ROWID;
CREATE INDEX interface_of_result ON interface (result);
