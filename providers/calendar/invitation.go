package calendar

import (
	"strings"
	"time"
	"unicode"

	ics "github.com/arran4/golang-ical"
)

// InvitationType is the media type of an invitation.
const InvitationType = "text/calendar; charset=utf-8; method=REQUEST"

// Invitation invites a person to an appointment, in the format that mail programs put into calendars (RFC 5546).
type Invitation struct {
	UID         string // the same in every copy
	Start, End  time.Time
	Stamp       time.Time // when it was made
	Summary     string
	Description string
	Organizer   string // mail address; an attendee too
	Attendee    string // mail address; empty: there is no other attendee
}

// Text returns the invitation as a file.
func (i *Invitation) Text() []byte {
	calendar := ics.NewCalendarFor("Callwright")
	calendar.SetMethod(ics.MethodRequest)
	event := calendar.AddEvent(i.UID)
	event.SetDtStampTime(i.Stamp)
	event.SetStartAt(i.Start)
	event.SetEndAt(i.End)
	event.SetSummary(printable(i.Summary))
	if i.Description != "" {
		event.SetDescription(printable(i.Description))
	}
	event.SetStatus(ics.ObjectStatusConfirmed)
	event.SetSequence(0)
	event.SetTimeTransparency(ics.TransparencyOpaque)
	event.SetOrganizer("mailto:" + i.Organizer)
	event.AddAttendee("mailto:"+i.Organizer, ics.CalendarUserTypeIndividual, ics.ParticipationStatusAccepted,
		ics.ParticipationRoleReqParticipant)
	if i.Attendee != "" {
		event.AddAttendee("mailto:"+i.Attendee, ics.CalendarUserTypeIndividual, ics.ParticipationStatusNeedsAction,
			ics.ParticipationRoleReqParticipant, ics.WithRSVP(true))
	}
	return []byte(calendar.Serialize(ics.WithNewLineWindows))
}

// printable removes control characters but line feeds, as the format requires.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}
