package media

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// Captions travel as audio/t140c (RFC 4351): packets of text interleaved with the packets of sound. A payload is a
// 16-bit counter of text blocks, starting at 0, and one block of UTF-8.
const (
	textCounterLen = 2
	textBlockLen   = 1000 // bytes; with its headers a block still fits one Ethernet frame
	textCopies     = 2    // each block is sent twice, as the counter lets the receiver drop the copy
	textLost       = "\uFFFD"
)

// textWriter queues captions and makes one packet per tick of the send clock.
type textWriter struct {
	blocks  []string
	copies  int // how often the first of them was sent
	counter uint16
}

// queue cuts text into blocks between code points. Bytes that are no UTF-8 are replaced.
func (w *textWriter) queue(text string) {
	text = strings.ToValidUTF8(text, textLost)
	for len(text) > 0 {
		n := min(textBlockLen, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		w.blocks = append(w.blocks, text[:n])
		text = text[n:]
	}
}

// tick appends the payload to send now to b; ok is false when there is none.
func (w *textWriter) tick(b []byte) (payload []byte, ok bool) {
	if len(w.blocks) == 0 {
		return b, false
	}
	b = append(binary.BigEndian.AppendUint16(b, w.counter), w.blocks[0]...)
	if w.copies++; w.copies == textCopies {
		w.blocks, w.copies = w.blocks[1:], 0
		w.counter++
	}
	return b, true
}

// textReader turns t140c packets into captions, each once.
type textReader struct {
	started bool
	next    uint16 // counter of the block expected next
}

// read returns the text of a packet, or nothing where it repeats what was read before. Lost blocks leave one
// replacement character, as T.140 asks for.
func (r *textReader) read(payload []byte) string {
	if len(payload) <= textCounterLen {
		return ""
	}
	counter := binary.BigEndian.Uint16(payload)
	ahead := int16(counter - r.next)
	if r.started && ahead < 0 {
		return ""
	}
	text := strings.ToValidUTF8(string(payload[textCounterLen:]), textLost)
	if r.started && ahead > 0 {
		text = textLost + text
	}
	r.started, r.next = true, counter+1
	return text
}
