package cache

import (
	"iter"
	"slices"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/voice/audio"
)

// in yields the sound in its own band or a wider one.
func (e *entry) in(band audio.Band) iter.Seq[[]int16] {
	if band == e.req.Band {
		return slices.Values(e.chunks)
	}
	return func(yield func([]int16) bool) {
		wider := audio.NewConverter(e.req.Band, band)
		for _, chunk := range e.chunks {
			if !yield(wider.Push(nil, chunk)) {
				return
			}
		}
	}
}

// use returns what is kept of req and notes that it was asked for; nil: nothing is. What a stand-in made is nothing to whoever
// warms it. It is called with the lock held.
func (p *Provider) use(req tts.Request, fixed bool) *entry {
	kept, ok := p.entries[req]
	if !ok || fixed && kept.Value.(*entry).by.StandIn {
		return nil
	}
	e := p.drop(kept)
	e.fixed = e.fixed || fixed
	p.put(e)
	return e
}
