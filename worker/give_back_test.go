package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/callstate"
)

// TestNotDialed tells what ends a call that could not be dialed from what gives it back.
func TestNotDialed(t *testing.T) {
	t.Parallel()

	noHandles := &net.OpError{Op: "listen", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	for name, err := range map[string]error{
		"TooManyClients": errors.Join(errNoDatabase, &pgconn.PgError{Code: "53300"}),
		"NoFileHandle":   fmt.Errorf("dial: open media port: %w", noHandles),
		"PortsTaken":     fmt.Errorf("open media port: 10000 to 10003 are all taken: %w", syscall.EADDRINUSE),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, given := notDialed(t.Context(), err)
			require.ErrorIs(t, given, err)
			require.NotEmpty(t, explainGiveBack(given))
		})
	}
	ending, err := notDialed(t.Context(), errNoTrunk)
	require.NoError(t, err)
	require.Equal(t, callstate.FaultConfig, ending.Fault, "its owner can mend it")
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errEndedByCommand)
	ending, err = notDialed(stopped, errNoDatabase)
	require.NoError(t, err)
	require.Equal(t, callstate.ReasonManuallyCanceled, ending.Reason, "nobody wants it dialed any more")
}
