-- +goose Up
-- Texts that are edited and not saved, by file.
CREATE TABLE draft (
    root         TEXT NOT NULL,    -- the real path of the repository's root
    path         TEXT NOT NULL,    -- relative to it
    text         TEXT NOT NULL,
    base_version TEXT NOT NULL,    -- what on disk the edit began from; '' where there was no file
    base_text    TEXT NOT NULL,
    version      INTEGER NOT NULL, -- grows with every change
    changed_ms   INTEGER NOT NULL,
    PRIMARY KEY (root, path)
);
