-- Validates what 0010 adds, without keeping calls from being written meanwhile.

-- +goose Up
ALTER TABLE call VALIDATE CONSTRAINT call_channel_check;
ALTER TABLE call VALIDATE CONSTRAINT call_phone_number_id_check;
