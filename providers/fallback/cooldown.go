package fallback

import (
	"errors"
	"slices"
	"time"

	"github.com/callwright/callwright/providers/fault"
)

const (
	firstCooldown = 30 * time.Second // of a provider that failed
	maxCooldown   = 5 * time.Minute  // of one that has kept failing, or requests a longer one
	probeLimit    = 30 * time.Second // of a request that finds out whether it works; then another one does
)

// health is how a provider has fared: each failure behind a cooldown doubles the next one, and a success ends it. The zero value
// is one that works.
type health struct {
	until   time.Time     // before, it is tried last
	last    time.Duration // of the last cooldown; 0: it has not failed since it worked
	failed  time.Time     // when it did last
	probing bool          // a request is finding out whether it works
}

// order returns the indices of the providers, those in a cooldown last. Whoever asks for it asks the first of them: where that
// had failed before, this is its probe, and others are asked first meanwhile.
func (c *chain[P]) order() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	var ready, tired []int
	for i, h := range c.healths {
		if h.until.After(now) {
			tired = append(tired, i)
		} else {
			ready = append(ready, i)
		}
	}
	if len(ready) > 0 {
		if first := &c.healths[ready[0]]; first.last > 0 {
			first.probing, first.until = true, now.Add(probeLimit)
		}
	}
	return slices.Concat(ready, tired)
}

// failed reports whether the next provider may be tried after err of the i-th.
func (c *chain[P]) failed(i int, err error) bool {
	if !fault.Elsewhere(err) {
		return false
	}
	cooldown := c.cool(i, requestedBy(err))
	c.logger.Warn("provider failed", "provider", c.providers[i].Name(), "error", err, "cooldown", cooldown.Round(time.Second))
	return true
}

// cool gives the i-th provider a cooldown, at least as long as it requests, and returns what is left of it. Those who had asked
// before it began have failed with the one that began it, and make it no longer.
func (c *chain[P]) cool(i int, requested time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, now := &c.healths[i], time.Now()
	h.failed = now
	if h.probing || !h.until.After(now) {
		h.last = min(max(2*h.last, firstCooldown), maxCooldown)
		h.until, h.probing = now.Add(h.last), false
	}
	if until := now.Add(min(requested, maxCooldown)); until.After(h.until) {
		h.until = until
	}
	return h.until.Sub(now)
}

// works notes that the i-th provider has done what it was asked at a time. What began before it failed says nothing of now:
// streams may go on while no new one is accepted.
func (c *chain[P]) works(i int, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !asked.Before(c.healths[i].failed) {
		c.healths[i] = health{}
	}
}

// requestedBy returns the cooldown that a failed provider requests.
func requestedBy(err error) time.Duration {
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known.RetryAfter
	}
	return 0
}
