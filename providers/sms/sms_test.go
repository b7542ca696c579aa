package sms_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/sms"
)

func TestNotTaken(t *testing.T) {
	t.Parallel()
	answered := func(status int) error {
		return fault.FromHTTP("carrier", &http.Response{StatusCode: status, Header: http.Header{}}, nil)
	}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"Busy":            {answered(http.StatusTooManyRequests), true},
		"NoService":       {answered(http.StatusServiceUnavailable), true},
		"OurAccount":      {answered(http.StatusUnauthorized), true},
		"NotReached":      {fault.FromNet("carrier", &net.OpError{Op: "dial", Err: errors.New("refused")}), true},
		"BrokeOff":        {fault.FromNet("carrier", &net.OpError{Op: "read", Err: errors.New("reset")}), false},
		"NoAnswer":        {fault.FromNet("carrier", context.DeadlineExceeded), false},
		"InternalError":   {answered(http.StatusInternalServerError), false},
		"BadGateway":      {answered(http.StatusBadGateway), false},
		"MessageRefused":  {answered(http.StatusBadRequest), false},
		"OurOwnShutdown":  {context.Canceled, false},
		"OffRefuses":      {func() error { _, err := sms.Off{}.Send(t.Context(), &sms.Message{}); return err }(), false},
		"NothingHappened": {nil, false},
	} {
		require.Equal(t, test.want, sms.NotTaken(test.err), name)
	}
}
