package lease

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbsqlc"
)

func TestWatchSeesANeighbourDie(t *testing.T) {
	t.Parallel()
	own := held(&clock{at: time.Hour})
	var err error
	if own.host, err = thisHost(); err != nil || own.host == (Host{}) {
		t.Skip("the system does not tell which process this is:", err)
	}
	neighbour := exec.CommandContext(t.Context(), "sleep", "60")
	require.NoError(t, neighbour.Start())
	started, ended, err := stat(int32(neighbour.Process.Pid))
	require.NoError(t, err)
	require.False(t, ended)
	row := &dbsqlc.ProcessLeaseListRow{
		ProcessID: "neighbour", BootID: own.host.BootID, PIDNamespace: own.host.PIDNamespace, PID: int32(neighbour.Process.Pid),
		PIDStarted: started,
	}
	w := NewWatch(own)
	require.Empty(t, deaths(w, row))
	elsewhere, reused := *row, *row
	elsewhere.BootID, reused.PIDStarted = "another", started+1
	require.Equal(t, []string{"neighbour"}, deaths(w, &reused), "its id is another's now")

	require.NoError(t, neighbour.Process.Kill())
	require.Eventually(t, func() bool { return len(deaths(w, row)) == 1 }, 10*time.Second, time.Millisecond, "a zombie is dead")
	require.Error(t, neighbour.Wait())
	require.Equal(t, []string{"neighbour"}, deaths(w, row))
	own.duty = duty{beside: row}
	found, err := w.Find(t.Context(), nil) // who judges nobody needs no database for it
	require.NoError(t, err)
	require.Equal(t, []*dbsqlc.ProcessLeaseListRow{row}, found)
	own.duty = duty{beside: &dbsqlc.ProcessLeaseListRow{ProcessID: "test", PID: int32(os.Getpid()), PIDStarted: own.host.Started}}
	found, err = w.Find(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, found)
	require.Empty(t, deaths(w, &elsewhere), "who knows")
	require.False(t, gone(Host{PID: int32(os.Getpid()), Started: own.host.Started}))
}
