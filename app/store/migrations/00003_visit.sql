-- +goose Up
-- Repositories that were open, each with where one was in it.
CREATE TABLE visit (
    repository TEXT PRIMARY KEY,
    roots      TEXT NOT NULL,    -- the folders that were opened together, as a JSON array
    opened_ms  INTEGER NOT NULL,
    place      TEXT NOT NULL     -- what the page keeps to come back to; '' at first
);
