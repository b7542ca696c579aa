-- What an account says of itself, keys that replace each other, and what is deleted or erased on request.

-- +goose Up
ALTER TABLE account
    ADD COLUMN company_name text,
    ADD COLUMN phone_number text;

ALTER TABLE api_key
    ADD COLUMN replaced_by uuid,
    ADD CONSTRAINT api_key_replaced_by_fkey FOREIGN KEY (account_id, replaced_by) REFERENCES api_key (account_id, id);

-- erased_at: nothing of the person is kept, and nothing may be written again.
ALTER TABLE contact ADD COLUMN erased_at timestamptz;
CREATE INDEX contact_deleted_number_idx ON contact (account_id, phone_number) WHERE deleted_at IS NOT NULL AND erased_at IS NULL;

-- deleted_at: the customer does not see the call any more; its row stays for what refers to it.
-- erased_at: what was said in the call is gone, and may not be written again.
ALTER TABLE call
    ADD COLUMN deleted_at timestamptz,
    ADD COLUMN erased_at timestamptz;
CREATE INDEX call_stranger_number_idx ON call (account_id, contact_phone_number) WHERE contact_id IS NULL AND contact_phone_number <> '';
CREATE INDEX call_discarded_recording_idx ON call (account_id, id) WHERE erased_at IS NOT NULL AND recording_key IS NOT NULL;
