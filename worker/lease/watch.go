package lease

import (
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
