package assistant

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/appointments"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/calendar"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/voice/turn"
)

// fullDiary is a company's calendar: busy on the mornings of one Monday, or away.
type fullDiary struct{ fail error }

func (d *fullDiary) Busy(context.Context, uuid.UUID, string, calendar.Interval, *time.Location) ([]calendar.Interval, error) {
	return []calendar.Interval{{Start: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC),
		End: time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC)}}, d.fail
}

// bookingTools returns the tools of a call on a Friday at one in Amsterdam, by name.
func bookingTools(t *testing.T, change func(*jsonb.Assistant)) (tx pgx.Tx, tools map[string]tool, diary *fullDiary) {
	t.Helper()
	tx, diary = dbtest.Tx(t), &fullDiary{}
	inserter, err := river.NewClient(riverpgxv5.New(nil), &river.Config{})
	require.NoError(t, err)
	account := dbfactory.Account(t, tx)
	assistant := dbfactory.LinkedAssistant(t, tx, account.ID)
	contact := dbfactory.Contact(t, tx, account.ID)
	call, err := calls.InsertDirect(t.Context(), tx, &calls.DirectCall{
		ID: uuid.Must(uuid.NewV7()), AccountID: account.ID, AssistantID: assistant.ID, ContactID: contact.ID,
		CustomData: json.RawMessage(`{}`),
	})
	require.NoError(t, err)
	call.AssistantConfig = &jsonb.Assistant{
		BookingMessage: "See you on {{appointment_date}} at {{appointment_time}} for your {{appointment_type}}.",
		Booking: &jsonb.Booking{
			Enabled: true, CalendarICSURL: "https://example.com/a.ics", Timezone: "Europe/Amsterdam", MinimumBookingHours: 24,
			AppointmentTypes: []jsonb.AppointmentType{{Name: "Check-up", Duration: 60, Description: "Yearly."},
				{Name: "Filling", Duration: 90}},
			OpeningHours: []jsonb.OpeningHours{{Days: []string{"mon", "tue"}, Start: "13:00", End: "16:00"}},
		},
	}
	if change != nil {
		change(call.AssistantConfig)
	}
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	maker := &Tools{Jobs: inserter, Planner: &appointments.Planner{DB: tx, Calendar: diary, Now: now}}
	tools = map[string]tool{}
	for _, tool := range maker.own(call) {
		require.True(t, json.Valid(tool.Parameters))
		tools[tool.Name] = tool
	}
	return tx, tools, diary
}

func TestBookingTools(t *testing.T) {
	t.Parallel()

	t.Run("OnlyWhenEnabled", func(t *testing.T) {
		t.Parallel()
		_, tools, _ := bookingTools(t, func(config *jsonb.Assistant) { config.Booking.Enabled = false })
		require.Empty(t, tools)
		_, tools, _ = bookingTools(t, func(config *jsonb.Assistant) { config.Booking = nil })
		require.Empty(t, tools)
	})
	t.Run("OffersWhatIsFree", func(t *testing.T) {
		t.Parallel()
		_, tools, diary := bookingTools(t, nil)
		check := tools["check_availability"]
		require.Contains(t, check.Description, "Today is Friday 2026-11-20, 13:00 (Europe/Amsterdam).")
		require.Contains(t, string(check.Parameters), `Check-up (60 minutes): Yearly.\nFilling (90 minutes)`)
		require.Equal(t, "Check-up, 60 minutes, times in Europe/Amsterdam. Free are:\nMonday 2026-11-23: 14:00 14:30 15:00\n"+
			"Tuesday 2026-11-24: 13:00 13:30 14:00 14:30 15:00\nMonday 2026-11-30: 13:00 13:30 14:00 14:30 15:00\nTuesday 2026-12-01: 13:00 13:30 14:00 14:30 15:00",
			check.run(t.Context(), `{"appointment_type": "check-up"}`).Content)
		require.Contains(t, check.run(t.Context(), `{"appointment_type": "Filling", "date": "2026-12-03"}`).Content,
			"Free are:\nMonday 2026-12-07: 13:00 13:30 14:00 14:30\n")
		require.Contains(t, check.run(t.Context(), `{"appointment_type": "Filling", "date": "2028-01-01"}`).Content,
			"Nothing is free in the 14 days from 2028-01-01 on.")
		diary.fail = fault.New(fault.Unavailable, "calendar", "away")
		result := check.run(t.Context(), `{"appointment_type": "Filling"}`)
		require.ErrorContains(t, result.Err, "away")
		require.Contains(t, result.Content, "cannot be reached now")
	})
	t.Run("Books", func(t *testing.T) {
		t.Parallel()
		tx, tools, _ := bookingTools(t, nil)
		book := tools["book_appointment"]
		result := book.run(t.Context(), `{"appointment_type": "Check-up", "start": "2026-11-23T14:30", "name": "Jan\nJansen"}`)
		require.NoError(t, result.Err)
		require.Equal(t, turn.Say{Content: "See you on Monday 23 November 2026 at 14:30 for your Check-up."}, result.Then)
		require.Contains(t, result.Content, "The appointment is made: Check-up on Monday 23 November 2026 at 14:30 (Europe/Amsterdam).")
		var starts time.Time
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT starts_at FROM appointment").Scan(&starts))
		require.True(t, starts.Equal(time.Date(2026, 11, 23, 13, 30, 0, 0, time.UTC)))

		for start, answer := range map[string]string{
			"2026-11-23T15:00": "not free any more", "2026-11-23T13:00": "not free any more", "2026-11-23T18:00": "not open",
			"2026-11-25T13:00:00Z": "not open",
			"2026-11-20T14:00":     "at the earliest 24 hours", "2028-11-20T14:00": "a year at most",
		} {
			result := book.run(t.Context(), `{"appointment_type": "Check-up", "start": "`+start+`"}`)
			require.Error(t, result.Err, start)
			require.Contains(t, result.Content, answer, start)
			require.Nil(t, result.Then)
		}
	})
	t.Run("OfTheContactOfTheCallAlone", func(t *testing.T) {
		t.Parallel()
		tx, tools, _ := bookingTools(t, nil)
		var accountID, contactID uuid.UUID
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT account_id, contact_id FROM call").Scan(&accountID, &contactID))
		other := dbfactory.Contact(t, tx, accountID, func(p *dbsqlc.Contact) { p.Email = new("other@example.com") })
		result := tools["book_appointment"].run(t.Context(),
			`{"appointment_type": "Check-up", "start": "2026-11-23T14:30", "contact_id": "`+other.ID.String()+
				`", "phone_number": "`+other.PhoneNumber+`", "email": "other@example.com"}`)
		require.NoError(t, result.Err)
		require.NotContains(t, result.Content, "Jan Jansen", "nobody's data is told")
		var booked uuid.UUID
		var mails int
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT contact_id, (SELECT count(*) FROM mail) FROM appointment").Scan(&booked,
			&mails))
		require.Equal(t, contactID, booked)
		require.Zero(t, mails, "no address is stored")
	})
	t.Run("UnderstandsNoNonsense", func(t *testing.T) {
		t.Parallel()
		tx, tools, _ := bookingTools(t, nil)
		for arguments, answer := range map[string]string{
			``: "Say which appointment_type", `[]`: "not a JSON object",
			`{"appointment_type": "Haircut", "start": "2026-11-23T15:00"}`:                "Check-up (60 minutes)",
			`{"appointment_type": "Filling", "start": "tomorrow"}`:                        "not YYYY-MM-DDTHH:MM",
			`{"appointment_type": "Filling", "start": "2026-11-23T14:00", "email": "at"}`: "not an e-mail address",
			`{"appointment_type": "Filling", "start": 5}`:                                 "not a JSON object",
		} {
			result := tools["book_appointment"].run(t.Context(), arguments)
			require.Error(t, result.Err, arguments)
			require.Contains(t, result.Content, answer, arguments)
		}
		require.Contains(t, tools["check_availability"].run(t.Context(), `{"appointment_type": "Filling", "date": "soon"}`).Content,
			"not YYYY-MM-DD")
		var rows int
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM appointment").Scan(&rows))
		require.Zero(t, rows)
	})
	t.Run("OneTypeNeedsNoName", func(t *testing.T) {
		t.Parallel()
		_, tools, _ := bookingTools(t,
			func(config *jsonb.Assistant) { config.Booking.AppointmentTypes, config.BookingMessage = nil, "" })
		result := tools["book_appointment"].run(t.Context(), `{"start": "2026-11-23T14:00:00+01:00"}`)
		require.NoError(t, result.Err)
		require.Contains(t, result.Content, "appointment on Monday 23 November 2026 at 14:00")
		require.Nil(t, result.Then)
	})
}
