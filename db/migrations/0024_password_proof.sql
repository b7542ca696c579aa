-- Who has seen the link over which a password was chosen. Where no mail is sent whoever invites hands the link on, and may use it: a
-- password chosen over it proves nothing about its address, and opens the account of that invitation alone.

-- +goose Up
-- Of links that are there already nobody knows: they count as seen.
ALTER TABLE login_link ADD COLUMN shown boolean NOT NULL DEFAULT true;
ALTER TABLE person ADD COLUMN password_unproven boolean NOT NULL DEFAULT false;
