-- +goose Up
-- Pictures that requests of the history were made of, each once.
CREATE TABLE picture (
    hash    BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the content
    used_ms INTEGER NOT NULL,          -- when a request had it last
    content BLOB NOT NULL
);
