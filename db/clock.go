package db

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	clockEvery = 30 * time.Second // between two looks at what the clock of Postgres shows
	clockApart = 2 * time.Second  // what an operator is told of
)

// Clock shows what the clock of Postgres shows, by which rows are written and all processes act, on a machine whose own clock may
// be wrong. Signatures and deadlines that others judge, or that are compared with rows, go by it. The zero Clock shows what that of
// the machine does.
type Clock struct {
	here  func() time.Time // the machine's; nil: time.Now
	ahead atomic.Int64     // ns that Postgres shows more
	apart bool             // the operator was told
}

// NewClock returns a Clock that is set.
func NewClock(ctx context.Context, on dbsqlc.DBTX, logger *slog.Logger) (*Clock, error) {
	c := &Clock{}
	return c, c.set(ctx, on, logger)
}

// Now returns what Postgres shows. Two times are as far apart as the monotonic clock says, unless it was set in between.
func (c *Clock) Now() time.Time { return c.machine().Add(time.Duration(c.ahead.Load())) }

func (c *Clock) machine() time.Time {
	if c.here == nil {
		return time.Now()
	}
	return c.here()
}

// Follow sets the clock again and again until ctx ends: that of a machine may jump. While Postgres is away it goes on as it was.
func (c *Clock) Follow(ctx context.Context, on dbsqlc.DBTX, logger *slog.Logger) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = c.set(ctx, on, logger) // whoever needs Postgres more says that it is away
		}
	}
}

func (c *Clock) set(ctx context.Context, on dbsqlc.DBTX, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, clockEvery)
	defer cancel()
	asked := c.machine()
	there, err := dbsqlc.New().JobClock(ctx, on)
	if err != nil {
		return fmt.Errorf("read the clock of Postgres: %w", err)
	}
	took := c.machine().Sub(asked)
	ahead := there.Sub(asked) - took/2
	if ahead.Abs() > clockApart+took && !c.apart {
		logger.WarnContext(ctx, "the clock of this machine and that of Postgres are apart: calls go by that of Postgres",
			"ahead", ahead.Round(time.Millisecond).String())
	}
	c.apart = ahead.Abs() > clockApart+took
	c.ahead.Store(int64(ahead))
	return nil
}
