package served

import (
	"context"
	"errors"
	"fmt"

	"github.com/callwright/callwright/providers/fault"
)

// Happened is what became of a request that was not served.
type Happened string

// What happens to requests.
const (
	TimedOut    Happened = "timeout"     // nothing came in time
	Stalled     Happened = "stalled"     // something came, and then nothing for too long
	Unavailable Happened = "unavailable" // the vendor could not be reached, or is down or overrun
	BrokeOff    Happened = "broke"       // something came, and then the connection ended
	Refused     Happened = "refused"     // the vendor does not take the request as it is
	Denied      Happened = "denied"      // nor our credentials
	Skipped     Happened = "skipped"     // it was not asked, because it had failed shortly before
)

// Failure is a vendor that did not serve a request.
type Failure struct {
	Vendor   string
	Happened Happened
	Message  string // of the vendor, or what it owed; may be empty
	StandIn  string // who served in its place, where that is known already
}

// failureKey is that of the report of failures in a context.
type failureKey struct{}

// ReportFailures returns a context with which requests are made whose failures are to be known, as Report does for those that
// were served. A failure is reported before whoever stands in serves, unless it names the stand-in.
func ReportFailures(ctx context.Context, report func(Family, Failure)) context.Context {
	return context.WithValue(ctx, failureKey{}, report)
}

// Fail reports that a vendor did not serve a request with ctx.
func Fail(ctx context.Context, family Family, failure Failure) {
	if report, ok := ctx.Value(failureKey{}).(func(Family, Failure)); ok {
		report(family, failure)
	}
}

// FailureOf returns the failure that err, which is or wraps a fault, means for a vendor. begun reports whether something had
// come.
func FailureOf(vendor string, begun bool, err error) Failure {
	failure := Failure{Vendor: vendor, Happened: Unavailable}
	if outrun, ok := errors.AsType[*outrun](err); ok {
		failure.StandIn = outrun.by
	}
	known, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return failure
	}
	failure.Message = known.Message
	if known.StatusCode != 0 {
		failure.Message = fmt.Sprintf("status %d: %s", known.StatusCode, known.Message)
	}
	switch {
	case known.Kind == fault.Timeout && begun:
		failure.Happened = Stalled
	case known.Kind == fault.Timeout:
		failure.Happened = TimedOut
	case known.Kind == fault.Unavailable && begun && known.StatusCode == 0:
		failure.Happened = BrokeOff
	case known.Kind == fault.Refused:
		failure.Happened = Refused
	case known.Kind == fault.Denied:
		failure.Happened = Denied
	}
	return failure
}

// outrun is the fault of a vendor that another one was faster than.
type outrun struct {
	error
	by string
}

func (o *outrun) Unwrap() error { return o.error }

// Outrun returns the fault err of a vendor in whose place another one has served already.
func Outrun(err error, by string) error { return &outrun{err, by} }
