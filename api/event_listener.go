package api

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
)

// OwnConns is how many connections to Postgres an API process holds besides its pool: that of its EventListener.
const OwnConns = 1

const (
	streamsPerKey = 5 // in each process
	listenRetry   = time.Second
	listenPing    = 30 * time.Second
	pollEvery     = time.Second // where nobody can listen
)

// EventListener wakes the streams of this process when their accounts have new events. One connection listens for all
// of them; what it misses while it reconnects, the streams find when it is back, and by their own periodic checks.
type EventListener struct {
	connect *pgx.ConnConfig
	logger  *slog.Logger
	closed  chan struct{}

	mu      sync.Mutex
	readers map[uuid.UUID]map[*eventReader]struct{} // by account
	perKey  map[uuid.UUID]int
	answers map[uuid.UUID]chan struct{} // who waits for the answer to a web call
}

// eventReader is one stream.
type eventReader struct {
	who  middleware.Caller
	call *uuid.UUID    // whose turns it wants, too; nil: no call's
	wake chan struct{} // has one token while there may be new events
}

// NewEventListener returns a listener; Run runs it. connect is the pool's configuration.
func NewEventListener(connect *pgx.ConnConfig, logger *slog.Logger) *EventListener {
	return &EventListener{
		connect: connect, logger: logger, closed: make(chan struct{}),
		readers: map[uuid.UUID]map[*eventReader]struct{}{}, perKey: map[uuid.UUID]int{}, answers: map[uuid.UUID]chan struct{}{},
	}
}

// Run listens until ctx is done, and then ends all streams. It must be called once.
func (l *EventListener) Run(ctx context.Context) {
	defer close(l.closed)
	for ctx.Err() == nil {
		if err := l.listen(ctx); err != nil && ctx.Err() == nil {
			l.logger.WarnContext(ctx, "not listening for events, trying again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(listenRetry):
			}
		}
	}
}

// listen returns when its connection is lost or ctx is done.
func (l *EventListener) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, l.connect.Copy())
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // the connection is lost anyway
	}()
	switch pooled, err := db.BehindPooler(ctx, conn); {
	case err != nil:
		return err
	case pooled:
		l.poll(ctx)
		return nil
	}
	if _, err := conn.Exec(ctx,
		"LISTEN "+events.Channel+"; LISTEN "+calls.WebAnswerChannel+"; LISTEN "+calls.TurnChannel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	l.wakeAll()
	for {
		waiting, cancel := context.WithTimeout(ctx, listenPing)
		notification, err := conn.WaitForNotification(waiting)
		expired := waiting.Err() != nil
		cancel()
		switch {
		case err == nil && notification.Channel == calls.WebAnswerChannel:
			l.answered(notification.Payload)
		case err == nil && notification.Channel == calls.TurnChannel:
			l.wakeWatching(notification.Payload)
		case err == nil:
			l.wake(notification.Payload)
		case ctx.Err() != nil || !expired:
			return fmt.Errorf("wait for notification: %w", err)
		default: // nothing came: check the connection
			if err := conn.Ping(ctx); err != nil {
				return fmt.Errorf("ping: %w", err)
			}
		}
	}
}

// poll takes the place of notifications, which a connection pooler does not pass on, until ctx is done.
func (l *EventListener) poll(ctx context.Context) {
	l.logger.InfoContext(ctx, "the database is behind a connection pooler, which passes no notifications on: "+
		"event streams look for new events by themselves", "every", pollEvery)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.wakeAll()
		}
	}
}

// wake wakes the streams of accounts, whose ids are separated by commas.
func (l *EventListener) wake(accounts string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for text := range strings.SplitSeq(accounts, ",") {
		if account, err := uuid.Parse(text); err == nil {
			for reader := range l.readers[account] {
				reader.poke()
			}
		}
	}
}

// wakeWatching wakes the streams that watch calls, whose ids are separated by commas.
func (l *EventListener) wakeWatching(calls string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, readers := range l.readers {
		for reader := range readers {
			if reader.call != nil && strings.Contains(calls, reader.call.String()) {
				reader.poke()
			}
		}
	}
}

// awaitAnswer returns what has a token when a worker may have answered a web call.
func (l *EventListener) awaitAnswer(callID uuid.UUID) (answered <-chan struct{}, forget func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := make(chan struct{}, 1)
	l.answers[callID] = waits
	return waits, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.answers, callID)
	}
}

func (l *EventListener) answered(call string) {
	id, err := uuid.Parse(call)
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.answers[id] <- struct{}{}:
	default:
	}
}

func (l *EventListener) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, readers := range l.readers {
		for reader := range readers {
			reader.poke()
		}
	}
}

func (r *eventReader) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// join adds a stream, which wants the turns of a call too unless that is nil, and returns it, or nil if the key has the maximum
// number of streams.
func (l *EventListener) join(who middleware.Caller, call *uuid.UUID) *eventReader {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.perKey[who.KeyID] >= streamsPerKey {
		return nil
	}
	l.perKey[who.KeyID]++
	reader := &eventReader{who: who, call: call, wake: make(chan struct{}, 1)}
	if l.readers[who.AccountID] == nil {
		l.readers[who.AccountID] = map[*eventReader]struct{}{}
	}
	l.readers[who.AccountID][reader] = struct{}{}
	return reader
}

func (l *EventListener) leave(reader *eventReader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.readers[reader.who.AccountID], reader)
	if len(l.readers[reader.who.AccountID]) == 0 {
		delete(l.readers, reader.who.AccountID)
	}
	if l.perKey[reader.who.KeyID]--; l.perKey[reader.who.KeyID] == 0 {
		delete(l.perKey, reader.who.KeyID)
	}
}
