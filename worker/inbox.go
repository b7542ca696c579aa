package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/assistant"
)

const (
	inboxPoll     = 2 * time.Second         // what a notification that got lost costs
	electionPoll  = 1500 * time.Millisecond // what the numbering of events waits for a deputy
	inboxAgain    = time.Second             // after the connection broke
	commandsAhead = 16                      // commands that wait for a conversation to take them; more wait in their rows
)

// errEndedByCommand ends a call that nobody has answered yet because somebody asked for it.
var errEndedByCommand = errors.New("the call was ended through the API")

// errLeft ends a web call that nobody has answered yet because the person left it.
var errLeft = errors.New("the person left the call")

// inbox hands what is asked of this process's calls to their sessions. It listens on a connection of its own and reads
// what is pending whenever it is notified, after every reconnect, and now and then, so that nothing depends on a
// notification that nobody heard. On the same connection it hears of web calls, of who listens in, and of events to deliver and
// to number.
type inbox struct {
	pool      *pgxpool.Pool
	phone     *Phone
	deliverer *events.Deliverer
	numbering *numbering
	logger    *slog.Logger
}

// run reads until ctx ends.
func (i *inbox) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := i.listen(ctx); err != nil && ctx.Err() == nil {
			i.logger.WarnContext(ctx, "inbox of commands lost its connection", "error", err)
			pause(ctx, inboxAgain)
		}
	}
}

func (i *inbox) listen(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, i.pool.Config().ConnConfig.Copy())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing was left on it
	defer i.numbering.lead(false)
	if _, err := conn.Exec(ctx,
		"LISTEN "+calls.CommandChannel+"; LISTEN "+events.DeliveryChannel+"; LISTEN "+calls.WebOfferChannel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	i.deliverer.Wake()
	for {
		if err := i.numbering.elect(ctx, conn); err != nil {
			return err
		}
		if err := i.read(ctx, conn); err != nil {
			return err
		}
		if err := i.phone.takeWebCalls(ctx, conn); err != nil {
			return err
		}
		if err := i.phone.updateListeners(ctx, conn); err != nil {
			return err
		}
		if err := i.wait(ctx, conn); err != nil {
			return err
		}
	}
}

// wait returns when there may be something to read.
func (i *inbox) wait(ctx context.Context, conn *pgx.Conn) error {
	poll := inboxPoll
	if !i.numbering.isLeader() {
		poll = electionPoll
	}
	waiting, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	for {
		notification, err := conn.WaitForNotification(waiting)
		switch {
		case err == nil && notification.Channel == events.UnnumberedChannel:
			i.numbering.notified(notification.Payload)
		case err == nil && notification.Channel == events.DeliveryChannel:
			i.deliverer.Wake()
		case err == nil && notification.Channel == calls.WebOfferChannel:
			if id, err := uuid.Parse(notification.Payload); err == nil {
				i.phone.takeWebCall(id)
			}
		case err == nil && notification.Payload == i.phone.processID:
			return nil
		case err == nil: // another worker's
		case ctx.Err() == nil && pgconn.Timeout(err):
			return nil
		default:
			return fmt.Errorf("wait for notification: %w", err)
		}
	}
}

func (i *inbox) read(ctx context.Context, conn *pgx.Conn) error {
	if i.phone.idle() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	pending, err := dbsqlc.New().CallCommandListPending(ctx, conn, &dbsqlc.CallCommandListPendingParams{WorkerID: i.phone.processID})
	if err != nil {
		return fmt.Errorf("list pending commands: %w", err)
	}
	for _, command := range pending {
		i.phone.command(command)
	}
	return nil
}

// command gives a command to the call, once. A call whose claim is not committed yet gets it after that.
func (p *Phone) command(row *dbsqlc.CallCommand) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[row.CallID]
	switch {
	case call == nil:
	case call.claimed:
		call.give(row)
	default:
		call.early = append(call.early, row)
	}
}

// give hands a command over. A call that still rings hears it when it is answered, or ends. What does not fit into the queue
// stays in its row: it is read again, or fails with the call's end. The caller holds the lock of the phone.
func (c *liveCall) give(row *dbsqlc.CallCommand) {
	if c.given[row.ID] || c.leaving {
		return
	}
	if row.Type == calls.CommandEndCall && !c.talking {
		c.given[row.ID], c.ended = true, true
		c.journal.Note(voice.Note{Kind: voice.CommandDone, Command: row.ID.String()})
		if row.Body.ByCustomer {
			c.cancel(errLeft)
			return
		}
		c.cancel(errEndedByCommand)
		return
	}
	select {
	case c.commands <- voiceCommand(row):
		c.given[row.ID] = true
	default:
	}
}

// commandsFor begins to hand commands to the call's session.
func (p *Phone) commandsFor(callID uuid.UUID) <-chan turn.Command {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[callID]
	call.talking = true
	return call.commands
}

func voiceCommand(row *dbsqlc.CallCommand) turn.Command {
	id, body := row.ID.String(), row.Body
	switch row.Type {
	case calls.CommandSay:
		return turn.Say{ID: id, Content: body.Content, Interrupt: body.Interrupt, EndAfter: body.EndCallAfter}
	case calls.CommandAddMessage:
		return turn.AddMessage{ID: id, Role: body.Role, Content: body.Content, TriggerResponse: body.TriggerResponse}
	case calls.CommandTransfer:
		return turn.Transfer{ID: id, Target: body.PhoneNumber, Plan: assistant.CommandPlan(body.TransferPlan)}
	}
	if body.ByCustomer {
		return turn.End{ID: id, Reason: turn.CustomerEndedCall}
	}
	return turn.End{ID: id}
}
