-- What an account may spend on calls in a month, in micro-cents; NULL: there is no budget. Months and days are those of its time zone.

-- +goose Up
ALTER TABLE account ADD COLUMN monthly_budget bigint CHECK (monthly_budget >= 0),
    ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
