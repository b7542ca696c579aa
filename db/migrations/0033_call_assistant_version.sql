-- Has calls name the version of their assistant's configuration (0032), once no process of the version before runs or may come back; see
-- db.Form. A configuration that a server chose for a call alone stays in assistant_config. The timeline of a call that is over, 300 bytes
-- of the 860 that a call had, is kept short.

-- +goose Up
INSERT INTO stored_form (form, written_from) SELECT 2, now() + CASE WHEN EXISTS (SELECT FROM account) THEN interval '1 day' ELSE interval '0' END;

ALTER TABLE call ADD COLUMN assistant_version_id uuid;

-- Returns the states of a timeline with the microseconds since 1970 of the first, and since the one before of the others, such as
-- "queued 1795478168488796,dialing 12034,ringing 9210,completed 88210". One that says more than that stays as it is, and so does
-- any where that is not wanted.
-- +goose StatementBegin
CREATE FUNCTION short_timeline(timeline jsonb, wanted boolean) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN wanted AND bool_and(step.entry - 'status' - 'at' = '{}') THEN
        to_jsonb(string_agg(format('%s %s', step.entry ->> 'status', step.at - coalesce(step.before, 0)), ',' ORDER BY step.place))
    ELSE timeline END
    FROM (
        SELECT one.entry, one.place, one.at, lag(one.at) OVER (ORDER BY one.place) AS before FROM (
            SELECT entry, place, (extract(epoch FROM (entry ->> 'at')::timestamptz) * 1000000)::bigint AS at
            FROM jsonb_array_elements(timeline) WITH ORDINALITY AS entries (entry, place)
        ) AS one
    ) AS step
$$;
-- +goose StatementEnd
