-- People of an account who listen in on a live call from a browser: their offers wait here for the worker that holds the call.

-- +goose Up

-- asked -> answered by the worker of the call -> joined (the browser is there) -> left; asked or answered -> missed. The texts of SDP are
-- gone once they were read. Neither the person nor the key is referenced, since rows outlive both.
CREATE TABLE call_listener (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    call_id uuid NOT NULL,
    person_id uuid,
    api_key_id uuid,
    mode text NOT NULL CHECK (mode IN ('listen', 'whisper', 'barge')),
    status text NOT NULL DEFAULT 'asked' CHECK (status IN ('asked', 'answered', 'joined', 'left', 'missed')),
    offer text NOT NULL,
    answer text,
    failure text,
    created_at timestamptz NOT NULL DEFAULT now(),
    joined_at timestamptz,
    ended_at timestamptz,
    CONSTRAINT call_listener_call_id_fkey FOREIGN KEY (account_id, call_id) REFERENCES call (account_id, id) ON DELETE CASCADE,
    CHECK ((status IN ('left', 'missed')) = (ended_at IS NOT NULL))
);
CREATE INDEX call_listener_call_idx ON call_listener (account_id, call_id, id);
CREATE INDEX call_listener_live_idx ON call_listener (call_id) WHERE ended_at IS NULL;
-- One at a time speaks to the caller.
CREATE UNIQUE INDEX call_listener_barge_key ON call_listener (account_id, call_id) WHERE mode = 'barge' AND ended_at IS NULL;
