-- Makes the first months' partitions before anybody writes: a row on its way to the default partition fails when the one that it
-- belongs to is attached meanwhile. The job make_partitions stays ahead of them; where it has run already there is nothing to do.

-- +goose Up
SELECT make_partition(parent, date_trunc('month', now(), 'UTC') + ahead * interval '32 days')
FROM unnest(ARRAY['call_turn', 'delivery_attempt']) AS parent, generate_series(0, 1) AS ahead;
