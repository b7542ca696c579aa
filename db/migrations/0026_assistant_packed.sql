-- Keeps the configurations of assistants compressed. Postgres compresses rows that are longer than 2 kB, and a call's is shorter: a
-- configuration of 1.4 kB stood in it as it is, and was written to the log as a whole when the call was claimed and again when it rang.
-- A value that is compressed where it is read stays so where it is written, so that calls have it from their assistants.

-- +goose Up

-- Where a configuration is in a row that is long enough, for as long as the statement takes that writes it.
CREATE UNLOGGED TABLE assistant_packing (
    assistant_id uuid NOT NULL,
    config jsonb NOT NULL,
    filler text NOT NULL
) WITH (toast_tuple_target = 128);
ALTER TABLE assistant_packing ALTER COLUMN config SET STORAGE MAIN;

-- +goose StatementBegin
CREATE FUNCTION assistant_pack() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO assistant_packing (assistant_id, config, filler) VALUES (NEW.id, NEW.config, repeat(' ', 2000));
    UPDATE assistant SET config = packed.config FROM assistant_packing AS packed WHERE packed.assistant_id = NEW.id AND assistant.id = NEW.id;
    DELETE FROM assistant_packing WHERE assistant_id = NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What is shorter is hardly compressed, and what is longer Postgres compresses by itself.
CREATE TRIGGER assistant_packed_inserted AFTER INSERT ON assistant FOR EACH ROW
    WHEN (pg_column_size(NEW.config) BETWEEN 200 AND 2000 AND pg_column_compression(NEW.config) IS NULL AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION assistant_pack();
CREATE TRIGGER assistant_packed_updated AFTER UPDATE OF config ON assistant FOR EACH ROW
    WHEN (pg_column_size(NEW.config) BETWEEN 200 AND 2000 AND pg_column_compression(NEW.config) IS NULL AND pg_trigger_depth() = 0)
    EXECUTE FUNCTION assistant_pack();
UPDATE assistant SET config = config WHERE pg_column_size(config) BETWEEN 200 AND 2000 AND pg_column_compression(config) IS NULL;
