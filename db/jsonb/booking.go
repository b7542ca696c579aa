package jsonb

import (
	"slices"
	"strings"
	"time"
)

// Booking is how an assistant makes appointments.
type Booking struct {
	Enabled             bool              `json:"enabled" required:"false" default:"false" doc:"Lets the assistant offer free times and make appointments."`
	CalendarICSURL      string            `json:"calendar_ics_url,omitempty" maxLength:"2048" doc:"Feed of the company's calendar (iCalendar, https, http or webcal). What is busy there is not offered. Without it only appointments made here count."`
	MinimumBookingHours float64           `json:"minimum_booking_hours" required:"false" minimum:"0" maximum:"8760" default:"0" doc:"Hours between now and the earliest appointment."`
	AppointmentTypes    []AppointmentType `json:"appointment_types,omitempty" maxItems:"20" doc:"What can be booked; without any, appointments of 30 minutes."`
	OpeningHours        []OpeningHours    `json:"opening_hours,omitempty" maxItems:"50" doc:"When appointments may be; without any, Monday to Friday from 09:00 to 17:00."`
	Timezone            string            `json:"timezone,omitempty" maxLength:"64" example:"Europe/Amsterdam" doc:"IANA time zone of the opening hours; without one, that of the country of the assistant's phone number, UTC where it has several."`
}

// AppointmentType is one kind of appointment.
type AppointmentType struct {
	Name        string `json:"name" minLength:"1" maxLength:"200"`
	Duration    int    `json:"duration" minimum:"5" maximum:"1440" doc:"Minutes."`
	Description string `json:"description,omitempty" maxLength:"2000" doc:"Tells the assistant when this type is meant."`
}

// OpeningHours are hours of some days of the week.
type OpeningHours struct {
	Days  []string `json:"days" minItems:"1" maxItems:"7" enum:"mon,tue,wed,thu,fri,sat,sun"`
	Start string   `json:"start" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"HH:MM."`
	End   string   `json:"end" pattern:"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" doc:"HH:MM, exclusive; after the start."`
}

// Hours are the opening hours, or the usual ones.
func (b *Booking) Hours() []OpeningHours {
	if len(b.OpeningHours) > 0 {
		return b.OpeningHours
	}
	return []OpeningHours{{Days: []string{"mon", "tue", "wed", "thu", "fri"}, Start: "09:00", End: "17:00"}}
}

// Types are what can be booked.
func (b *Booking) Types() []AppointmentType {
	if len(b.AppointmentTypes) > 0 {
		return b.AppointmentTypes
	}
	return []AppointmentType{{Name: "appointment", Duration: 30}}
}

// On is when these hours are on a day, in the day's location; open is false on other days.
func (h *OpeningHours) On(day time.Time) (start, end time.Time, open bool) {
	if !slices.Contains(h.Days, strings.ToLower(day.Weekday().String()[:3])) {
		return start, end, false
	}
	first, errFirst := minuteOfDay(h.Start)
	last, errLast := minuteOfDay(h.End)
	// Built from the wall clock, not by adding hours to midnight: a day may have 23 or 25 of them.
	at := func(minute int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), 0, minute, 0, 0, day.Location())
	}
	return at(first), at(last), errFirst == nil && errLast == nil
}
