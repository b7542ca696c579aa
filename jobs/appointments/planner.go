// Package appointments finds times for appointments and makes them: within the opening hours, not too soon, and not while
// something else is, with an invitation by mail. It knows rows and calendars; it must not know who asks.
package appointments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/jobs/queue"
	"github.com/callwright/callwright/providers/calendar"
)

const (
	bookableFor        = 365 * 24 * time.Hour // from now
	appointmentsInCall = 5
)

// Calendar reads when the calendars are busy that companies publish. *calendar.Reader is one.
type Calendar interface {
	Busy(ctx context.Context, accountID uuid.UUID, feedURL string, window calendar.Interval,
		local *time.Location) ([]calendar.Interval, error)
}

// Planner finds times for appointments and makes them.
type Planner struct {
	DB       db.Beginner
	Calendar Calendar
	Now      func() time.Time
}

// Zone returns the time zone of a call's company: the one configured, else that of its phone number's country or area,
// UTC where that has several.
func Zone(call *dbsqlc.Call) (*time.Location, error) {
	name := call.AssistantConfig.Booking.Timezone
	if name == "" {
		name = "UTC"
		if number, err := phonenumbers.Parse(call.PhoneNumber, ""); err == nil {
			if zones, err := phonenumbers.GetTimezonesForNumber(number); err == nil && len(zones) == 1 {
				name = zones[0]
			}
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("load time zone of bookings: %w", err)
	}
	return zone, nil
}

// FreeTimes returns the times at which an appointment of the kind can begin, from the local day of first on, in order and on
// the company's clock. Its assistant books; errors of the company's calendar are a *fault.Error.
func (p *Planner) FreeTimes(ctx context.Context, call *dbsqlc.Call, kind jsonb.AppointmentType, first time.Time,
	days int) ([]time.Time, error) {
	plan, err := p.bookingPlan(call, kind)
	if err != nil {
		return nil, err
	}
	window := plan.Days(first, days)
	busy, err := p.calendarBusy(ctx, call, window, plan.Zone)
	if err != nil {
		return nil, err
	}
	own, err := ownBusy(ctx, p.DB, call, window)
	if err != nil {
		return nil, err
	}
	busy = append(busy, own...)
	var free []time.Time
	for day := range days {
		free = append(free, plan.Free(window.Start.AddDate(0, 0, day), busy)...)
	}
	return free, nil
}

func (p *Planner) bookingPlan(call *dbsqlc.Call, kind jsonb.AppointmentType) (*Plan, error) {
	zone, err := Zone(call)
	if err != nil {
		return nil, err
	}
	config, now := call.AssistantConfig.Booking, p.Now()
	return &Plan{
		Hours: config.Hours(), Zone: zone, Length: time.Duration(kind.Duration) * time.Minute,
		Earliest: now.Add(time.Duration(config.MinimumBookingHours * float64(time.Hour))), Latest: now.Add(bookableFor),
	}, nil
}

// calendarBusy returns when the company's own calendar is busy.
func (p *Planner) calendarBusy(ctx context.Context, call *dbsqlc.Call, window calendar.Interval,
	zone *time.Location) ([]calendar.Interval, error) {
	feed := call.AssistantConfig.Booking.CalendarICSURL
	if feed == "" {
		return nil, nil
	}
	busy, err := p.Calendar.Busy(ctx, call.AccountID, feed, window, zone)
	if err != nil {
		return nil, fmt.Errorf("read calendar: %w", err)
	}
	return busy, nil
}

// ownBusy returns the appointments that were made here.
func ownBusy(ctx context.Context, tx dbsqlc.DBTX, call *dbsqlc.Call, window calendar.Interval) ([]calendar.Interval, error) {
	rows, err := dbsqlc.New().AppointmentListBetween(ctx, tx, &dbsqlc.AppointmentListBetweenParams{
		AccountID: call.AccountID, Calendar: calendarOf(call), Simulated: call.Simulated, Begins: window.Start, Ends: window.End,
	})
	if err != nil {
		return nil, fmt.Errorf("list appointments: %w", err)
	}
	busy := make([]calendar.Interval, len(rows))
	for i, row := range rows {
		busy[i] = calendar.Interval{Start: row.StartsAt, End: row.EndsAt}
	}
	return busy, nil
}

// calendarOf names the calendar that a call's appointments stand in: one for all assistants with the same feed, else one of
// the assistant's own, else of the number that was called.
func calendarOf(call *dbsqlc.Call) string {
	text := call.AssistantConfig.Booking.CalendarICSURL
	switch {
	case text != "":
	case call.AssistantID != nil:
		text = call.AssistantID.String()
	default: // it is none that is stored
		text = call.PhoneNumberID.String()
	}
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// Book makes an appointment in a call: the row, the contact's meeting and the invitations, in one transaction
// under the calendar's lock. What the call has made already is returned again and makes nothing. Errors are a
// *RefusedError, ErrTooMany, a *fault.Error of the company's calendar, or trouble of ours.
func (p *Planner) Book(ctx context.Context, in queue.Inserter, call *dbsqlc.Call, wanted *Request) (*dbsqlc.Appointment, error) {
	plan, err := p.bookingPlan(call, wanted.Type)
	if err != nil {
		return nil, err
	}
	taken := calendar.Interval{Start: wanted.Start, End: wanted.Start.Add(plan.Length)}
	busy, err := p.calendarBusy(ctx, call, taken, plan.Zone)
	if err != nil {
		return nil, err
	}
	return db.WithTx(ctx, p.DB, func(tx pgx.Tx) (*dbsqlc.Appointment, error) {
		queries := dbsqlc.New()
		if err := queries.AppointmentLockCalendar(ctx, tx, &dbsqlc.AppointmentLockCalendarParams{AccountID: call.AccountID,
			Calendar: calendarOf(call)}); err != nil {
			return nil, fmt.Errorf("lock calendar: %w", err)
		}
		made, err := queries.AppointmentListByCall(ctx, tx,
			&dbsqlc.AppointmentListByCallParams{AccountID: call.AccountID, CallID: call.ID})
		if err != nil {
			return nil, fmt.Errorf("list appointments of call: %w", err)
		}
		same := func(row *dbsqlc.Appointment) bool {
			return row.StartsAt.Equal(wanted.Start) && row.Type == wanted.Type.Name
		}
		if i := slices.IndexFunc(made, same); i >= 0 {
			return made[i], nil
		}
		if len(made) >= appointmentsInCall {
			return nil, ErrTooMany
		}
		own, err := ownBusy(ctx, tx, call, taken)
		if err != nil {
			return nil, err
		}
		if why := plan.Refuse(wanted.Start, append(own, busy...)); why != "" {
			return nil, &RefusedError{why}
		}
		return makeAppointment(ctx, tx, in, call, wanted, plan)
	})
}

func makeAppointment(ctx context.Context, tx pgx.Tx, in queue.Inserter, call *dbsqlc.Call, wanted *Request,
	plan *Plan) (*dbsqlc.Appointment, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make appointment id: %w", err)
	}
	contact, err := meetContact(ctx, tx, call, wanted, id)
	if err != nil {
		return nil, err
	}
	params := &dbsqlc.AppointmentInsertParams{
		ID: id, AccountID: call.AccountID, AssistantID: call.AssistantID, CallID: call.ID, Calendar: calendarOf(call),
		Simulated: call.Simulated,
		Type:      wanted.Type.Name, StartsAt: wanted.Start, EndsAt: wanted.Start.Add(plan.Length),
	}
	if contact != nil {
		params.ContactID = &contact.ID
	}
	made, err := dbsqlc.New().AppointmentInsert(ctx, tx, params)
	if err != nil {
		return nil, fmt.Errorf("insert appointment: %w", err)
	}
	if err := invite(ctx, tx, in, call, made, contact, wanted, plan.Zone); err != nil {
		return nil, err
	}
	return made, nil
}

// meetContact writes the meeting to the call's contact, which it makes where the caller has a number and none. Nil: there is
// nobody to write it to.
func meetContact(ctx context.Context, tx pgx.Tx, call *dbsqlc.Call, wanted *Request,
	appointmentID uuid.UUID) (*dbsqlc.Contact, error) {
	queries := dbsqlc.New()
	current, err := queries.CallLock(ctx, tx, &dbsqlc.CallLockParams{AccountID: call.AccountID, ID: call.ID})
	if err != nil {
		return nil, fmt.Errorf("lock call: %w", err)
	}
	contactID := current.ContactID
	if contactID == nil {
		if !isNumber(current.ContactPhoneNumber) { // somebody anonymous
			return nil, nil
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("make contact id: %w", err)
		}
		contact, err := queries.ContactEnsure(ctx, tx, &dbsqlc.ContactEnsureParams{ID: id, AccountID: call.AccountID,
			PhoneNumber: current.ContactPhoneNumber})
		if err != nil {
			return nil, fmt.Errorf("insert contact: %w", err)
		}
		contactID = &contact.ID
		err = queries.CallSetContact(ctx, tx, &dbsqlc.CallSetContactParams{AccountID: call.AccountID, ID: call.ID,
			ContactID: contactID})
		if err != nil {
			return nil, fmt.Errorf("set contact of call: %w", err)
		}
	}
	contact, err := queries.ContactSetMeeting(ctx, tx, &dbsqlc.ContactSetMeetingParams{
		AccountID: call.AccountID, ID: *contactID, MeetingDate: &wanted.Start, MeetingEventID: new(appointmentID.String()),
		FullName: db.NonEmpty(db.Storable(wanted.Name)),
	})
	if errors.Is(err, pgx.ErrNoRows) { // deleted meanwhile
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("set meeting of contact: %w", err)
	}
	return contact, nil
}

func isNumber(text string) bool {
	_, err := phonenumbers.Parse(text, "")
	return err == nil
}
