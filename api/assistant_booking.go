package api

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/jsonb"
)

// checkBooking checks what the schema of a booking does not express.
func checkBooking(wrong *apierror.Error, booking *jsonb.Booking) {
	if booking.CalendarICSURL != "" && !validFeedURL(booking.CalendarICSURL) {
		wrong.With("booking.calendar_ics_url", "is not an absolute https, http or webcal URL")
	}
	names := map[string]bool{}
	for i, kind := range booking.AppointmentTypes {
		name := strings.ToLower(strings.TrimSpace(kind.Name))
		if name == "" {
			wrong.With(fmt.Sprintf("booking.appointment_types[%d].name", i), "is empty")
		} else if names[name] {
			wrong.With(fmt.Sprintf("booking.appointment_types[%d].name", i), "is another type's too")
		}
		names[name] = true
	}
	for i, hours := range booking.OpeningHours {
		if hours.End <= hours.Start { // both are HH:MM
			wrong.With(fmt.Sprintf("booking.opening_hours[%d].end", i), "is not after the start")
		}
	}
	// Local is the server's zone and "" is UTC: a customer means neither.
	if zone := booking.Timezone; zone != "" {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
			wrong.With("booking.timezone", "is not an IANA time zone, such as Europe/Amsterdam")
		}
	}
}

// validFeedURL reports whether text is a URL as calendars publish it; webcal means https.
func validFeedURL(text string) bool {
	feed, err := url.Parse(text)
	if err != nil || feed.Host == "" || feed.User != nil {
		return false
	}
	return feed.Scheme == "https" || feed.Scheme == "http" || feed.Scheme == "webcal"
}
