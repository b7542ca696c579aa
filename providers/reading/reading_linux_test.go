package reading_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/reading"
)

// priority is nice's value of the process.
func priority() ([]byte, error) {
	kernels, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	return []byte(strconv.Itoa(20 - kernels)), err
}

func TestPriority(t *testing.T) {
	t.Parallel()
	read, err := process(t, reading.TimeLimit).Read(t.Context(), []byte("priority"))
	require.NoError(t, err)
	require.Equal(t, "10", string(read))
}

// TestManyFilesAtOnce sees how many processes there are while many files want one. It runs alone: other tests have theirs.
func TestManyFilesAtOnce(t *testing.T) { //nolint:paralleltest // it counts the processes of all
	many, reader := 3*reading.AtOnce(), process(t, 300*time.Millisecond)
	var reads sync.WaitGroup
	errs := make([]error, many)
	for i := range many {
		reads.Go(func() { _, errs[i] = reader.Read(t.Context(), []byte("loop")) })
	}
	done := make(chan struct{})
	go func() {
		reads.Wait()
		close(done)
	}()
	most, tick := 0, time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
			most = max(most, children(t))
		}
	}
	require.LessOrEqual(t, most, reading.AtOnce())
	require.Positive(t, most)
	for _, err := range errs {
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Refused, kind, "each had its time: %v", err)
	}
}

// children counts the processes that this one has started and that run.
func children(t *testing.T) (count int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, list := range lists {
		if text, err := os.ReadFile(list); err == nil { // else the thread is gone
			count += len(strings.Fields(string(text)))
		}
	}
	return count
}
