CREATE TABLE server (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    owner TEXT,
    tags TEXT NOT NULL DEFAULT '',      -- separated by line breaks
    stage TEXT,
    in_fleet INTEGER NOT NULL DEFAULT 1
) STRICT;

-- A server in one revision over one transport.
CREATE TABLE way (
    id INTEGER PRIMARY KEY,
    server INTEGER NOT NULL REFERENCES server (id) ON DELETE CASCADE,
    wanted TEXT NOT NULL,
    transport TEXT NOT NULL,
    latest INTEGER,                     -- its last result
    in_fleet INTEGER NOT NULL DEFAULT 1,
    UNIQUE (server, wanted, transport)
) STRICT;

CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started INTEGER NOT NULL,           -- milliseconds since 1970
    finished INTEGER,
    program TEXT NOT NULL,
    filter TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    conformant INTEGER NOT NULL DEFAULT 0,
    broken INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0   -- without a verdict
) STRICT;

-- What a run that is not finished is to do.
CREATE TABLE job (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    way INTEGER NOT NULL REFERENCES way (id) ON DELETE CASCADE,
    PRIMARY KEY (run, way)
) STRICT, WITHOUT ROWID;

CREATE TABLE result (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    way INTEGER NOT NULL REFERENCES way (id) ON DELETE CASCADE,
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    verdict TEXT NOT NULL,
    score INTEGER,
    pass INTEGER NOT NULL,
    fail INTEGER NOT NULL,
    warn INTEGER NOT NULL,
    skip INTEGER NOT NULL,
    untestable INTEGER NOT NULL,
    excused INTEGER NOT NULL,
    observed INTEGER NOT NULL,
    applicable INTEGER NOT NULL,
    tests_passed INTEGER NOT NULL,
    tests_failed INTEGER NOT NULL,
    revision TEXT,
    peer_name TEXT,
    peer_version TEXT,
    comparable INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    started INTEGER NOT NULL,
    took INTEGER NOT NULL,              -- milliseconds
    why TEXT
) STRICT;
CREATE UNIQUE INDEX result_of_way ON result (way, run);
CREATE INDEX result_of_run ON result (run, way);
CREATE INDEX course_of_way ON result (way, id);

-- From the result that had it first (since) until the result that had it no more.
CREATE TABLE finding (
    id INTEGER PRIMARY KEY,
    way INTEGER NOT NULL REFERENCES way (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    severity TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    since_version TEXT,
    until_version TEXT,
    expected TEXT NOT NULL,
    actual TEXT NOT NULL
) STRICT;
CREATE INDEX finding_of_way ON finding (way, since);
CREATE UNIQUE INDEX open_finding ON finding (way, kind, subject, severity) WHERE until IS NULL;
CREATE INDEX finding_of_subject ON finding (subject, way) WHERE until IS NULL;

CREATE TABLE report (
    result INTEGER PRIMARY KEY REFERENCES result (id) ON DELETE CASCADE,
    bytes BLOB NOT NULL,
    size INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO setting (name, value) VALUES ('report_bytes', 0);
