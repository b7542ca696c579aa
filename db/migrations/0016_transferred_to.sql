-- Where calls are transferred to.

-- +goose Up
ALTER TABLE call ADD COLUMN transferred_to text;
