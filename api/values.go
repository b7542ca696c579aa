package api

import (
	"errors"
	"net/mail"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/api/apierror"
)

// newID returns the id of a new row. It panics if there is no random source, after which nothing is safe to do.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// parseNumber parses a phone number with its country code, in any spelling, and returns it in E.164.
func parseNumber(text string) (string, error) {
	number, err := phonenumbers.Parse(text, "")
	if err != nil || number.GetExtension() != "" || !phonenumbers.IsPossibleNumber(number) {
		return "", errors.New("is not a phone number in E.164, such as +31612345678")
	}
	return phonenumbers.Format(number, phonenumbers.E164), nil
}

// numberInQuery is parseNumber for a query, where a plus sign that was not encoded arrives as a space.
func numberInQuery(text string) (string, error) {
	if rest, found := strings.CutPrefix(text, " "); found && !strings.HasPrefix(rest, "+") {
		text = "+" + rest
	}
	return parseNumber(text)
}

// requireNumber is parseNumber for a field; it adds what is wrong to wrong.
func requireNumber(wrong *apierror.Error, field, text string) string {
	number, err := parseNumber(text)
	if err != nil {
		wrong.With(field, err.Error())
	}
	return number
}

// checkTime refuses times that RFC 3339 can write with an offset but not in UTC. A nil time is valid.
func checkTime(wrong *apierror.Error, field string, t *time.Time) {
	if t != nil && (t.UTC().Year() < 1 || t.UTC().Year() > 9999) {
		wrong.With(field, "is not between the years 1 and 9999 in UTC")
	}
}

func validEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}

func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}
