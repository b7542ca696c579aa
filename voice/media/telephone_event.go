package media

import (
	"encoding/binary"
	"strings"

	"github.com/callwright/callwright/voice/audio"
)

// EventKeys lists the keys in the order of their event codes (RFC 4733 section 3.2).
const EventKeys = "0123456789*#ABCD"

const (
	eventLen    = 4
	eventEnd    = 0x80
	eventVolume = 10 // -10 dBm0
)

// event is the payload of a telephone-event packet (RFC 4733 section 2.3).
type event struct {
	key      byte   // one of EventKeys
	end      bool   // the key is released
	duration uint16 // so far, in samples
}

// parseEvent parses a payload; ok is false for anything but a key.
func parseEvent(payload []byte) (e event, ok bool) {
	if len(payload) < eventLen || int(payload[0]) >= len(EventKeys) {
		return event{}, false
	}
	return event{
		key:      EventKeys[payload[0]],
		end:      payload[1]&eventEnd != 0,
		duration: binary.BigEndian.Uint16(payload[2:]),
	}, true
}

// append writes the payload to b. The key has to be one of EventKeys.
func (e event) append(b []byte) []byte {
	code, flags := byte(strings.IndexByte(EventKeys, e.key)), byte(eventVolume)
	if e.end {
		flags |= eventEnd
	}
	return binary.BigEndian.AppendUint16(append(b, code, flags), e.duration)
}

// repeatedWithin is how old an event can be that is repeated, in samples: an event is repeated for as long as its key is
// held. One from further back begins a new stream, whose timestamps begin anywhere.
const repeatedWithin = 10 * audio.Rate

// eventReader turns telephone-event packets into key presses: one per event, on its first packet, so that neither a
// lost start nor the repeated end makes a difference.
type eventReader struct {
	seen bool
	last uint32 // RTP timestamp of the newest event
}

// press returns the key that this packet newly presses, or 0.
func (r *eventReader) press(payload []byte, timestamp uint32) byte {
	e, ok := parseEvent(payload)
	if !ok {
		return 0
	}
	if behind := int32(r.last - timestamp); r.seen && behind >= 0 && behind < repeatedWithin {
		return 0
	}
	r.seen, r.last = true, timestamp
	return e.key
}

const (
	pressTicks = 5 // a key is held for 100 ms
	endTicks   = 3 // its last packet is sent three times (RFC 4733 section 2.5.1.4)
	gapTicks   = 3 // and 60 ms pass before the next
	waitTicks  = 25
)

// eventWriter presses keys, one packet per tick of the send clock.
type eventWriter struct {
	keys  []byte // still to press; ',' waits half a second
	now   byte   // being pressed, or 0
	start uint32 // RTP timestamp of the press
	ticks uint16 // packets sent for it
	pause int    // ticks to let pass
}

// queue appends keys to press. Whatever is no key and no pause is skipped.
func (w *eventWriter) queue(digits string) {
	for _, c := range []byte(digits) {
		switch {
		case c == ',' || c == 'w':
			w.keys = append(w.keys, ',')
		case c >= 'a' && c <= 'd':
			w.keys = append(w.keys, c-'a'+'A')
		default:
			if strings.IndexByte(EventKeys, c) >= 0 {
				w.keys = append(w.keys, c)
			}
		}
	}
}

// tick returns the packet to send now, if any. timestamp is the one of the audio frame it takes the place of.
func (w *eventWriter) tick(timestamp uint32) (e event, start uint32, ok bool) {
	if w.now == 0 && !w.next(timestamp) {
		return event{}, 0, false
	}
	w.ticks++
	e = event{key: w.now, end: w.ticks > pressTicks, duration: min(w.ticks, pressTicks) * audio.FrameLen}
	if w.ticks == pressTicks+endTicks {
		w.now, w.pause = 0, gapTicks
	}
	return e, w.start, true
}

// next begins the next key unless a pause is running.
func (w *eventWriter) next(timestamp uint32) bool {
	if w.pause > 0 {
		w.pause--
		return false
	}
	if len(w.keys) == 0 {
		return false
	}
	key := w.keys[0]
	w.keys = w.keys[1:]
	if key == ',' {
		w.pause = waitTicks
		return false
	}
	w.now, w.start, w.ticks = key, timestamp, 0
	return true
}
