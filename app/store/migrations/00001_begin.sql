-- +goose Up
CREATE TABLE series (
    id         INTEGER PRIMARY KEY,
    repository TEXT NOT NULL,
    model      TEXT NOT NULL, -- '' is the whole repository
    UNIQUE (repository, model)
);

-- One row for each series and bucket of step seconds that begins at time (Unix seconds).
CREATE TABLE metric (
    step       INTEGER NOT NULL,
    series     INTEGER NOT NULL REFERENCES series (id),
    time       INTEGER NOT NULL,
    covered_ms INTEGER NOT NULL, -- how much of the bucket was watched
    requests   INTEGER NOT NULL,
    failures   INTEGER NOT NULL,
    inferences INTEGER NOT NULL,
    executions INTEGER NOT NULL,
    request_ns INTEGER NOT NULL,
    queue_ns   INTEGER NOT NULL,
    input_ns   INTEGER NOT NULL,
    infer_ns   INTEGER NOT NULL,
    output_ns  INTEGER NOT NULL,
    cpu_ms     REAL NOT NULL,    -- processor time spent in the bucket
    memory     INTEGER NOT NULL, -- bytes, mean over the covered time
    latency    BLOB,             -- a mergeable histogram, NULL when there was no request
    PRIMARY KEY (step, series, time)
) WITHOUT ROWID;

CREATE TABLE request (
    id         INTEGER PRIMARY KEY,
    repository TEXT NOT NULL,
    time_ms    INTEGER NOT NULL,
    model      TEXT NOT NULL,
    version    TEXT NOT NULL,
    ok         INTEGER NOT NULL,
    error      TEXT NOT NULL,
    took_ns    INTEGER NOT NULL,
    summary    TEXT NOT NULL,
    request    BLOB,
    response   BLOB
);
CREATE INDEX request_by_model ON request (repository, model, id);

CREATE TABLE event (
    id         INTEGER PRIMARY KEY,
    repository TEXT NOT NULL,
    time_ms    INTEGER NOT NULL,
    level      INTEGER NOT NULL,
    model      TEXT NOT NULL,
    text       TEXT NOT NULL
);
CREATE INDEX event_by_time ON event (repository, time_ms);

CREATE TABLE setting (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE recent (
    path      TEXT PRIMARY KEY,
    opened_ms INTEGER NOT NULL
);
