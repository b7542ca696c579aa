package appointments_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/appointments"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/providers/calendar"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
)

// diary is a company's published calendar.
// planned is a fixture with somebody who plans appointments.
type planned struct {
	*jobstest.Fixture
	planner *appointments.Planner
}

type diary struct {
	busy []calendar.Interval
	fail error
}

func (d *diary) Busy(_ context.Context, _ uuid.UUID, _ string, _ calendar.Interval, _ *time.Location) ([]calendar.Interval, error) {
	return d.busy, d.fail
}

var checkUp = jsonb.AppointmentType{Name: "Check-up", Duration: 60}

// booking is a call, on a Friday at one, whose assistant makes appointments in Amsterdam.
func booking(t *testing.T, f *planned, config *jsonb.Booking) (*dbsqlc.Call, *diary) {
	t.Helper()
	d := &diary{}
	f.planner = &appointments.Planner{DB: f.Services.DB, Calendar: d,
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }}
	call := f.Claim(t, f.QueuedCall(t).ID, "process")[0]
	config.Enabled = true
	call.PhoneNumber = "+31201234567"
	call.AssistantConfig = &jsonb.Assistant{Booking: config, NotificationsEmail: "office@example.com",
		Transcriber: jsonb.Object{"language": "nl"}}
	return call, d
}

func amsterdam(t *testing.T, text string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	require.NoError(t, err)
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	require.NoError(t, err)
	return at
}

// invitations are the mails about appointments, by recipient.
func invitations(t *testing.T, f *planned) map[string]mail.Message {
	t.Helper()
	rows, err := f.Tx.Query(t.Context(), "SELECT recipient, content FROM mail WHERE key LIKE 'appointment/%'")
	require.NoError(t, err)
	defer rows.Close()
	mails := map[string]mail.Message{}
	for rows.Next() {
		var recipient string
		var content []byte
		var message mail.Message
		require.NoError(t, rows.Scan(&recipient, &content))
		require.NoError(t, json.Unmarshal(content, &message))
		mails[recipient] = message
	}
	require.NoError(t, rows.Err())
	return mails
}

func TestFreeTimes(t *testing.T) {
	t.Parallel()
	f := &planned{Fixture: jobstest.New(t)}
	call, diary := booking(t, f, &jsonb.Booking{CalendarICSURL: "https://example.com/a.ics", MinimumBookingHours: 2})
	diary.busy = []calendar.Interval{{Start: amsterdam(t, "2026-11-23 09:00"), End: amsterdam(t, "2026-11-23 16:00")}}

	free := func() []string {
		found, err := f.planner.FreeTimes(t.Context(), call, checkUp, f.planner.Now(), 4)
		require.NoError(t, err)
		clocks := []string{}
		for _, start := range found {
			clocks = append(clocks, start.Format("02 15:04"))
		}
		return clocks
	}
	require.Equal(t, []string{"20 15:00", "20 15:30", "20 16:00", "23 16:00"}, free())
	_, err := f.planner.Book(t.Context(), f.Inserter, call,
		&appointments.Request{Type: checkUp, Start: amsterdam(t, "2026-11-20 16:00")})
	require.NoError(t, err)
	require.Equal(t, []string{"20 15:00", "23 16:00"}, free())

	_, err = f.Tx.Exec(t.Context(), "UPDATE contact SET meeting_date = NULL, meeting_event_id = NULL WHERE id = $1", f.Contact.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"20 15:00", "20 15:30", "20 16:00", "23 16:00"}, free(), "the meeting was called off")

	diary.fail = fault.New(fault.Unavailable, "calendar", "away")
	_, err = f.planner.FreeTimes(t.Context(), call, checkUp, f.planner.Now(), 4)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Unavailable, kind)
}

func TestBook(t *testing.T) {
	t.Parallel()
	monday := func(t *testing.T) time.Time { return amsterdam(t, "2026-11-23 10:00") }

	t.Run("WritesTheMeetingAndInvites", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		_, err := f.Tx.Exec(t.Context(), "UPDATE contact SET email = 'jan@example.com' WHERE id = $1", f.Contact.ID)
		require.NoError(t, err)
		wanted := &appointments.Request{Type: checkUp, Start: monday(t), Name: "Somebody else", Email: "victim@example.com",
			Notes: "Left\x00 tooth"}
		for range 2 { // a reply that was given up asks again
			made, err := f.planner.Book(t.Context(), f.Inserter, call, wanted)
			require.NoError(t, err)
			contact := f.GetContact(t)
			require.True(t, monday(t).Equal(*contact.MeetingDate))
			require.Equal(t, made.ID.String(), *contact.MeetingEventID)
			require.Equal(t, "Jan", *contact.FullName, "what is known stays")
			require.Equal(t, "jan@example.com", *contact.Email)
			require.Equal(t, contact.ID, *made.ContactID)
			require.True(t, monday(t).Add(time.Hour).Equal(made.EndsAt))
		}
		mails := invitations(t, f)
		require.Len(t, mails, 2)
		require.Contains(t, mails["office@example.com"].Text, "E-mail: victim@example.com",
			"what was spelled is for the company to read")
		for recipient, summary := range map[string]string{"office@example.com": "Check-up: Jan",
			"jan@example.com": "Check-up: Account"} {
			message := mails[recipient]
			require.Equal(t, "Afspraak: Check-up, maandag 23 november 2026 10:00", message.Subject)
			require.Contains(t, message.Text, "Opmerking: Left\uFFFD tooth")
			require.Len(t, message.Attachments, 1)
			require.Equal(t, "text/calendar; charset=utf-8; method=REQUEST", message.Attachments[0].ContentType)
			invitation := string(message.Attachments[0].Content)
			for _, line := range []string{"METHOD:REQUEST", "SUMMARY:" + summary, "DTSTART:20261123T090000Z", "DTEND:20261123T100000Z",
				"ORGANIZER:mailto:office@example.com"} {
				require.Contains(t, invitation, line+"\r\n")
			}
		}
	})
	t.Run("WritesToNoAddressThatACallerSpells", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		for hour := range 2 { // nor in a later appointment
			_, err := f.planner.Book(t.Context(), f.Inserter, call, &appointments.Request{
				Type: checkUp, Start: monday(t).Add(time.Duration(hour) * time.Hour), Email: "victim@example.com",
			})
			require.NoError(t, err)
		}
		require.Nil(t, f.GetContact(t).Email)
		mails := invitations(t, f)
		require.Len(t, mails, 1)
		require.Contains(t, mails, "office@example.com")
	})
	t.Run("MakesAContact", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		_, err := f.Tx.Exec(t.Context(), "UPDATE call SET contact_id = NULL, contact_phone_number = '+31687654321' WHERE id = $1",
			call.ID)
		require.NoError(t, err)
		made, err := f.planner.Book(t.Context(), f.Inserter, call, &appointments.Request{Type: checkUp, Start: monday(t), Name: "Piet"})
		require.NoError(t, err)
		contact, err := dbsqlc.New().ContactGet(t.Context(), f.Tx,
			&dbsqlc.ContactGetParams{AccountID: f.Account.ID, ID: *made.ContactID})
		require.NoError(t, err)
		require.Equal(t, "+31687654321", contact.PhoneNumber)
		require.Equal(t, "Piet", *contact.FullName)
		require.Equal(t, made.ID.String(), *contact.MeetingEventID)
		require.Equal(t, contact.ID, *f.Call(t, call.ID).ContactID)
	})
	t.Run("OfSomebodyAnonymous", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		_, err := f.Tx.Exec(t.Context(), "UPDATE call SET contact_id = NULL, contact_phone_number = 'anonymous' WHERE id = $1", call.ID)
		require.NoError(t, err)
		made, err := f.planner.Book(t.Context(), f.Inserter, call, &appointments.Request{Type: checkUp, Start: monday(t)})
		require.NoError(t, err)
		require.Nil(t, made.ContactID)
		require.Len(t, invitations(t, f), 1)
	})
	t.Run("TestCallsWriteToNobodyOutside", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		_, err := f.Tx.Exec(t.Context(), "UPDATE contact SET email = 'jan@example.com' WHERE id = $1", f.Contact.ID)
		require.NoError(t, err)
		call.Simulated = true
		_, err = f.planner.Book(t.Context(), f.Inserter, call, &appointments.Request{Type: checkUp, Start: monday(t)})
		require.NoError(t, err)
		require.NotContains(t, invitations(t, f), "jan@example.com")
		call.Simulated = false
		other := *call
		other.ID = f.QueuedCall(t).ID
		_, err = f.planner.Book(t.Context(), f.Inserter, &other, &appointments.Request{Type: checkUp, Start: monday(t)})
		require.NoError(t, err, "test calls take nobody's place")
	})
	t.Run("Refuses", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, diary := booking(t, f, &jsonb.Booking{CalendarICSURL: "https://example.com/a.ics", MinimumBookingHours: 3.5})
		diary.busy = []calendar.Interval{{Start: amsterdam(t, "2026-11-23 12:00"), End: amsterdam(t, "2026-11-23 13:00")}}
		for start, want := range map[string]appointments.Why{
			"2026-11-20 16:00": appointments.TooSoon, "2026-11-19 10:00": appointments.TooSoon, "2027-12-01 10:00": appointments.TooLate,
			"2026-11-22 10:00": appointments.Closed, "2026-11-23 16:30": appointments.Closed, "2026-11-23 11:30": appointments.Taken,
		} {
			_, err := f.planner.Book(t.Context(), f.Inserter, call, &appointments.Request{Type: checkUp, Start: amsterdam(t, start)})
			require.Equal(t, &appointments.RefusedError{want}, err, start)
		}
		diary.fail = fault.New(fault.Timeout, "calendar", "slow")
		_, err := f.planner.Book(t.Context(), f.Inserter, call,
			&appointments.Request{Type: checkUp, Start: amsterdam(t, "2026-11-23 14:00")})
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Timeout, kind)
		require.Empty(t, invitations(t, f))
		require.Nil(t, f.GetContact(t).MeetingDate)
	})
	t.Run("NotTooMany", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		for hour := range appointments.AppointmentsInCall {
			_, err := f.planner.Book(t.Context(), f.Inserter, call,
				&appointments.Request{Type: checkUp, Start: monday(t).Add(time.Duration(hour) * time.Hour)})
			require.NoError(t, err)
		}
		_, err := f.planner.Book(t.Context(), f.Inserter, call, &appointments.Request{Type: checkUp, Start: monday(t).AddDate(0, 0, 1)})
		require.ErrorIs(t, err, appointments.ErrTooMany)
	})
	t.Run("CalendarsStandApart", func(t *testing.T) {
		t.Parallel()
		f := &planned{Fixture: jobstest.New(t)}
		call, _ := booking(t, f, &jsonb.Booking{})
		book := func(config jsonb.Booking, assistant *dbsqlc.Assistant) error {
			next := *call
			next.ID, next.AssistantID, next.AssistantConfig = f.QueuedCall(t).ID, &assistant.ID, &jsonb.Assistant{Booking: &config}
			_, err := f.planner.Book(t.Context(), f.Inserter, &next, &appointments.Request{Type: checkUp, Start: monday(t)})
			return err
		}
		second, err := dbsqlc.New().AssistantInsert(t.Context(), f.Tx,
			&dbsqlc.AssistantInsertParams{ID: dbfactory.ID(t), AccountID: f.Account.ID, Name: "Ben"})
		require.NoError(t, err)
		taken := &appointments.RefusedError{appointments.Taken}
		require.NoError(t, book(jsonb.Booking{}, f.Assistant))
		require.Equal(t, taken, book(jsonb.Booking{}, f.Assistant))
		require.NoError(t, book(jsonb.Booking{}, second))
		require.NoError(t, book(jsonb.Booking{CalendarICSURL: "https://example.com/a.ics"}, f.Assistant))
		require.Equal(t, taken, book(jsonb.Booking{CalendarICSURL: "https://example.com/a.ics"}, second), "one calendar for both")
		require.NoError(t, book(jsonb.Booking{CalendarICSURL: "https://example.com/b.ics"}, second))
		other := &planned{Fixture: jobstest.NewIn(t, f.Tx)}
		theirs, _ := booking(t, other, &jsonb.Booking{CalendarICSURL: "https://example.com/a.ics"})
		free, err := other.planner.FreeTimes(t.Context(), theirs, checkUp, monday(t), 1)
		require.NoError(t, err)
		require.Len(t, free, 15, "what another account booked is not seen")
		_, err = other.planner.Book(t.Context(), other.Inserter, theirs, &appointments.Request{Type: checkUp, Start: monday(t)})
		require.NoError(t, err)
	})
}

// TestBookAtOnce lets many calls want the same hour at the same time.
func TestBookAtOnce(t *testing.T) {
	t.Parallel()
	committed, pool := jobstest.NewCommitted(t)
	f := &planned{Fixture: committed}
	call, _ := booking(t, f, &jsonb.Booking{})
	calls := make([]dbsqlc.Call, 8)
	for i := range calls {
		calls[i] = *call
		calls[i].ID = f.QueuedCall(t).ID
	}
	require.NoError(t, f.Tx.Commit(t.Context()))

	start, results := amsterdam(t, "2026-11-23 10:00"), make([]error, len(calls))
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() { // each overlaps each other
			_, results[i] = f.planner.Book(t.Context(), f.Inserter, &calls[i],
				&appointments.Request{Type: checkUp, Start: start.Add(time.Duration(i) * 7 * time.Minute)})
		})
	}
	wg.Wait()
	made := 0
	for _, err := range results {
		if err == nil {
			made++
		} else {
			require.Equal(t, &appointments.RefusedError{appointments.Taken}, err)
		}
	}
	require.Equal(t, 1, made)
	var rows, mails int
	require.NoError(t,
		pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM appointment), (SELECT count(*) FROM mail)").Scan(&rows, &mails))
	require.Equal(t, 1, rows)
	require.Equal(t, 1, mails)
}

func TestBookingZone(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"+31850000000": "Europe/Amsterdam", "+442071234567": "Europe/London", "+18005551234": "UTC", "sip:a@example.com": "UTC",
		"": "UTC",
	} {
		zone, err := appointments.Zone(&dbsqlc.Call{PhoneNumber: number, AssistantConfig: &jsonb.Assistant{Booking: &jsonb.Booking{}}})
		require.NoError(t, err)
		require.Equal(t, want, zone.String(), number)
	}
	zone, err := appointments.Zone(&dbsqlc.Call{PhoneNumber: "+31850000000",
		AssistantConfig: &jsonb.Assistant{Booking: &jsonb.Booking{Timezone: "America/New_York"}}})
	require.NoError(t, err)
	require.Equal(t, "America/New_York", zone.String())
}
