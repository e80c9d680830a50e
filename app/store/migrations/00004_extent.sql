-- +goose Up
-- The lowest and the highest second in a bucket; -1 where a row does not tell: its mean is both then.
ALTER TABLE metric ADD COLUMN rate_low    REAL NOT NULL DEFAULT -1; -- requests per second
ALTER TABLE metric ADD COLUMN rate_high   REAL NOT NULL DEFAULT -1;
ALTER TABLE metric ADD COLUMN cpu_low     REAL NOT NULL DEFAULT -1; -- processor time for each second, in seconds
ALTER TABLE metric ADD COLUMN cpu_high    REAL NOT NULL DEFAULT -1;
ALTER TABLE metric ADD COLUMN memory_low  REAL NOT NULL DEFAULT -1; -- bytes
ALTER TABLE metric ADD COLUMN memory_high REAL NOT NULL DEFAULT -1;
