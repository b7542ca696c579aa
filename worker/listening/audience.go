// Package listening has members of an account listen in on a live call with their browsers, whisper to its assistant, and speak
// to its caller in the assistant's place.
//
// It knows the rows of listeners, their browsers, and the session of the call. It must not know where the process keeps its
// calls, how they come about, nor what carries them.
package listening

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/bridge"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/voice/webrtc"
)

// limit bounds each statement, and the answer to a browser.
const limit = 5 * time.Second

// errNoWeb is what a listener is told whose call is held by a process that browsers cannot reach.
var errNoWeb = errors.New("the worker that holds the call takes no browsers: it needs --web-listen")

// Host is the process that holds the calls.
type Host struct {
	ProcessID string
	Pool      *pgxpool.Pool
	Web       *webrtc.Server   // nil: browsers cannot reach it
	Now       func() time.Time // by the clock of Postgres
}

// Call is one that others may listen to.
type Call struct {
	Row      *dbsqlc.Call
	Session  *voice.Session                 // with its leg
	Commands chan<- turn.Command            // that the session reads
	Used     func(served.Family, served.By) // is told what recognises the listeners
	Logger   *slog.Logger
}

// Audience is who listens in on a call: members of its account, with browsers. What they may do stands in their rows. It
// implements voice.Journal, to learn when the assistant has fallen silent for one of them.
type Audience struct {
	voice.Journal
	host     *Host
	call     *Call
	answered time.Time
	monitor  bridge.Monitor
	ctx      context.Context // ends with the conversation
	end      context.CancelFunc

	mu        sync.Mutex
	listeners map[uuid.UUID]*attendee
	closed    bool
	running   sync.WaitGroup // listeners; Add only while not closed
}

// Open lets others listen in on a call whose session is about to run. The Audience must be closed.
func Open(ctx context.Context, host *Host, call *Call) *Audience {
	a := &Audience{Journal: call.Session.Journal, host: host, call: call, answered: time.Now(), listeners: map[uuid.UUID]*attendee{}}
	a.ctx, a.end = context.WithCancel(context.WithoutCancel(ctx)) // a call outlives its context by a goodbye
	call.Session.Operator = voice.NewOperatorLeg(call.Session.Leg)
	record := call.Session.Record
	call.Session.Journal = a
	call.Session.Record = func(far, near []int16) {
		record(far, near)
		a.monitor.Frame(far, near)
	}
	return a
}

// Close sends everybody away and waits until they are gone. Their rows end with the call's.
func (a *Audience) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.end()
	a.running.Wait()
}

// Note implements voice.Journal. The commands of listeners have no rows.
func (a *Audience) Note(note voice.Note) {
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

// Update takes the live rows of the call's listeners: it takes who has come, changes what the others may do, and sends away who
// has no live row any more.
func (a *Audience) Update(rows []*dbsqlc.CallListener) {
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
		case row.Status == callstate.ListenerAsked && !calls.ListenerExpired(row, a.host.Now()):
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
func (a *Audience) take(row *dbsqlc.CallListener) {
	l := &attendee{
		Audience: a, id: row.ID, command: uuid.NewString(), logger: a.call.Logger.With("listener_id", row.ID),
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
func (a *Audience) forget(id uuid.UUID) {
	ctx, cancel := context.WithTimeout(a.ctx, limit)
	defer cancel()
	err := db.InTx(ctx, a.host.Pool, func(tx pgx.Tx) error {
		return calls.ListenerLeft(ctx, tx, a.call.Row.AccountID, a.call.Row.ID, id)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) && a.ctx.Err() == nil {
		a.call.Logger.WarnContext(ctx, "end of a listener not recorded yet", "listener_id", id, "error", err)
	}
}

// tell sends a command to the conversation; false: that is over.
func (a *Audience) tell(command turn.Command) bool {
	select {
	case a.call.Commands <- command:
		return true
	case <-a.ctx.Done():
		return false
	}
}
