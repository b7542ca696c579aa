// Package doctor says whether a deployment can do its work, and what to do where it cannot: each check makes a real request to
// what the settings name, and none of them changes anything, sends anything to a person or costs more than a fraction of a cent.
//
// It knows what is worth a look and what each answer means for calls. It must not know flags or how a report is printed.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Status is how a check ended.
type Status string

// The statuses: a deployment with a Fail does not do its work, one with a Warn does it badly, or not all of it.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Finding is what a check found.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"` // what to do; empty where all is well
}

// Check is one look at one thing.
type Check struct {
	Name string
	Run  func(ctx context.Context) Finding
}

// limit is how long one check may take.
const limit = 20 * time.Second

// atOnce is how many checks run at a time: more would measure each other.
const atOnce = 6

// Run makes the checks and returns what they found, in their order.
func Run(ctx context.Context, checks []Check) []Finding {
	findings := make([]Finding, len(checks))
	var running errgroup.Group
	running.SetLimit(atOnce)
	for i, check := range checks {
		running.Go(func() error {
			limited, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			findings[i] = check.Run(limited)
			findings[i].Check = check.Name
			return nil
		})
	}
	_ = running.Wait() // no check returns an error
	return findings
}

// Failed reports whether a check failed.
func Failed(findings []Finding) bool {
	for _, finding := range findings {
		if finding.Status == Fail {
			return true
		}
	}
	return false
}

// Broken is the check of something that could not even be made of its settings.
func Broken(name, remedy string, err error) Check {
	return Check{name, func(context.Context) Finding { return fail(remedy, "%v", err) }}
}

// Lacking is the finding of something that was not chosen, and that calls do badly without.
func Lacking(name, remedy, says string) Check {
	return Check{name, func(context.Context) Finding { return warn(remedy, "%s", says) }}
}

func ok(format string, args ...any) Finding {
	return Finding{Status: OK, Found: fmt.Sprintf(format, args...)}
}

func warn(remedy, format string, args ...any) Finding {
	return Finding{Status: Warn, Found: fmt.Sprintf(format, args...), Remedy: remedy}
}

func fail(remedy, format string, args ...any) Finding {
	return Finding{Status: Fail, Found: fmt.Sprintf(format, args...), Remedy: remedy}
}

// once shares what several checks look at.
func once[T any](get func(ctx context.Context) (T, error)) func(ctx context.Context) (T, error) {
	var done sync.Once
	var value T
	var err error
	return func(ctx context.Context) (T, error) {
		done.Do(func() { value, err = get(ctx) })
		return value, err
	}
}

// millis is a duration as it is read.
func millis(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}
