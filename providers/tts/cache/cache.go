// Package cache keeps the sound of texts that are spoken again and again, such as
// greetings: they then begin at once, cost nothing, and can be heard while their
// synthesiser is out of order.
//
// It knows how much memory it may use, who waits for the same text, and that the sound of
// a synthesiser which only stands in for another one is not kept: the right voice is back
// soon. It must not know which texts are fixed: its caller has it warm those, and they stay
// while there is anything else to forget, however much is said in calls. Of those a stand-in's
// sound is kept until the right voice is back, which each warming tries: they begin at once,
// whatever hangs.
package cache

import (
	"container/list"
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/served"
	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

const bytesPerSample = 2

// Provider is a tts.Provider in front of another one. Whoever asks for a text that is
// being synthesised shares in that; when all of them have left, it is ended.
type Provider struct {
	next     tts.Provider
	maxBytes int

	mu      sync.Mutex
	bytes   int
	fixed   *list.List // of *entry that were warmed, the one used last in front
	others  *list.List // likewise
	entries map[tts.Request]*list.Element
	flights map[tts.Request]*flight
}

type entry struct {
	req    tts.Request
	chunks [][]int16
	by     served.By
	bytes  int
	fixed  bool
}

// New keeps at most maxBytes of sound of next. 16,000 bytes last one second, of wideband half of one.
func New(next tts.Provider, maxBytes int) *Provider {
	return &Provider{next: next, maxBytes: maxBytes, fixed: list.New(), others: list.New(),
		entries: map[tts.Request]*list.Element{}, flights: map[tts.Request]*flight{}}
}

// Name is that of the provider behind it.
func (p *Provider) Name() string { return p.next.Name() }

// Warm makes sure that req is kept, if its own synthesiser can speak it, so that its first
// listener need not wait, and that it is not forgotten for what is said once.
func (p *Provider) Warm(ctx context.Context, req tts.Request) error {
	for _, err := range p.speak(ctx, req, true) {
		if err != nil {
			return fmt.Errorf("warm voice cache: %w", err)
		}
	}
	return nil
}

// Speak yields what is kept of req, else what the provider behind makes of it.
func (p *Provider) Speak(ctx context.Context, req tts.Request) iter.Seq2[[]int16, error] {
	return p.speak(ctx, req, false)
}

func (p *Provider) speak(ctx context.Context, req tts.Request, fixed bool) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		if ctx.Err() != nil {
			yield(nil, fault.FromNet(p.Name(), ctx.Err()))
			return
		}
		kept, joined := p.find(ctx, req, fixed)
		if joined != nil {
			defer func() { joined.leave(context.Cause(ctx)) }()
			joined.listen(ctx, p.Name(), yield)
			return
		}
		tell(ctx, kept.by)
		for chunk := range kept.in(req.Band) {
			if ctx.Err() != nil {
				yield(nil, fault.FromNet(p.Name(), ctx.Err()))
				return
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// tell says who made the sound that is heard, where that is known.
func tell(ctx context.Context, by served.By) {
	if by.Vendor != "" {
		served.Tell(ctx, served.TTS, by)
	}
}

// find is what is kept, or the flight that makes it, which the caller has to leave. Who wants wideband sound gets what is
// kept for the other calls until it is warmed: it begins at once, also while the synthesiser is out of order.
func (p *Provider) find(ctx context.Context, req tts.Request, fixed bool) (*entry, *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	narrow := req
	narrow.Band = audio.Narrow
	if e := p.use(req, fixed); e != nil {
		return e, nil
	}
	if e := p.use(narrow, false); e != nil && !fixed {
		return e, nil
	}
	if f, ok := p.flights[req]; ok && f.join() {
		f.fixed = f.fixed || fixed
		f.tellFailures(ctx)
		return nil, f
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx)) // it may outlive its first listener
	f := &flight{changed: make(chan struct{}), listeners: 1, cancel: cancel, fixed: fixed}
	f.tellFailures(ctx)
	p.flights[req] = f
	go p.fly(own, req, f)
	return nil, f
}

// fly makes the sound of req for the listeners of f, and keeps it when it is complete.
func (p *Provider) fly(ctx context.Context, req tts.Request, f *flight) {
	defer f.cancel(nil)
	var failure error
	// Each listener is told, and asked, by itself.
	ctx = tts.WithPatience(served.Report(ctx, func(_ served.Family, by served.By) { f.madeBy(by) }), f.askPatience)
	ctx = served.ReportFailures(ctx, func(_ served.Family, failed served.Failure) { f.failed(failed) })
	for chunk, err := range p.next.Speak(ctx, req) {
		if err != nil {
			failure = err
			break
		}
		f.add(chunk)
	}
	if failure == nil && ctx.Err() != nil {
		failure = fault.FromNet(p.Name(), ctx.Err()) // everyone left: it may be incomplete
	}
	p.mu.Lock()
	if p.flights[req] == f {
		delete(p.flights, req)
	}
	if failure == nil && (!f.by.StandIn || f.fixed) && len(f.chunks) > 0 {
		p.keep(req, f)
	}
	p.mu.Unlock()
	f.end(failure)
}

// keep, put and drop are called with the lock held.
func (p *Provider) keep(req tts.Request, f *flight) {
	size := len(req.Text)
	for _, chunk := range f.chunks {
		size += bytesPerSample * len(chunk)
	}
	if size > p.maxBytes {
		return
	}
	if kept, ok := p.entries[req]; ok {
		if f.by.StandIn || !kept.Value.(*entry).by.StandIn {
			return
		}
		p.drop(kept)
	}
	p.put(&entry{req: req, chunks: f.chunks, by: f.by, bytes: size, fixed: f.fixed})
	for p.bytes > p.maxBytes {
		oldest := p.others.Back()
		if oldest == nil {
			oldest = p.fixed.Back()
		}
		p.drop(oldest)
	}
}

func (p *Provider) put(e *entry) {
	p.entries[e.req] = p.list(e).PushFront(e)
	p.bytes += e.bytes
}

func (p *Provider) drop(kept *list.Element) *entry {
	e := kept.Value.(*entry)
	p.list(e).Remove(kept)
	delete(p.entries, e.req)
	p.bytes -= e.bytes
	return e
}

func (p *Provider) list(e *entry) *list.List {
	if e.fixed {
		return p.fixed
	}
	return p.others
}
