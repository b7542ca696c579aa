-- name: PartitionMake :one
SELECT make_partition(@parent::text, @month::timestamptz)::boolean AS made;

-- name: PartitionDropEmpty :one
SELECT drop_empty_partitions(@parent::text, @before::timestamptz)::integer AS dropped;
