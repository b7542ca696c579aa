package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/voice"
)

const (
	ledgerRetryMin = 50 * time.Millisecond
	ledgerRetryMax = 2 * time.Second
	ledgerTimeout  = 10 * time.Second // of one transaction
	// What waits of one call while Postgres is away, beside what is being written: a minute of lively talk makes about 100
	// live events and 30 others. Live events are left out first, then turns, tools and outcomes of commands. How the call
	// moves and ends is kept whatever waits.
	mostLiveEventsWaiting = 1000
	mostEntriesWaiting    = 4000
	// How often something is tried that Postgres refuses, other than for being away. Then the call goes on without it.
	refusedTries = 5
	// How long a process that is told to stop still tries to record the end of a call while Postgres is away. After
	// that its death is what ends the call.
	ledgerLastTry = 10 * time.Second
)

// journal writes what happens in a call, in order, each thing in a transaction with its event and its jobs, which what
// happens in other calls at the same time may share.
// The call never waits for it: entries queue, and while Postgres is away they are tried until it is back. Their times are
// those at which they happened. It implements voice.Journal.
type journal struct {
	phone    *Phone
	ctx      context.Context // of the call; ends at a hard stop
	callID   uuid.UUID
	account  uuid.UUID
	call     *dbsqlc.Call // as last written; the run goroutine's
	owned    bool         // as far as is known; the run goroutine's
	logger   *slog.Logger
	disowned func() // called once when the row turns out to be somebody else's
	turns    int32  // so far; the call's goroutine alone counts
	tools    int32  // tool calls so far, likewise

	picked time.Time // when the call was answered; the call's goroutine alone uses it
	tally  *tally    // of who serves the call

	subscribed []string // types of events that are asked for; the run goroutine's, nil until it is read

	mu      sync.Mutex
	entries []entry
	writing bool // run is
	done    chan struct{}
	rang    bool
	dropped int // entries, because too many waited
}

// entry is one thing to write. It answers the call as it is then.
type entry struct {
	write    func(ctx context.Context, tx pgx.Tx) (*dbsqlc.Call, error)
	progress *calls.Progress // in place of write
	turn     *calls.Turn     // likewise
	moment   *events.Live    // likewise; dropped where nobody asked for it
	end      *calls.Ending   // the last entry, in place of write
}

// moves reports whether the entry is about the call's state.
func (e *entry) moves() bool { return e.progress != nil || e.end != nil }

func newJournal(ctx context.Context, phone *Phone, call *dbsqlc.Call, logger *slog.Logger, disowned func()) *journal {
	return &journal{
		phone: phone, ctx: ctx, callID: call.ID, account: call.AccountID, call: call, logger: logger, disowned: disowned,
		owned: true, done: make(chan struct{}), tally: &tally{},
	}
}

func (l *journal) ringing() {
	l.mu.Lock()
	first := !l.rang
	l.rang = true
	l.mu.Unlock()
	if !first { // a carrier may send many
		return
	}
	l.add(entry{progress: &calls.Progress{CallID: l.callID, Status: callstate.StatusRinging, At: time.Now()}})
}

func (l *journal) answered(dialog any) {
	l.picked = time.Now()
	l.add(entry{progress: &calls.Progress{CallID: l.callID, Status: callstate.StatusInProgress, Dialog: dialog, At: l.picked}})
}

// Turn implements voice.Journal.
func (l *journal) Turn(turn voice.Turn) {
	timing := timingOf(turn.Timing)
	countTurn(timing)
	traceTurn(l.ctx, l.picked, timing)
	speaker := ""
	if turn.Operator {
		speaker = calls.SpeakerOperator
	}
	l.add(entry{turn: &calls.Turn{
		Position: l.turns, Role: turn.Role, Speaker: speaker, Text: db.Storable(turn.Text), SecondsFromStart: turn.At.Seconds(),
		Interrupted: turn.Interrupted,
		Timing:      timing, Usage: l.tally.growth(),
	}})
	l.turns++
}

// whileOurs is an entry that changes nothing about the call's row. It is written only while the call is ours: another
// process may have taken this one for dead, ended the call and reported it.
func (l *journal) whileOurs(write func(ctx context.Context, tx pgx.Tx) error) entry {
	return entry{write: func(ctx context.Context, tx pgx.Tx) (*dbsqlc.Call, error) {
		if err := calls.Hold(ctx, tx, l.callID, l.phone.processID); err != nil {
			return nil, err
		}
		return l.call, write(ctx, tx)
	}}
}

// Note implements voice.Journal.
func (l *journal) Note(note voice.Note) {
	level := slog.LevelDebug
	if note.Err != nil {
		level = slog.LevelWarn
	}
	l.logger.Log(l.ctx, level, "call note", "note", note.Kind, "at_ms", note.At.Milliseconds(), "error", note.Err)
	if moment, told := liveEventOf(note, int(l.turns)); told {
		l.add(entry{moment: &moment})
	}
	switch note.Kind {
	case voice.CommandDone, voice.CommandFailed:
		l.commandFinished(note)
	case voice.ToolCalled:
		l.toolCalled(note)
	case voice.TransferStarted:
		l.forwarding(note.Text)
	case voice.TransferFinished:
		if note.Err != nil {
			l.forwarding("")
		}
	}
}

func (l *journal) toolCalled(note voice.Note) {
	used := calls.ToolCall{
		Position: l.tools, ID: note.Tool.Call.ID, Name: note.Tool.Call.Name, Arguments: cmp.Or(note.Tool.Call.Arguments, "{}"),
		Result:           note.Tool.Answer,
		SecondsFromStart: note.At.Seconds(), Duration: note.Tool.Took,
	}
	if note.Err != nil {
		used.Result, used.Error = "", note.Err.Error()
	}
	l.tools++
	l.add(l.whileOurs(func(ctx context.Context, tx pgx.Tx) error { return calls.AddToolCall(ctx, tx, l.call, used) }))
}

func (l *journal) commandFinished(note voice.Note) {
	id, err := uuid.Parse(note.Command)
	if err != nil {
		l.logger.Error("a command was finished that nobody gave", "command", note.Command)
		return
	}
	failure := ""
	if note.Err != nil {
		failure = note.Err.Error()
	}
	l.add(l.whileOurs(func(ctx context.Context, tx pgx.Tx) error {
		_, err := calls.FinishCommand(ctx, tx, l.call, id, failure)
		return err
	}))
}

// forwarding: to nobody, when a transfer failed.
func (l *journal) forwarding(target string) {
	at := time.Now()
	l.add(entry{write: func(ctx context.Context, tx pgx.Tx) (*dbsqlc.Call, error) {
		return calls.Forward(ctx, tx, l.callID, l.phone.processID, target, at)
	}})
}

// end records the end and returns when everything is written.
func (l *journal) end(ending calls.Ending) {
	ending.At, ending.Usage = time.Now(), l.tally.usage()
	l.add(entry{end: &ending})
	<-l.done
	if ending.RecordingKey != "" && l.call.RecordingKey == nil {
		l.phone.keepLateRecording(context.WithoutCancel(l.ctx), l.call)
	}
}

func (l *journal) add(e entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := len(l.entries)
	if e.moment != nil && waiting >= mostLiveEventsWaiting || !e.moves() && waiting >= mostEntriesWaiting {
		l.dropped++
		return
	}
	l.entries = append(l.entries, e)
	if !l.writing {
		l.writing = true
		go l.run()
	}
}

// run writes what there is. It lives while there is something: most of the time nothing happens in a call.
func (l *journal) run() {
	for entries := l.take(); entries != nil; entries = l.take() {
		for _, e := range entries {
			if l.owned && !l.write(e) {
				l.owned = false
				l.disowned()
			}
			if e.end != nil {
				l.owned = false // what is told behind the end has no call to belong to
				l.logDropped()
				close(l.done)
			}
		}
	}
}

// take answers what is to be written. Where that is nothing, the next entry needs another run.
func (l *journal) take() []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.entries
	l.entries, l.writing = nil, taken != nil
	return taken
}

func (l *journal) logDropped() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped > 0 {
		l.logger.Error("not all of the call is recorded: too much waited for the database", "dropped", l.dropped)
	}
}

// write tries until the entry is written. It returns false when it never will be: the call is no longer ours, or the
// process stops while Postgres is away.
func (l *journal) write(e entry) bool {
	started, refused := time.Now(), 0
	for wait := ledgerRetryMin; ; wait = min(2*wait, ledgerRetryMax) {
		call, err := l.commit(e)
		if errors.Is(err, calls.ErrConflict) {
			call, err = l.reread(e)
		}
		if err != nil && !db.Unavailable(err) && !errors.Is(err, context.DeadlineExceeded) {
			refused++
		}
		switch {
		case err == nil:
			l.follow(call)
			return true
		case errors.Is(err, errDisowned):
			return false
		case l.ctx.Err() != nil && time.Since(started) > ledgerLastTry:
			l.logger.Error("call not recorded before the process stops; it will be ended as lost", "error", err)
			return false
		case refused == refusedTries && !e.moves():
			l.logger.Error("part of the call not recorded", "error", err)
			return true
		case wait == ledgerRetryMin: // once, however often it is tried
			l.logger.Warn("call not recorded, trying again", "error", err)
		}
		time.Sleep(wait)
	}
}

// follow takes the call as it was just written. Its assistant, which is most of a row and does not change, is kept once for all
// who hold a row of the call.
func (l *journal) follow(call *dbsqlc.Call) {
	if call != l.call && reflect.DeepEqual(call.AssistantConfig, l.call.AssistantConfig) {
		call.AssistantConfig = l.call.AssistantConfig
	}
	l.call = call
}

func (l *journal) commit(e entry) (*dbsqlc.Call, error) {
	ctx := context.WithoutCancel(l.ctx) // the outcome counts, also of what is written as the call ends
	switch {
	case e.end != nil:
		return wasMoved(l.phone.ends.Do(ctx, &callEnd{l.callID, *e.end}))
	case e.progress != nil:
		return wasMoved(l.phone.progress.Do(ctx, e.progress))
	}
	limited, cancel := context.WithTimeout(ctx, ledgerTimeout)
	defer cancel()
	if e.turn != nil {
		e.turn.Call, e.turn.Unasked = l.call, !l.wants(limited, callstate.EventTranscript)
		return l.held(l.phone.turns.Do(ctx, e.turn))
	}
	if e.moment == nil {
		return db.WithTx(limited, l.phone.pool, func(tx pgx.Tx) (*dbsqlc.Call, error) { return e.write(limited, tx) })
	}
	if !l.wants(limited, e.moment.Type) {
		return l.call, nil
	}
	e.moment.Call = l.call
	return l.held(l.phone.liveEvents.Do(ctx, e.moment))
}

// wasMoved is the outcome of what moves the call.
func wasMoved(call *dbsqlc.Call, err error) (*dbsqlc.Call, error) {
	if err == nil && call == nil {
		err = calls.ErrConflict
	}
	return call, err
}

// held is the outcome of what is written only while the call is ours.
func (l *journal) held(ours bool, err error) (*dbsqlc.Call, error) {
	if err == nil && !ours {
		err = calls.ErrConflict
	}
	return l.call, err
}

// reread tells a move that was made before, by a commit whose outcome never reached us, from a call that is somebody
// else's now.
func (l *journal) reread(e entry) (*dbsqlc.Call, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), ledgerTimeout)
	defer cancel()
	call, err := dbsqlc.New().CallGet(ctx, l.phone.pool, &dbsqlc.CallGetParams{AccountID: l.account, ID: l.callID})
	switch {
	case errors.Is(err, pgx.ErrNoRows): // ended, and deleted since
		return nil, errDisowned
	case err != nil:
		return nil, fmt.Errorf("read call again: %w", err)
	case call.EndedAt == nil && db.TextOf(call.WorkerID) == l.phone.processID, e.end != nil:
		return call, calls.LoadConfigurations(ctx, l.phone.pool, call)
	}
	return nil, errDisowned
}
