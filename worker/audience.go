package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/turn"
)

// errNoWeb is what a listener is told whose call is held by a process that browsers cannot reach.
var errNoWeb = errors.New("the worker that holds the call takes no browsers: it needs --web-listen")

// audience is who listens in on a call that this process holds: members of its account, with browsers. What they may do stands in their
// rows, which the inbox reads. It implements voice.Journal, to learn when the assistant has fallen silent for one of them.
type audience struct {
	voice.Journal
	phone    *Phone
	call     *dbsqlc.Call
	leg      leg // the caller's
	session  *voice.Session
	commands chan<- turn.Command
	answered time.Time
	used     func(served.Family, served.By) // what recognises the listeners
	logger   *slog.Logger
	monitor  bridge.Monitor
	ctx      context.Context // ends with the conversation
	end      context.CancelFunc

	mu        sync.Mutex
	listeners map[uuid.UUID]*attendee
	closed    bool
	running   sync.WaitGroup // listeners; Add only while not closed
}

// newAudience lets others listen in on the session, which is about to run on leg. It must be closed.
func (p *Phone) newAudience(ctx context.Context, call *dbsqlc.Call, leg leg, session *voice.Session, used func(served.Family, served.By), logger *slog.Logger) *audience {
	a := &audience{
		Journal: session.Journal, phone: p, call: call, leg: leg, session: session, answered: time.Now(), used: used, logger: logger,
		listeners: map[uuid.UUID]*attendee{},
	}
	a.ctx, a.end = context.WithCancel(context.WithoutCancel(ctx)) // a call outlives its context by a goodbye
	record := session.Record
	session.Journal = a
	session.Record = func(far, near []int16) {
		record(far, near)
		a.monitor.Frame(far, near)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.calls[call.ID]
	held.audience, a.commands = a, held.commands
	return a
}

// close sends everybody away and waits until they are gone. Their rows end with the call's.
func (a *audience) close() {
	a.phone.mu.Lock()
	if held := a.phone.calls[a.call.ID]; held != nil && held.audience == a {
		held.audience = nil
	}
	a.phone.mu.Unlock()
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.end()
	a.running.Wait()
}

// Note implements voice.Journal. The commands of listeners have no rows.
func (a *audience) Note(note voice.Note) {
	if note.Kind == voice.CommandDone || note.Kind == voice.CommandFailed {
		a.mu.Lock()
		for _, l := range a.listeners {
			if l.command == note.Command {
				l.verdicts <- note.Err
				a.mu.Unlock()
				return
			}
		}
		a.mu.Unlock()
	}
	a.Journal.Note(note)
}

// listen reads who listens in on the calls of this process, and what they may do.
func (p *Phone) listen(ctx context.Context, conn dbsqlc.DBTX) error {
	p.mu.Lock()
	var held []*audience
	for _, call := range p.calls {
		if call.audience != nil {
			held = append(held, call.audience)
		}
	}
	p.mu.Unlock()
	if len(held) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, receiveLimit)
	defer cancel()
	rows, err := calls.ListListeners(ctx, conn, p.processID)
	if err != nil {
		return err
	}
	byCall := map[uuid.UUID][]*dbsqlc.CallListener{}
	for _, row := range rows {
		byCall[row.CallID] = append(byCall[row.CallID], row)
	}
	for _, a := range held {
		a.update(byCall[a.call.ID])
	}
	return nil
}

// update takes who has come, changes what the others may do, and sends away who has no live row any more.
func (a *audience) update(rows []*dbsqlc.CallListener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	live := map[uuid.UUID]bool{}
	for _, row := range rows {
		live[row.ID] = true
		l := a.listeners[row.ID]
		switch {
		case l != nil:
			l.want(row.Mode)
		case a.closed:
		case row.Status == callstate.ListenerAsked && !calls.ListenerExpired(row, time.Now()):
			a.take(row)
		default: // of a commit that was not heard of, or of an API process that died
			a.running.Go(func() { a.forget(row.ID) })
		}
	}
	for id, l := range a.listeners {
		if !live[id] {
			l.leave()
		}
	}
}

// take has a listener come. The caller holds the lock.
func (a *audience) take(row *dbsqlc.CallListener) {
	l := &attendee{
		audience: a, id: row.ID, command: uuid.NewString(), logger: a.logger.With("listener_id", row.ID),
		modes: make(chan string, 1), verdicts: make(chan error, 1), words: make(chan words, wordsAhead),
	}
	l.ctx, l.leave = context.WithCancel(a.ctx)
	l.want(row.Mode)
	a.listeners[row.ID] = l
	a.running.Go(func() {
		defer l.leave()
		l.run(row.Offer)
		a.mu.Lock()
		delete(a.listeners, row.ID)
		a.mu.Unlock()
	})
}

// forget records that somebody has left. When that cannot be written, the row is found at the next look, or ends with the call's.
func (a *audience) forget(id uuid.UUID) {
	ctx, cancel := context.WithTimeout(a.ctx, receiveLimit)
	defer cancel()
	err := db.InTx(ctx, a.phone.pool, func(tx pgx.Tx) error { return calls.EndListener(ctx, tx, a.call.AccountID, a.call.ID, id) })
	if err != nil && !errors.Is(err, pgx.ErrNoRows) && a.ctx.Err() == nil {
		a.logger.WarnContext(ctx, "end of a listener not recorded yet", "listener_id", id, "error", err)
	}
}

// tell sends a command to the conversation; false: that is over.
func (a *audience) tell(command turn.Command) bool {
	select {
	case a.commands <- command:
		return true
	case <-a.ctx.Done():
		return false
	}
}
