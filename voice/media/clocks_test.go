package media

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClocksLeaveTheProcessorsToAllElse(t *testing.T) {
	t.Parallel()
	for processors := 1; processors <= 256; processors++ {
		threads := Threads(processors)
		clocks := clocksFor(threads)
		require.Equal(t, processors, threads-clocks, "of %d", threads)
		require.Equal(t, max(1, processors/2), clocks)
	}
}
