package events

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/queue"
)

// DeliveryChannel is where Postgres notifies that events are queued for delivery. It is a wake-up, which may be lost with the
// process that sends it; the rows are the truth.
const DeliveryChannel = "callwright_delivery"

const (
	deliveryPoll = time.Second // what a wake-up that got lost costs
	// From the beginning of a look at the queue to the next, while deliveries are under way: more events share one.
	lookCooldown = 5 * time.Millisecond
	lookMost     = 256 // events of an endpoint that one look takes
	heldMost     = 512 // events of an endpoint that are held; more wait in their rows
	// Events get their positions before they are committed: a look goes back so far behind the last position that it saw, and
	// now and then to the beginning.
	lookBack     = 200
	lookAllEvery = 250 * time.Millisecond
	claimIdle    = 10 * time.Second // after the last event of an endpoint, until others may claim it
	// For so long an event is sent as it was read when it was taken. After that, or where the process was paused meanwhile, it is
	// read anew: it may have been erased, or its endpoint changed.
	readFor = 500 * time.Millisecond
)

// DelivererConfig is what a Deliverer needs.
type DelivererConfig struct {
	DB        db.Beginner
	Worker    *DeliverEventWorker
	Jobs      queue.Inserter      // what is not delivered at once
	ProcessID string              // the owner of the endpoints that are claimed
	Permit    func() func() error // returns what reports whether what is claimed from now on is still this process's
	Places    int                 // deliveries at once
	Logger    *slog.Logger
}

// Deliverer sends what is queued for endpoints. The process claims an endpoint for as long as anything is due for it, so that
// nobody else sends its events, unless the process is dead; and it takes no more than it has places for, so that others claim
// the rest. It holds the events of its endpoints and knows which of them are under way: nothing is written before an attempt.
type Deliverer struct {
	cfg     DelivererConfig
	life    context.Context // of all attempts
	end     context.CancelFunc
	running sync.WaitGroup // attempts; Add only while not stopped
	look    chan struct{}  // something may be queued
	changed chan struct{}  // somebody is to be woken at another time

	released time.Time // when idle endpoints were given up; Run's

	mu      sync.Mutex
	stopped bool
	lanes   map[uuid.UUID]*lane
	inside  int               // attempts
	of      map[uuid.UUID]int // of them, by account
	missed  bool              // there were no places when the queue was to be looked at
	done    map[int64]bool    // positions that were settled since the last look began: it may have seen them before
}

// NewDeliverer returns a Deliverer. It delivers while Run runs; Stop must be called after use.
func NewDeliverer(cfg DelivererConfig) *Deliverer {
	d := &Deliverer{cfg: cfg, look: make(chan struct{}, 1), changed: make(chan struct{}, 1), lanes: map[uuid.UUID]*lane{},
		of: map[uuid.UUID]int{}}
	d.life, d.end = context.WithCancel(context.Background()) // attempts outlive Run
	return d
}

// Wake has the queue looked at.
func (d *Deliverer) Wake() { signal(d.look) }

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Run looks at the queue when it is woken, and now and then, until ctx ends.
func (d *Deliverer) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	poll := time.Now()
	for {
		woken := false
		select {
		case <-ctx.Done():
			return
		case <-d.look:
			woken = true
		case <-d.changed:
		case <-timer.C:
		}
		began := time.Now()
		if woken || !began.Before(poll) {
			poll = began.Add(deliveryPoll)
			if err := d.take(ctx); err != nil && ctx.Err() == nil {
				d.cfg.Logger.ErrorContext(ctx, "delivery queue not read", "error", err)
			}
		}
		next, busy := d.start()
		if busy && woken {
			pauseUntil(ctx, began.Add(lookCooldown))
		}
		if next.IsZero() || poll.Before(next) {
			next = poll
		}
		timer.Reset(time.Until(next))
	}
}

func pauseUntil(ctx context.Context, at time.Time) {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Stop begins no more attempts and returns when those under way are over. When ctx ends first they are given up: whoever
// claims their endpoints next sends these events.
func (d *Deliverer) Stop(ctx context.Context) {
	d.mu.Lock()
	d.stopped = true
	d.mu.Unlock()
	defer context.AfterFunc(ctx, d.end)()
	d.running.Wait()
	d.end()
}

// take claims endpoints, gives up those that are idle, and takes what is due.
func (d *Deliverer) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if now := time.Now(); now.Sub(d.released) >= deliveryPoll {
		d.released = now
		if err := d.release(ctx); err != nil {
			return err
		}
	}
	permit := d.cfg.Permit() // before the claims: they are good for as long as it is
	params := d.lookFor(time.Now())
	if params == nil {
		return nil
	}
	began := time.Now()
	rows, err := dbsqlc.New().DeliveryQueueTake(ctx, d.cfg.DB, params)
	if err != nil {
		return fmt.Errorf("take deliveries: %w", err)
	}
	read, err := readDeliveries(rows)
	d.hold(rows, read, began, permit)
	return err
}

// release gives up the endpoints for which nothing has been due for a while. Whoever writes an event for one at this moment
// wakes all; the look that follows finds it.
func (d *Deliverer) release(ctx context.Context) error {
	var idle []uuid.UUID
	d.mu.Lock()
	for id, lane := range d.lanes {
		if len(lane.held) == 0 && time.Since(lane.usedAt) > claimIdle {
			idle = append(idle, id)
			delete(d.lanes, id)
		}
	}
	d.mu.Unlock()
	if len(idle) == 0 {
		return nil
	}
	if err := dbsqlc.New().DeliveryClaimRelease(ctx, d.cfg.DB,
		&dbsqlc.DeliveryClaimReleaseParams{WorkerID: d.cfg.ProcessID, EndpointIds: idle}); err != nil {
		return fmt.Errorf("release endpoints: %w", err)
	}
	return nil
}

// lookFor returns what is to be asked of the queue, nil when there are no places for it.
func (d *Deliverer) lookFor(now time.Time) *dbsqlc.DeliveryQueueTakeParams {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.missed = d.inside >= d.cfg.Places; d.missed || d.stopped {
		return nil
	}
	d.done = map[int64]bool{}
	params := &dbsqlc.DeliveryQueueTakeParams{WorkerID: d.cfg.ProcessID, Most: lookMost, Room: []int32{limitInitial},
		Asked: callstate.Questions()}
	for id, lane := range d.lanes {
		behind := max(0, lane.seen-lookBack)
		switch {
		case len(lane.held) == 0: // from the beginning, as where nothing is known
			continue
		case len(lane.held) >= heldMost:
			behind = math.MaxInt64
		case now.Sub(lane.lookedAt) > lookAllEvery:
			behind, lane.lookedAt = 0, now
		}
		params.Known, params.Behind = append(params.Known, id), append(params.Behind, behind)
		params.Room = append(params.Room, int32(max(0, 2*d.cfg.Worker.limiters.limit(id)-len(lane.held))))
		params.Held = lane.appendHeld(params.Held, behind)
	}
	return params
}

// hold takes events that are not held yet. Some of them were read, at some time after began.
func (d *Deliverer) hold(rows []*dbsqlc.DeliveryQueueTakeRow, read map[int64]*delivery, began time.Time, permit func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	taken := map[uuid.UUID]int{}
	for _, row := range rows {
		at := d.lanes[row.EndpointID]
		if at == nil {
			at = &lane{id: row.EndpointID, account: row.AccountID, calls: map[uuid.UUID]bool{}, lookedAt: time.Now()}
			d.lanes[row.EndpointID] = at
		}
		i, known := slices.BinarySearchFunc(at.held, row.Position, func(event *heldEvent, position int64) int {
			return int(event.Position - position)
		})
		if !known && !d.done[row.Position] {
			at.held = slices.Insert(at.held, i, &heldEvent{DeliveryQueueTakeRow: row, read: read[row.Position], readAt: began,
				permit: permit})
		}
		at.seen, at.usedAt = max(at.seen, row.Position), time.Now()
		taken[row.EndpointID]++
		at.more = taken[row.EndpointID] == lookMost
	}
}

// start begins the attempts for which there are places, each endpoint's and the process's, and returns when the next of those
// that rest is due, zero: none, and whether any attempt is under way.
func (d *Deliverer) start() (next time.Time, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.startLanes(), d.inside > 0
}

func (d *Deliverer) startLanes() (next time.Time) {
	for _, lane := range d.lanes {
		if at := d.startLane(lane); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// startLane is start for one endpoint. The events of a call are under way one after the other.
func (d *Deliverer) startLane(lane *lane) (next time.Time) {
	now, limit := time.Now(), d.cfg.Worker.limiters.limit(lane.id)
	for _, event := range lane.held {
		if lane.inside >= limit || d.of[lane.account] >= accountMost || d.inside >= d.cfg.Places || d.stopped {
			break
		}
		switch {
		case event.underWay || lane.calls[event.CallID]:
		case event.notBefore.After(now):
			if next.IsZero() || event.notBefore.Before(next) {
				next = event.notBefore
			}
		default:
			d.begin(lane, event)
		}
	}
	return next
}

func (d *Deliverer) begin(lane *lane, event *heldEvent) {
	event.underWay = true
	lane.calls[event.CallID] = event.CallID != uuid.Nil
	lane.inside++
	d.inside++
	d.of[lane.account]++
	read := event.takeRead()
	d.running.Go(func() {
		from := origin{jobs: d.cfg.Jobs, queued: event.DeliveryQueueTakeRow, permit: event.permit}
		ended, err := d.deliver(event, read, from)
		d.finish(lane, event, ended, err)
	})
}

func (d *Deliverer) deliver(event *heldEvent, read *delivery, from origin) (ended, error) {
	if read == nil {
		return d.cfg.Worker.deliver(d.life, DeliverEventArgs{EventID: event.EventID, AccountID: event.AccountID}, from)
	}
	read.origin = from
	return d.cfg.Worker.pursue(d.life, read)
}

// finish ends what began: the event is settled, or comes again. One that failed for trouble of ours comes as late as a job would.
func (d *Deliverer) finish(lane *lane, event *heldEvent, how ended, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	event.underWay = false
	delete(lane.calls, event.CallID)
	lane.inside--
	full := d.inside == d.cfg.Places || d.of[lane.account] == accountMost
	d.inside--
	if d.of[lane.account]--; d.of[lane.account] == 0 {
		delete(d.of, lane.account)
	}
	lane.usedAt = time.Now()
	if err != nil && d.life.Err() == nil {
		d.cfg.Logger.Warn("event not delivered for trouble of ours", "event_id", event.EventID, "error", err)
		event.failures++
		how.again = time.Until(queue.RetryAt(lane.usedAt, event.failures))
	}
	if how.delivered {
		lane.lead(event)
	}
	if how.again > 0 && event.permit() == nil {
		event.notBefore = lane.usedAt.Add(how.again)
		signal(d.changed)
	} else {
		lane.forget(event)
		d.done[event.Position] = true
	}
	if full { // others may have waited for the place
		d.startLanes()
	} else {
		d.startLane(lane)
	}
	if d.missed || lane.more && len(lane.held) < lookMost/2 {
		d.missed, lane.more = false, false
		d.Wake()
	}
}
