package audio

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// Law is one of the two companding laws of G.711: how a telephone network packs a sample into a byte.
type Law uint8

// The laws of G.711. North America and Japan speak Mu, the rest of the world A.
const (
	Mu Law = iota
	A
)

// String returns the name of the law in SDP (RFC 3551).
func (l Law) String() string {
	if l == A {
		return "PCMA"
	}
	return "PCMU"
}

const (
	muBias  = 0x84
	muClip  = 32635
	aToggle = 0x55 // A-law inverts every other bit on the wire
)

var (
	muSamples = expand(decodeMu)
	aSamples  = expand(decodeA)
)

// Decode appends the samples of code to pcm.
func (l Law) Decode(pcm []int16, code []byte) []int16 {
	table := &muSamples
	if l == A {
		table = &aSamples
	}
	at := len(pcm)
	pcm = slices.Grow(pcm, len(code))[:at+len(code)]
	out := pcm[at:]
	for i, b := range code {
		out[i] = table[b]
	}
	return pcm
}

// Encode appends the codes of pcm to code.
func (l Law) Encode(code []byte, pcm []int16) []byte {
	if len(pcm) == FrameLen && *(*[FrameLen]int16)(pcm) == silentFrame { // half of what a call sends
		return append(code, silentCodes[l][:]...)
	}
	at := len(code)
	code = slices.Grow(code, len(pcm))[:at+len(pcm)]
	out := code[at:]
	if l == A {
		for i, s := range pcm {
			out[i] = encodeA(s)
		}
		return code
	}
	for i, s := range pcm {
		v := int32(s)
		negative := v >> 31 // all ones, or 0: half of all jumps would go the wrong way
		v = min((v^negative)-negative, muClip) + muBias
		out[i] = muCodes[v>>muUnheard] &^ (byte(negative) & 0x80)
	}
	return code
}

const muUnheard = 3 // bits of a sample that no code tells

// muCodes are the codes of positive samples with their bias. To compute one takes half as long again.
var muCodes = func() (codes [(math.MaxInt16 + 1) >> muUnheard]byte) {
	for i := muBias >> muUnheard; i < len(codes); i++ {
		codes[i] = encodeMu(int16(max(i<<muUnheard-muBias, 0)))
	}
	return codes
}()

var (
	silentFrame [FrameLen]int16
	silentCodes = [2][FrameLen]byte{
		Mu: [FrameLen]byte(bytes.Repeat([]byte{encodeMu(0)}, FrameLen)),
		A:  [FrameLen]byte(bytes.Repeat([]byte{encodeA(0)}, FrameLen)),
	}
)

func expand(decode func(byte) int16) (table [256]int16) {
	for i := range table {
		table[i] = decode(byte(i))
	}
	return table
}

func decodeMu(code byte) int16 {
	code = ^code
	magnitude := (int(code&0x0f)<<3 + muBias) << (code >> 4 & 7)
	if code&0x80 != 0 {
		return int16(muBias - magnitude)
	}
	return int16(magnitude - muBias)
}

func encodeMu(sample int16) byte {
	v, sign := int(sample), byte(0)
	if v < 0 {
		v, sign = -v, 0x80
	}
	v = min(v, muClip) + muBias
	segment := bits.Len(uint(v)) - 8 // the bias makes it at least 0, the clip at most 7
	return ^(sign | byte(segment<<4) | byte(v>>(segment+3)&0x0f))
}

func decodeA(code byte) int16 {
	code ^= aToggle
	magnitude := int(code&0x0f)<<4 + 8
	if segment := code >> 4 & 7; segment > 0 {
		magnitude = (magnitude + 0x100) << (segment - 1)
	}
	if code&0x80 == 0 {
		magnitude = -magnitude
	}
	return int16(magnitude)
}

func encodeA(sample int16) byte {
	v, sign := int(sample), byte(0x80)
	if v < 0 {
		v, sign = -v-1, 0 // one's complement, so that -1 falls into the first negative step
	}
	segment := max(bits.Len(uint(v))-8, 0)
	shift := max(segment+3, 4)
	return (sign | byte(segment<<4) | byte(v>>shift&0x0f)) ^ aToggle
}
