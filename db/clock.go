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
	clockSlack = 50 * time.Millisecond
)

// Clock shows what the clock of Postgres shows, by which rows are written and all processes act: what it showed at the latest
// look, and the time since, by the monotonic clock. So it does not matter what the clock of this machine shows, nor that it
// jumps. Signatures and deadlines that others judge, or that are compared with rows, go by it. The zero Clock shows what that of
// the machine does.
type Clock struct {
	wall   func() time.Time // the machine's; nil: time.Now
	latest atomic.Pointer[look]
	apart  bool // the operator was told
}

// look is one at the clock of Postgres.
type look struct {
	shown time.Time
	at    time.Time // by the monotonic clock
}

// NewClock returns a Clock that is set.
func NewClock(ctx context.Context, on dbsqlc.DBTX, logger *slog.Logger) (*Clock, error) {
	c := &Clock{}
	return c, c.set(ctx, on, logger)
}

// Now returns what Postgres shows, as precisely as it answers soon.
func (c *Clock) Now() time.Time {
	return c.at(time.Now())
}

// at returns what Postgres shows when the monotonic clock shows now.
func (c *Clock) at(now time.Time) time.Time {
	latest := c.latest.Load()
	if latest == nil {
		return now
	}
	return latest.shown.Add(now.Sub(latest.at))
}

// Follow looks at the clock of Postgres again and again until ctx ends. While Postgres is away it goes on as it was.
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
	asked := time.Now()
	shown, err := dbsqlc.New().JobClock(ctx, on)
	if err != nil {
		return fmt.Errorf("read the clock of Postgres: %w", err)
	}
	took := time.Since(asked)
	// Where the look proves nothing else, the clock goes on: times that it shows are taken from one another.
	if latest := c.latest.Load(); latest == nil || c.at(asked.Add(took/2)).Sub(shown).Abs() > took/2+clockSlack {
		c.latest.Store(&look{shown, asked.Add(took / 2)})
	}
	c.compare(ctx, shown, took, logger)
	return nil
}

// compare tells the operator, once, when the clock of this machine is wrong: other things than ours go by it.
func (c *Clock) compare(ctx context.Context, shown time.Time, took time.Duration, logger *slog.Logger) {
	wall := time.Now
	if c.wall != nil {
		wall = c.wall
	}
	ahead := shown.Sub(wall())
	apart := ahead.Abs() > clockApart+took
	if apart && !c.apart {
		logger.WarnContext(ctx, "the clock of this machine and that of Postgres are apart: calls go by that of Postgres",
			"ahead", ahead.Round(time.Millisecond).String())
	}
	c.apart = apart
}
