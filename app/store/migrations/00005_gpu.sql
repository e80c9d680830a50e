-- +goose Up
-- The GPUs that were there. The model of such a series is a name that no model has: "/gpu/" and the GPU's UUID.
CREATE TABLE gpu (
    series INTEGER PRIMARY KEY REFERENCES series (id),
    number INTEGER NOT NULL, -- as the engine counts them
    name   TEXT NOT NULL
);
ALTER TABLE metric ADD COLUMN gpu BLOB; -- what a GPU did in the bucket; NULL in rows of other series
