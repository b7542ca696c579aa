-- Nobody finds an attempt by its id alone, or refers to one, and the index of the key was a seventh of what attempts take. An attempt is found
-- by its event, and the ids of one sequence differ.

-- +goose Up
ALTER TABLE delivery_attempt DROP CONSTRAINT delivery_attempt_pkey;
