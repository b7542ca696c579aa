-- The meanings of passages, where an embedding model is configured. No extension is needed: code has the sign of each number
-- of a vector, so that bit_count(code # asked) finds the likely passages by built-in means, and the vectors of these few are
-- compared exactly. model is part of what a vector is: those of another are never looked at.

-- +goose Up
CREATE TABLE knowledge_embedding (
    document_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    model text NOT NULL,
    code varbit NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (document_id, position),
    CONSTRAINT knowledge_embedding_document_id_fkey FOREIGN KEY (account_id, document_id) REFERENCES knowledge_document (account_id, id) ON DELETE CASCADE,
    CONSTRAINT knowledge_embedding_chunk_fkey FOREIGN KEY (document_id, position) REFERENCES knowledge_chunk (document_id, position) ON DELETE CASCADE
);
-- Numbers of a model look random: they cannot be compressed.
ALTER TABLE knowledge_embedding ALTER COLUMN code SET STORAGE EXTERNAL, ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX knowledge_embedding_model_idx ON knowledge_embedding (account_id, model);
