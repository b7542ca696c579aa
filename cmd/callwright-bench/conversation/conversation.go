// Package conversation plays a corpus of conversations through real sessions and judges what the caller experiences: turns
// with pauses, backchannels, interruptions, rooms with other sounds, echoes, openings, and vendors that fail.
//
// The corpus is made by a script from texts and voices, so that its truth is known: when each word was spoken and whether
// the speaker had finished. The recogniser is scripted: it gives out those words at the time at which they were spoken, as far
// as the session let it hear their sound. Model and voice answer at once. Everything else is the product: voice.Session with
// its voice activity detection, echo suppression and turn rules. Sessions run on the virtual clock of testing/synctest, so the
// figures do not depend on how busy the machine is.
//
// It knows package voice, the interfaces of the provider families and how voices stand in for each other. It must not know how a
// session decides.
package conversation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Half names a part of the corpus. The closing half has texts of its own; nothing is tuned on it.
type Half string

// The halves.
const (
	Dev     Half = "dev"
	Closing Half = "closing"
	All     Half = "all"
)

// ParseHalf checks a name.
func ParseHalf(name string) (Half, error) {
	if half := Half(name); slices.Contains([]Half{Dev, Closing, All}, half) {
		return half, nil
	}
	return "", fmt.Errorf("corpus is %q, want dev, closing or all", name)
}

// Part is what of the corpus is played.
type Part struct {
	Half  Half
	Calls string // prefix of the names of calls; empty: all
	Seed  uint64 // of what is drawn for each call: pauses, rooms, voices
	Texts string // a file in place of the corpus's own texts; empty: these
	Late  bool   // words are recognised as late as real vendors do
	Rough bool   // they are spoken and written as roughly as in real calls
	Waits bool   // the assistant answers no pause before the longest one is over: all are seen, whatever the weights in use
}

// The kinds of conversations.
const (
	kindTurns         = "turns"
	kindBackchannels  = "backchannels"
	kindInterruptions = "interruptions"
	kindRooms         = "rooms"
	kindEchoes        = "echoes"
	kindOpenings      = "openings"
	kindFailures      = "failures"
	kindAhead         = "ahead" // turns, with vendors that take their usual time
	kindAfter         = "after" // the same, thinking only when the turn is over
)

// How many of each both halves have together.
const (
	turnCalls         = 60
	turnsInCall       = 5
	backchannelCalls  = 50
	backchannelsEach  = 2
	interruptionCalls = 100
	roomCalls         = 60
	echoCalls         = 60
	openingCalls      = 240
	failureCalls      = 40
	delayedCalls      = 40
)

// conversation is one call of the corpus.
type conversation struct {
	name string
	hold func(m *materials, random *rand.Rand) scene
	seed uint64

	late, rough, waits bool // as in Part
}

// scene is what a call needs and what its far end does. Both are made before the clock of the call begins.
type scene struct {
	setting setting
	act     func(r *room) []Check
}

// Check is one thing that was looked at in a call.
type Check struct {
	Call string  `json:"call"`
	Kind string  `json:"kind"`
	Bad  bool    `json:"bad"`
	MS   float64 `json:"ms"` // a time, of the checks that have one
	Note string  `json:"note"`

	Pause *Pause `json:"pause,omitempty"` // what was known at one, of those that look at nothing
}

// corpus returns the calls of a part.
func corpus(part Part) []conversation {
	var calls []conversation
	add := func(kind string, count int, hold func(which Half, i int) func(*materials, *rand.Rand) scene) {
		for i := range count {
			which := []Half{Dev, Closing}[i%2]
			name := fmt.Sprintf("%s-%03d", kind, i)
			if part.Half != All && part.Half != which || !strings.HasPrefix(name, part.Calls) {
				continue
			}
			calls = append(calls, conversation{
				name: name, hold: hold(which, i/2), seed: uint64(i) + 1 + part.Seed<<32,
				late: part.Late, rough: part.Rough, waits: part.Waits,
			})
		}
	}
	add(kindTurns, turnCalls, turns)
	add(kindBackchannels, backchannelCalls, backchannels)
	add(kindInterruptions, interruptionCalls, interruptions)
	add(kindRooms, roomCalls, rooms)
	add(kindEchoes, echoCalls, echoes)
	add(kindOpenings, openingCalls, openings)
	add(kindFailures, failureCalls, failures)
	add(kindAhead, delayedCalls, delayed(kindAhead))
	add(kindAfter, delayedCalls, delayed(kindAfter))
	return calls
}

// of returns the entries of a half: every other one.
func of[T any](half Half, all []T) []T {
	var out []T
	for i, entry := range all {
		if (i%2 == 0) == (half == Dev) {
			out = append(out, entry)
		}
	}
	return out
}

// pick returns one entry.
func pick[T any](random *rand.Rand, entries []T) T { return entries[random.IntN(len(entries))] }
