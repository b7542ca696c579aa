-- Knowledge bases: documents, the passages that they are cut into, and the words that occur in them.
-- The search needs no extension: words are stemmed in Dutch and in English by Postgres itself, and words that are
-- spelled alike are found by their trigrams, which stand in a tsvector. Every tsvector here also holds a lexeme that
-- names its account ("a:"), so that one GIN index serves all accounts and reads no other account's entries.

-- +goose Up
CREATE TABLE knowledge_document (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id),
    assistant_id uuid,
    title text NOT NULL,
    source_type text NOT NULL CHECK (source_type IN ('text', 'url', 'faq')),
    url text,
    status text NOT NULL CHECK (status IN ('processing', 'ready', 'failed')),
    generation integer NOT NULL DEFAULT 1,
    chunk_count integer NOT NULL DEFAULT 0,
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id),
    CONSTRAINT knowledge_document_assistant_id_fkey FOREIGN KEY (account_id, assistant_id) REFERENCES assistant (account_id, id),
    CHECK ((source_type = 'url') = (url IS NOT NULL))
);
CREATE INDEX knowledge_document_list_idx ON knowledge_document (account_id, id DESC) INCLUDE (assistant_id, chunk_count);
CREATE INDEX knowledge_document_assistant_idx ON knowledge_document (account_id, assistant_id) WHERE assistant_id IS NOT NULL;

-- search is read for every candidate of a query, so rows are kept whole instead of moving it out of line.
CREATE TABLE knowledge_chunk (
    document_id uuid NOT NULL,
    position integer NOT NULL,
    account_id uuid NOT NULL,
    content text NOT NULL,
    search tsvector NOT NULL,
    PRIMARY KEY (document_id, position),
    CONSTRAINT knowledge_chunk_document_id_fkey FOREIGN KEY (account_id, document_id) REFERENCES knowledge_document (account_id, id) ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
-- Without fastupdate: a pending list would be read through by every query.
CREATE INDEX knowledge_chunk_search_idx ON knowledge_chunk USING gin (search) WITH (fastupdate = off);

-- The vocabulary of an account. What a caller says is looked up here when it is misspelled, or part of a longer word.
CREATE TABLE knowledge_term (
    account_id uuid NOT NULL REFERENCES account (id),
    term text NOT NULL,
    stem text NOT NULL,
    trigrams tsvector NOT NULL,
    PRIMARY KEY (account_id, term)
);
CREATE INDEX knowledge_term_stem_idx ON knowledge_term (account_id, stem);
CREATE INDEX knowledge_term_trigrams_idx ON knowledge_term USING gin (trigrams) WITH (fastupdate = off);
