-- How many documents an account's knowledge base may have.

-- +goose Up
ALTER TABLE account ADD COLUMN max_knowledge_documents integer NOT NULL DEFAULT 1000 CHECK (max_knowledge_documents >= 0);
ALTER TABLE instant_agent DROP CONSTRAINT instant_agent_failure_check;
ALTER TABLE instant_agent ADD CONSTRAINT instant_agent_failure_check
    CHECK (failure IN ('website_refused', 'website_failed', 'website_slow', 'number_gone', 'number_in_use', 'knowledge_full'));
