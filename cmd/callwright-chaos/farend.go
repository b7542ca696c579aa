//go:build unix

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice/audio"
	"github.com/callwright/callwright/voice/sip"
)

// What a called number does is decided by its last two digits.
const (
	numberTalks       = "00" // answers, talks for some turns and hangs up
	numberBusy        = "01" // 486
	numberRings       = "02" // never answers
	numberDeclines    = "03" // 603
	numberHangsUp     = "05" // answers and hangs up in the middle of the greeting
	numberSilent      = "06" // answers, says nothing for a while and hangs up
	numberUnavailable = "07" // 503
	numberTalksLong   = "08" // as 00, for more turns
	numberTransferred = "09" // as 08, and is transferred
)

// transferTarget is whom the assistant transfers to; the far end tells for which call.
const transferTarget = "+31201234501"

const (
	voiceLevel  = -45.0 // dBFS: what is above is the other side's voice
	voicePause  = 700 * time.Millisecond
	turnLimit   = 8 * time.Second // for the other side to speak and pause
	silentFor   = 6 * time.Second
	shortTalk   = 1 // turns
	longTalk    = 3
	hangUpLimit = 2 * time.Second
	said        = "Hello, what are your opening hours on Saturday?"
)

// farEnd is everybody who is called.
type farEnd struct {
	ua     *sip.UA
	voice  []int16
	onStep func(step, sipCallID string)
	live   context.Context
	end    context.CancelFunc
	calls  sync.WaitGroup

	mu       sync.Mutex
	referred []ring
}

func newFarEnd(ctx context.Context, onStep func(step, sipCallID string)) (*farEnd, error) {
	f := &farEnd{onStep: onStep}
	for chunk, err := range flite.New(flite.Config{}).Speak(ctx, tts.Request{Text: said}) {
		if err != nil {
			return nil, fmt.Errorf("make voice of the far end: %w", err)
		}
		f.voice = append(f.voice, chunk...)
	}
	f.live, f.end = context.WithCancel(ctx)
	var err error
	f.ua, err = sip.Listen(sip.Config{Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler), Inbound: f.take,
		MediaTimeout: -1, FirstMedia: -1,
		Transfers: true})
	if err != nil {
		f.end()
		return nil, fmt.Errorf("start far end: %w", err)
	}
	return f, nil
}

func (f *farEnd) address() netip.AddrPort { return f.ua.Addr() }

func (f *farEnd) close(ctx context.Context) error {
	f.end()
	err := f.ua.Close(ctx)
	f.calls.Wait()
	return err
}

// take is one call.
func (f *farEnd) take(_ context.Context, in *sip.Inbound) {
	if f.live.Err() != nil {
		return
	}
	f.calls.Add(1)
	defer f.calls.Done()
	kind := in.To[max(0, len(in.To)-2):]
	codes := map[string]int{numberBusy: 486, numberDeclines: 603, numberUnavailable: 503}
	if code := codes[kind]; code > 0 {
		_ = in.Reject(code, "Refused") // a caller that has gone meanwhile needs no answer
		return
	}
	if in.Ring() != nil {
		return
	}
	f.onStep(stepRinging, in.CallID)
	ringFor := 300 * time.Millisecond
	if kind == numberRings {
		ringFor = time.Hour
	}
	select {
	case <-time.After(ringFor):
	case <-in.Done():
		return
	case <-f.live.Done():
		return
	}
	leg, err := in.Answer(f.live)
	if err != nil {
		return // it was given up, or its worker has died
	}
	f.onStep(stepAnswer, in.CallID)
	(&person{farEnd: f, leg: leg, callID: in.CallID}).talk(kind)
	f.onStep(stepBye, in.CallID)
}

// person is somebody in a call. The frames that arrive are the clock while they do; when they stop, time goes on.
type person struct {
	*farEnd
	leg    *sip.Leg
	callID string
	heard  time.Time // when the other side's voice was heard last
	gone   bool
}

func (p *person) talk(kind string) {
	defer p.hangUp()
	switch kind {
	case numberHangsUp:
		p.listen(time.Second, func() bool { return !p.heard.IsZero() })
		p.listen(400*time.Millisecond, func() bool { return false })
	case numberSilent:
		p.listen(silentFor, func() bool { return false })
	default:
		turns := shortTalk
		if kind == numberTalksLong || kind == numberTransferred {
			turns = longTalk
		}
		for range turns {
			begun := time.Now()
			p.listen(turnLimit, func() bool { return p.heard.After(begun) && time.Since(p.heard) >= voicePause })
			if p.gone {
				return
			}
			p.leg.Play(p.voice)
			p.listen(audio.FrameDuration*time.Duration(len(p.voice)/audio.FrameLen), func() bool { return false })
			p.onStep(stepTurn, p.callID)
		}
		p.listen(2*time.Second, func() bool { return false })
	}
}

// listen returns after the limit, when done says so, or when the call is over.
func (p *person) listen(limit time.Duration, done func() bool) {
	over := time.NewTimer(limit)
	defer over.Stop()
	for !p.gone && !done() {
		select {
		case in, ok := <-p.leg.Incoming():
			p.gone = !ok
			if in.Frame != nil {
				if audio.Level(in.Frame) > voiceLevel {
					p.heard = time.Now()
				}
				audio.GiveFrame(in.Frame)
			}
		case referral := <-p.leg.Referrals():
			p.move(referral)
		case <-over.C:
			return
		case <-p.live.Done():
			p.gone = true
		}
	}
}

// move has the carrier ring the target in the worker's place, which goes well, and leaves.
func (p *person) move(referral *sip.Referral) {
	p.mu.Lock()
	p.referred = append(p.referred, ring{
		At: time.Now(), Number: referral.Target, CallID: p.callID, Branch: fmt.Sprintf("transfer %d", len(p.referred)), Transfer: true,
	})
	p.mu.Unlock()
	p.onStep(stepRefer, p.callID)
	ctx, cancel := context.WithTimeout(p.live, hangUpLimit)
	defer cancel()
	for _, code := range []int{100, 200} {
		if err := referral.Tell(ctx, code, "Told"); err != nil {
			break // the worker is dead, paused or has left
		}
	}
	select {
	case <-p.leg.Done():
		p.gone = true
	case <-ctx.Done(): // a second REFER would be one too many
	}
}

// transfers are those so far.
func (f *farEnd) transfers() []ring {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]ring(nil), f.referred...)
}

func (p *person) hangUp() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.live), hangUpLimit)
	defer cancel()
	_ = p.leg.Hangup(ctx) // a worker that is dead or paused does not answer
}
