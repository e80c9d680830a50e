-- +goose Up
ALTER TABLE request ADD COLUMN stopped INTEGER NOT NULL DEFAULT 0; -- by the user
-- Earlier versions told it by the words of the error alone.
UPDATE request SET stopped = 1 WHERE ok = 0 AND error GLOB 'Stopped after *';
