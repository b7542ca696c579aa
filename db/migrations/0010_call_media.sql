-- How the line of a call was: what RTP counted and what RTCP reported.

-- +goose Up
ALTER TABLE call ADD COLUMN media jsonb;
