package voice

import (
	"context"
	"sync"
)

// lentLeg is one that a session gives back where it would hang up.
type lentLeg struct {
	Leg
	back chan struct{}
	once sync.Once
}

// Lend returns a leg for a session to talk on that ends with the session and not with the call: to speak to a colleague, say,
// before the caller does.
func Lend(leg Leg) Leg { return &lentLeg{Leg: leg, back: make(chan struct{})} }

// Hangup implements Leg.
func (l *lentLeg) Hangup(context.Context) error {
	l.once.Do(func() { close(l.back) })
	return nil
}

// Done implements Leg.
func (l *lentLeg) Done() <-chan struct{} { return l.back }
