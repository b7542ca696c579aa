package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/callwright/callwright/api/apierror"
)

// ISOTime is a time in a body, as its sender wrote it; readTime reads it. ISO 8601 allows more than RFC 3339: no seconds, offsets
// without a colon, no offset.
type ISOTime string

// Schema implements huma.SchemaProvider. The format is for clients, which send RFC 3339; Huma would refuse the rest for it.
func (ISOTime) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, MinLength: new(len("2006-01-02")), MaxLength: new(64),
		Description: "A time of RFC 3339, or in another form of ISO 8601; without an offset it is UTC.",
		Extensions:  map[string]any{"format": "date-time"},
	}
}

// isoTimes are the layouts of ISO 8601 that are taken, without the fractions of a second, which time.Parse reads in any of them.
var isoTimes = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04Z07", "2006-01-02T15:04",
}

// readTime reads a time; without an offset it is UTC, and a date alone is the start of its day. It adds what is wrong to wrong.
func readTime(wrong *apierror.Error, field string, text ISOTime) time.Time {
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil {
		return day
	}
	return readMoment(wrong, field, text)
}

// readMoment is readTime where a day alone does not say when.
func readMoment(wrong *apierror.Error, field string, text ISOTime) time.Time {
	for _, layout := range isoTimes {
		if at, err := time.Parse(layout, string(text)); err == nil {
			checkTime(wrong, field, &at)
			return at
		}
	}
	if _, err := time.Parse(time.DateOnly, string(text)); err == nil {
		wrong.With(field, "is a day without a time")
	} else {
		wrong.With(field, "is not a time of ISO 8601, such as 2026-12-01T10:00:00+01:00")
	}
	return time.Time{}
}

// readOptionalTime is readTime for a field that may be absent or null.
func readOptionalTime(wrong *apierror.Error, field string, given Opt[ISOTime]) *time.Time {
	text := given.value()
	if text == nil {
		return nil
	}
	return new(readTime(wrong, field, *text))
}
