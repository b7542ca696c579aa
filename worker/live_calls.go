package worker

import (
	"context"
	"errors"
	"maps"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/voice/turn"
	"github.com/callwright/callwright/worker/listening"
)

// liveCall is a call that this process holds, or is about to claim.
type liveCall struct {
	claimed  bool
	cancel   context.CancelCauseFunc // set when claimed
	journal  *journal                // set when claimed
	commands chan turn.Command       // for the session; set when claimed
	talking  bool                    // a session reads commands
	audience *listening.Audience     // who listens in; nil: nobody may
	given    map[uuid.UUID]bool      // commands that were handed over
	early    []*dbsqlc.CallCommand   // commands that came between the commit of the claim and here
	ended    bool                    // by a command, before anybody answered
	leaving  bool                    // it is given back: commands are for whoever dials it next
}

// claim makes the call one that this process holds.
func (p *Phone) claim(callID uuid.UUID, cancel context.CancelCauseFunc, journal *journal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[callID]
	if call == nil {
		call = &liveCall{}
		p.calls[callID] = call
	}
	call.claimed, call.cancel, call.journal = true, cancel, journal
	call.commands, call.given = make(chan turn.Command, commandsAhead), map[uuid.UUID]bool{}
	for _, command := range call.early {
		call.give(command)
	}
}

// errDisowned ends a call whose row another process ended, believing this one dead.
var errDisowned = errors.New("the call was ended by another process")

// expect keeps a call that is about to be claimed from being taken for lost.
func (p *Phone) expect(callID uuid.UUID) *liveCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := &liveCall{}
	p.calls[callID] = call
	return call
}

// release forgets a call that this process does not hold any more. One that was given back may have been claimed here anew, and
// then is another.
func (p *Phone) release(callID uuid.UUID, call *liveCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[callID] == call {
		delete(p.calls, callID)
	}
}

// leaves keeps commands from a call that is to be given back, and reports whether it may be: not one that a command ended.
func (p *Phone) leaves(callID uuid.UUID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[callID]
	call.leaving = !call.ended
	return call.leaving
}

// claimed answers the calls that this process has claimed and holds.
func (p *Phone) claimed() map[uuid.UUID]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := map[uuid.UUID]bool{}
	for id, call := range maps.All(p.calls) {
		if call.claimed {
			held[id] = true
		}
	}
	return held
}

// idle reports that this process holds no call, and is about to claim none.
func (p *Phone) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) == 0
}

// holds reports whether this process holds the call or is about to claim it.
func (p *Phone) holds(callID uuid.UUID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[callID] != nil
}

// disown hangs up a call that is no longer this process's.
func (p *Phone) disown(callID uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if call := p.calls[callID]; call != nil && call.claimed {
		call.cancel(errDisowned)
	}
}

// hangUpAll ends the calls of a process whose lease has run out or was lost, each with a goodbye: others act on them now, or
// are about to.
func (p *Phone) hangUpAll(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for call := range maps.Values(p.calls) {
		if call.claimed {
			call.cancel(cause)
		}
	}
}
