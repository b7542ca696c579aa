-- Has calls name the version of their assistant's configuration (0032). One that a server chose for a call alone stays in assistant_config.

-- +goose Up
ALTER TABLE call ADD COLUMN assistant_version_id uuid;
