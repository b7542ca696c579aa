package media

import (
	"sync/atomic"
	"time"
)

// life watches for a far end that disconnected without a word.
type life struct {
	heard     atomic.Int64  // time of the last sign of the far end, see Stream.Now
	firstWait time.Duration // silence that ends the call before the first packet; 0: never
	gapWait   time.Duration // and after it
	onDead    func()
}

// check calls onDead when packets should come and do not. began reports whether any came.
func (l *life) check(f *Formats, began bool, now time.Duration) {
	limit := l.firstWait
	if began {
		limit = l.gapWait
	}
	switch {
	case !f.Expects || !f.Sends: // hold: a far end that plays no music sends nothing either
		l.heard.Store(int64(now))
	case limit > 0 && now-time.Duration(l.heard.Load()) > limit:
		l.heard.Store(int64(now))
		l.onDead()
	}
}
