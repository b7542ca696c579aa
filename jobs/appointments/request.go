package appointments

import (
	"errors"
	"time"

	"github.com/callwright/callwright/db/jsonb"
)

// ErrTooMany means that a call has made as many as one call may.
var ErrTooMany = errors.New("a call makes at most 5 appointments")

// RefusedError is a time at which there can be no appointment.
type RefusedError struct{ Why Why }

// Error names the reason.
func (e *RefusedError) Error() string { return "appointment refused: " + string(e.Why) }

// Request is what a caller asks for.
type Request struct {
	Type  jsonb.AppointmentType
	Start time.Time
	Name  string // of the caller, as far as said
	Email string // as the caller spells it, for the company to read: nothing is mailed there
	Notes string
}
