-- An appointment is made once and stays; when its contact has no meeting any more (meeting_event_id is cleared) it takes no
-- time. Of two that overlap in one calendar only the first is made: whoever makes one holds the calendar's lock from looking
-- until the commit.

-- name: AppointmentLockCalendar :exec
SELECT pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'calendar', @account_id::uuid, @calendar::text), 0));

-- Those that take time; none is longer than a day.
-- name: AppointmentListBetween :many
SELECT * FROM appointment
WHERE appointment.account_id = @account_id AND appointment.calendar = @calendar AND appointment.simulated = @simulated
    AND appointment.starts_at > sqlc.arg('begins')::timestamptz - interval '1 day'
    AND appointment.starts_at < sqlc.arg('ends') AND appointment.ends_at > sqlc.arg('begins')
    AND NOT EXISTS (
        SELECT FROM contact WHERE contact.account_id = appointment.account_id AND contact.id = appointment.contact_id AND contact.meeting_event_id IS NULL
    )
ORDER BY appointment.starts_at;

-- name: AppointmentListByCall :many
SELECT * FROM appointment WHERE account_id = @account_id AND call_id = @call_id ORDER BY created_at, id;

-- name: AppointmentInsert :one
INSERT INTO appointment (id, account_id, assistant_id, call_id, contact_id, calendar, simulated, type, starts_at, ends_at)
VALUES (@id, @account_id, sqlc.narg('assistant_id'), @call_id, sqlc.narg('contact_id'), @calendar, @simulated, @type, @starts_at, @ends_at)
RETURNING *;
