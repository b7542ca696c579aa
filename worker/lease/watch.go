package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
)

// Watch finds out which processes are dead, by what one process sees of the leases of all. It is used by one goroutine.
type Watch struct {
	own  *Lease
	seen map[string]sighting
}

// sighting is when a lease was first seen as it is.
type sighting struct {
	renewals int64
	at       time.Duration
}

// NewWatch returns a Watch of the process that holds own.
func NewWatch(own *Lease) *Watch { return &Watch{own: own, seen: map[string]sighting{}} }

// duty is what a process looks after.
type duty struct {
	judges bool                        // it looks at the leases of all
	beside *dbsqlc.ProcessLeaseListRow // the lease before its own on its host; nil: it is alone there
}

func dutyOf(renewed *dbsqlc.ProcessLeaseRenewRow) duty {
	if renewed.Beside == "" {
		return duty{judges: renewed.Judges}
	}
	return duty{renewed.Judges, &dbsqlc.ProcessLeaseListRow{
		ProcessID: renewed.Beside, PID: renewed.PID, PIDStarted: renewed.PIDStarted, Renewals: renewed.Renewals,
	}}
}

// able reports whether this process is fit to judge: it looked, and did what followed, not long ago.
func (l *Lease) able() bool {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	return now-l.looked <= lookLimit
}

func (l *Lease) onDuty() duty {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.duty
}

// Find returns the leases of dead processes that it is this one's to find. Whoever begins to judge waits for Patience first, as
// after an outage.
func (w *Watch) Find(ctx context.Context, tx dbsqlc.DBTX) ([]*dbsqlc.ProcessLeaseListRow, error) {
	duty := w.own.onDuty()
	if !duty.judges {
		w.seen = nil
		return w.besideGone(duty), nil
	}
	leases, err := dbsqlc.New().ProcessLeaseList(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("list process leases: %w", err)
	}
	return w.Dead(leases), nil
}

// Looked notes that a look succeeded, with all that followed from it.
func (w *Watch) Looked() {
	now := w.own.now()
	w.own.mu.Lock()
	defer w.own.mu.Unlock()
	w.own.looked = now
}

// besideGone returns the lease beside our own when the kernel knows its process no more.
func (w *Watch) besideGone(duty duty) []*dbsqlc.ProcessLeaseListRow {
	if _, held := w.own.Held(); !held || duty.beside == nil {
		return nil
	}
	there := w.own.host
	there.PID, there.Started = duty.beside.PID, duty.beside.PIDStarted
	if !w.own.host.knowsGone(there) {
		return nil
	}
	return []*dbsqlc.ProcessLeaseListRow{duty.beside}
}

// Dead returns which of the leases, as they were just read, belong to dead processes. A process is dead when its lease stood
// still for Patience while our own was held without interruption: after an outage everybody gets that long again. One of our
// own host is dead as soon as the kernel knows it no more, and one without a lease was found dead before.
func (w *Watch) Dead(leases []*dbsqlc.ProcessLeaseListRow) []*dbsqlc.ProcessLeaseListRow {
	since, held := w.own.Held()
	now := w.own.Now()
	seen := make(map[string]sighting, len(leases))
	var dead []*dbsqlc.ProcessLeaseListRow
	for _, lease := range leases {
		if lease.ProcessID == w.own.processID {
			continue
		}
		last, known := w.seen[lease.ProcessID]
		if !known || last.renewals != lease.Renewals {
			last = sighting{lease.Renewals, now}
		}
		seen[lease.ProcessID] = last
		still := now-max(last.at, since) >= Patience
		host := Host{lease.BootID, lease.PIDNamespace, lease.PID, lease.PIDStarted}
		if held && (lease.Renewals < 0 || still || w.own.host.knowsGone(host)) {
			dead = append(dead, lease)
		}
	}
	w.seen = seen
	return dead
}
