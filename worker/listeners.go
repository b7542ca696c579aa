package worker

import (
	"context"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/worker/listening"
)

// admitListeners lets others listen in on a conversation that is about to begin, until it is over.
func (p *Phone) admitListeners(ctx context.Context, talk *conversation, journal *journal) (dismiss func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.calls[talk.call.ID]
	audience := listening.Open(ctx, p.listening, &listening.Call{
		Row: talk.call, Session: talk.session, Commands: held.commands, Used: journal.tally.add, Logger: talk.logger,
	})
	held.audience = audience
	return func() {
		p.mu.Lock()
		held.audience = nil
		p.mu.Unlock()
		audience.Close()
	}
}

// updateListeners reads who listens in on the calls of this process, and what they may do.
func (p *Phone) updateListeners(ctx context.Context, conn dbsqlc.DBTX) error {
	p.mu.Lock()
	held := map[uuid.UUID]*listening.Audience{}
	for id, call := range p.calls {
		if call.audience != nil {
			held[id] = call.audience
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
	for id, audience := range held {
		audience.Update(byCall[id])
	}
	return nil
}
