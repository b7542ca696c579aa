package simnet

import (
	"slices"
	"sync"
	"time"
)

// Call is what the far end of one call saw.
type Call struct {
	CallID     string
	From, To   string
	Outbound   bool // placed by Network.Call
	InvitedAt  time.Time
	AnsweredAt time.Time     // zero: never
	Codec      string        // what the far end sends; empty: it was not answered
	EndedAt    time.Time     // zero: it goes on
	Code       int           // final SIP status of a call that was refused; 0: none
	Said       []Utterance   // by the far end
	Heard      []Utterance   // captions of the other side
	Voice      time.Duration // of the other side that was heard, by its sound
	Digits     string        // keys that the other side pressed
	Transfers  []Transfer    // where the other side sent the far end
	HungUp     bool          // by the far end, not the other side
	Err        string        // what went wrong; empty: nothing
}

// Utterance is a text and when it was complete.
type Utterance struct {
	At   time.Time
	Text string
}

// Texts returns the texts of utterances.
func Texts(spoken []Utterance) []string {
	var out []string
	for _, l := range spoken {
		out = append(out, l.Text)
	}
	return out
}

// record is a Call that grows.
type record struct {
	mu   sync.Mutex
	call Call
}

func (r *record) change(f func(c *Call)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.call)
}

func (r *record) snapshot() Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.call
	c.Said, c.Heard, c.Transfers = slices.Clone(c.Said), slices.Clone(c.Heard), slices.Clone(c.Transfers)
	return c
}

func (r *record) refused(code int)     { r.change(func(c *Call) { c.Code = code }) }
func (r *record) fail(err error)       { r.change(func(c *Call) { c.Err = err.Error() }) }
func (r *record) dialed(callID string) { r.change(func(c *Call) { c.CallID = callID }) }
func (r *record) answered(codec string) {
	r.change(func(c *Call) { c.AnsweredAt, c.Codec = time.Now(), codec })
}
func (r *record) hungUp()            { r.change(func(c *Call) { c.HungUp = true }) }
func (r *record) pressed(digit byte) { r.change(func(c *Call) { c.Digits += string(rune(digit)) }) }

func (r *record) transferred(to Transfer) {
	r.change(func(c *Call) { c.Transfers = append(c.Transfers, to) })
}

func (r *record) said(text string) {
	r.change(func(c *Call) { c.Said = append(c.Said, Utterance{time.Now(), text}) })
}

func (r *record) heard(text string) {
	r.change(func(c *Call) { c.Heard = append(c.Heard, Utterance{time.Now(), text}) })
}

func (r *record) voice(d time.Duration) { r.change(func(c *Call) { c.Voice += d }) }

func (r *record) end() {
	r.change(func(c *Call) {
		if c.EndedAt.IsZero() {
			c.EndedAt = time.Now()
		}
	})
}
