package api

import (
	"errors"
	"net/mail"
	"time"

	"github.com/google/uuid"
	"github.com/nyaruka/phonenumbers"

	"github.com/callwright/callwright/api/apierror"
)

// newID makes the id of a record. Its only way to fail is a broken random source, after which nothing is safe to do.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// parseNumber reads a phone number with its country code and answers it in E.164.
func parseNumber(text string) (string, error) {
	number, err := phonenumbers.Parse(text, "")
	if err != nil || number.GetExtension() != "" || !phonenumbers.IsPossibleNumber(number) {
		return "", errors.New("is not a phone number in E.164, such as +31612345678")
	}
	return phonenumbers.Format(number, phonenumbers.E164), nil
}

// requireNumber is parseNumber for a field; what is wrong with it is added to wrong.
func requireNumber(wrong *apierror.Error, field, text string) string {
	number, err := parseNumber(text)
	if err != nil {
		wrong.With(field, err.Error())
	}
	return number
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
