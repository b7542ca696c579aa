package sip

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// Register keeps an account registered until ctx ends or the user agent begins to close, and takes the registration
// back then. It blocks until that is done. Failures are reported through Status and tried again, after 1 s at first and
// ever longer pauses, up to LongestPause; only what can never work is returned at once. Whoever knows that trying again is in
// vain ends ctx.
func (ua *UA) Register(ctx context.Context, r Registration) error {
	if err := r.complete(); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b := newBinding(ua, r)
	if err := ua.bind(&b.registered); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	defer ua.unbind(&b.registered)
	defer context.AfterFunc(ua.registering, cancel)()
	b.keep(ctx)
	err := b.remove()
	b.report(RegistrationStatus{State: Unregistered, Err: err})
	if err != nil {
		return fmt.Errorf("unregister: %w", err)
	}
	return nil
}

// keep registers again and again until ctx ends.
func (b *binding) keep(ctx context.Context) {
	pause := b.Pause // after the latest failure
	for ctx.Err() == nil {
		if b.status.State != Registered { // a refresh is no news
			b.report(RegistrationStatus{State: Registering})
		}
		if b.Admit != nil {
			b.Admit(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		lasts, err := b.register(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			refused := refusalOf(err)
			pause = nextPause(pause, b.LongestPause, refused)
			b.report(RegistrationStatus{State: Failed, Code: refused.Code, Reason: refused.Reason, Err: err, RetryIn: pause})
			wait(ctx, pause+rand.N(pause/10)) // not all accounts at the same moment
		default:
			pause = 0
			b.report(RegistrationStatus{State: Registered, Until: time.Now().Add(lasts), Public: b.address()})
			b.stay(ctx, lasts*8/10)
		}
	}
}

// stay keeps the way to us open until it is time to refresh. It returns early when that way is lost.
func (b *binding) stay(ctx context.Context, refresh time.Duration) {
	due := time.Now().Add(refresh)
	for {
		left := time.Until(due)
		if b.KeepAlive == 0 || left <= b.KeepAlive {
			wait(ctx, left)
			return
		}
		wait(ctx, b.KeepAlive)
		if ctx.Err() != nil {
			return
		}
		if err := b.keepAlive(ctx); err != nil {
			b.ua.log.Info("registrar is out of reach, registering anew", "registrar", b.Registrar, "error", err)
			return
		}
	}
}

// wait returns when the time is over or ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// nextPause returns how long to wait after a failure. It doubles from failure to failure, and is long at once where trying
// sooner would only lock the account.
func nextPause(previous, longest time.Duration, refused *Refused) time.Duration {
	pause := max(2*previous, firstRetry)
	switch refused.Code {
	case siplib.StatusUnauthorized, siplib.StatusForbidden, siplib.StatusProxyAuthRequired:
		pause = max(pause, refusedRetry)
	}
	return min(max(pause, refused.RetryAfter), longest)
}

// refusalOf returns the answer behind an error, or the one that stands for none (RFC 3261 section 8.1.3.1).
func refusalOf(err error) *Refused {
	var refused *Refused
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, siplib.ErrTransactionTimeout), errors.Is(err, context.DeadlineExceeded):
		return &Refused{Code: siplib.StatusRequestTimeout, Reason: "No Answer"}
	}
	return &Refused{Code: siplib.StatusServiceUnavailable, Reason: "Transport Error"}
}

func (b *binding) report(status RegistrationStatus) {
	b.status = status
	if b.Status != nil {
		b.Status(status)
	}
}
