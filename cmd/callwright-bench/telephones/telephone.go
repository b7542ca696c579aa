// Package telephones is the far ends of a thousand calls, at a fraction of what a call costs who holds it: what loads a machine
// that is measured has to leave it to what is measured.
//
// Each telephone is a far end like others: an address of its own (127.1.0.0 and up), a dialog of its own over SIP, an RTP stream
// in each direction with a packet every 20 ms, and reports over RTCP. They share what a carrier sees nothing of: a few sockets,
// system calls that take and send the packets of many at once, and sound that was packed before.
//
// It must not know what the calls are for, nor anything of who holds them but what comes over the network.
package telephones

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

const (
	headerLen  = 12 // of RTP, without extensions
	payloadMu  = 0  // PCMU (RFC 3551)
	version    = 0x80
	markerBit  = 0x80
	loud       = -45.0 // dBFS: a voice
	pause      = 700 * time.Millisecond
	lateAfter  = 10 * time.Millisecond
	tick       = time.Second / audio.Rate // of RTP's clock
	frameTicks = audio.FrameLen
)

// Notes are what a telephone heard.
type Notes struct {
	Answers []int64 // when the first sound of each answer came, in Unix nanoseconds
	Heard   int     // packets of sound that came
	Late    int     // those of them that came more than 10 ms later than the earliest did, by their timestamps
	Lost    int     // and those that never came
}

// telephone asks when the other side has spoken and paused, notes when it answers, and asks again. Times are Unix nanoseconds.
type telephone struct {
	question [][]byte // its sound, in frames
	asking   int      // frames of the question that were sent; -1: none is being asked
	waits    bool     // for the answer
	since    int64    // when it began to listen, or had asked
	heard    int64    // when the other side's voice was heard last
	arrival  arrival
	notes    Notes

	header    [headerLen]byte // of the packet that is sent
	sequence  uint16
	timestamp uint32
	ssrc      uint32
	packets   uint32 // sent
}

func newTelephone(question [][]byte, now int64) *telephone {
	return &telephone{
		question: question, asking: -1, since: now,
		sequence: uint16(rand.Uint32()), timestamp: rand.Uint32(), ssrc: rand.Uint32(),
	}
}

// hear takes a packet that came at a time. It returns false for what is no sound.
func (t *telephone) hear(packet []byte, at int64) bool {
	if len(packet) <= headerLen || packet[0] != version || packet[1]&^markerBit != payloadMu {
		return false
	}
	t.notes.Heard++
	late, lost := t.arrival.take(packet, at)
	t.notes.Lost += lost
	if late {
		t.notes.Late++
	}
	if !isLoud(packet[headerLen:]) {
		return true
	}
	t.heard = at
	if t.waits && at > t.since {
		t.notes.Answers = append(t.notes.Answers, at)
		t.waits, t.since = false, at
	}
	return true
}

// speak returns the header and the sound of the next packet.
func (t *telephone) speak(now int64) (header, payload []byte) {
	marker := byte(0)
	if t.asking < 0 && !t.waits && t.heard > t.since && now-t.heard >= int64(pause) {
		t.asking, marker = 0, markerBit
	}
	payload = silence
	if t.asking >= 0 {
		payload = t.question[t.asking]
		if t.asking++; t.asking == len(t.question) {
			t.asking, t.waits, t.since = -1, true, now+int64(audio.FrameDuration)
		}
	}
	h := t.header[:]
	h[0], h[1] = version, payloadMu|marker
	binary.BigEndian.PutUint16(h[2:], t.sequence)
	binary.BigEndian.PutUint32(h[4:], t.timestamp)
	binary.BigEndian.PutUint32(h[8:], t.ssrc)
	t.sequence++
	t.timestamp += frameTicks
	t.packets++
	return h, payload
}

// arrival follows when the packets of a stream come.
type arrival struct {
	begun    bool
	ssrc     uint32
	highest  uint32 // sequence number, extended by how often it wrapped
	first    uint32 // timestamp
	earliest int64  // that a packet came, less its timestamp, since the last marker
	lost     int
}

// take takes a packet and returns whether it is late, and how many before it are missing. Where a talkspurt begins the sender may
// have set its clock anew.
func (a *arrival) take(packet []byte, at int64) (late bool, lost int) {
	sequence, timestamp := binary.BigEndian.Uint16(packet[2:]), binary.BigEndian.Uint32(packet[4:])
	fresh := !a.begun
	if fresh {
		a.begun, a.ssrc, a.highest, a.first = true, binary.BigEndian.Uint32(packet[8:]), uint32(sequence), timestamp
	}
	if ahead := int32(int16(sequence - uint16(a.highest))); ahead > 0 {
		lost = int(ahead) - 1
		a.highest += uint32(ahead)
		a.lost += lost
	}
	transit := at - int64(int32(timestamp-a.first))*int64(tick)
	if fresh || packet[1]&markerBit != 0 {
		a.earliest = transit
	}
	a.earliest = min(a.earliest, transit)
	return transit-a.earliest > int64(lateAfter), lost
}

var (
	silence = audio.Mu.Encode(nil, make([]int16, audio.FrameLen))
	squares = squaresOf(audio.Mu)
	// loudEnergy is that of a sample as loud as a voice.
	loudEnergy = math.Pow(math.MaxInt16*audio.Gain(loud), 2)
)

func squaresOf(law audio.Law) (squares [256]uint32) {
	for code := range squares {
		sample := law.Decode(nil, []byte{byte(code)})[0]
		squares[code] = uint32(int32(sample) * int32(sample))
	}
	return squares
}

func isLoud(payload []byte) bool {
	var energy uint64
	for _, code := range payload {
		energy += uint64(squares[code])
	}
	return float64(energy) > loudEnergy*float64(len(payload))
}

// frames packs sound.
func frames(pcm []int16) (packed [][]byte) {
	for len(pcm) > 0 {
		var frame [audio.FrameLen]int16
		pcm = pcm[copy(frame[:], pcm):]
		packed = append(packed, audio.Mu.Encode(nil, frame[:]))
	}
	return packed
}
