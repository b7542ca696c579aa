package conversation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/callwright/callwright/voice/audio"
)

// rooms is a call out of a room with other sounds.
func rooms(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		var replies []string
		s := m.basics(random, i, func(language string) []string {
			replies = of(half, m.texts[language].ShortReplies)
			return append(slices.Clone(replies), of(half, m.texts[language].LongReplies)...)
		})
		long := of(half, m.texts[s.language].LongReplies)[0]
		by := m.caller(random, s)
		below := 10 + 25*random.Float64()
		var what string
		others := of(half, m.texts[s.language].Broadcasts)
		switch (i / 2) % 5 {
		case 0, 1:
			s.background, what = m.television(random, s.language, others), "television"
		case 2:
			s.background, what = clip{pcm: music(random, 25*time.Second)}, "music"
		case 3:
			s.background, what = clip{pcm: noise(random, 25*time.Second, random.IntN(2) == 0)}, "noise"
		case 4:
			s.background, what = m.chatter(random, s.language, others), "chatter"
		}
		s.backgroundLevel = callerLevel - below
		s.background = s.background.at(s.backgroundLevel)
		var asked []clip
		for range 3 {
			asked = append(asked, m.say(by, pick(random, of(half, m.texts[s.language].Questions))))
		}
		return scene{s, func(r *room) []Check {
			c := Check{Kind: "background"}
			wrong := func(format string, values ...any) {
				c.Bad = true
				c.Note += "; " + fmt.Sprintf(format, values...)
			}
			c.Note = fmt.Sprintf("%s: %s %.0f dB below the caller", r.language, what, below)
			r.pass(800 * time.Millisecond)
			for n, question := range asked {
				reply := replies[n%len(replies)]
				if n == 1 {
					reply = long
				}
				r.prepare(reply)
				begun, ended := r.talk(question, true)
				at, ok := r.awaitSound(begun, slowTurn)
				switch {
				case !ok || at-ended > 2500*time.Millisecond:
					wrong("question %d was answered after %v", n+1, at-ended)
				case at < ended:
					wrong("question %d was cut off", n+1)
				}
				r.awaitQuiet(time.Second, longestReply)
				if gap := r.longestGap(at, at+r.lengthOf(reply)-100*time.Millisecond); ok && gap > shortGap {
					wrong("answer %d was interrupted for %v", n+1, gap)
				}
				r.pass(2 * time.Second)
				if later, more := r.firstSound(at + r.lengthOf(reply) + time.Second); ok && more {
					wrong("it spoke again %v after answer %d", later-at, n+1)
				}
			}
			return []Check{c}
		}}
	}
}

// lengthOf returns how long the assistant takes to say a text.
func (r *room) lengthOf(text string) (length time.Duration) {
	for _, part := range r.aloud(text) {
		length += audio.Duration(len(r.voices[part]))
	}
	return length
}

// echoes is a call with a telephone that gives back what it hears.
func echoes(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		s, reply := m.listening(half, random, i)
		by := m.caller(random, s)
		s.echo = -6 - 24*random.Float64()
		s.echoDelay = time.Duration(60+random.IntN(340)) * time.Millisecond
		s.echoJitter = pick(random, []time.Duration{0, 10 * time.Millisecond, 20 * time.Millisecond})
		s.first = reply
		question := m.say(by, pick(random, of(half, m.texts[s.language].Questions)))
		return scene{s, func(r *room) (checks []Check) {
			what := fmt.Sprintf("%s: echo of %.0f dB after %v, moving by %v", r.language, r.echo, s.echoDelay, r.echoJitter)
			at, _ := r.awaitSound(0, slowTurn)
			r.prepare(reply)
			look := func(from time.Duration) {
				r.awaitQuiet(700*time.Millisecond, longestReply)
				gap := r.longestGap(from, from+r.lengthOf(reply)-100*time.Millisecond)
				checks = append(checks, Check{Kind: "echo", Bad: gap > shortGap, Note: fmt.Sprintf("%s: gap of %v", what, gap)})
				r.pass(1500 * time.Millisecond)
				if again, more := r.firstSound(from + r.lengthOf(reply) + 500*time.Millisecond); more {
					checks = append(checks, Check{Kind: "echo", Bad: true, Note: fmt.Sprintf("%s: answered itself at %v", what, again)})
				}
			}
			look(at)
			_, ended := r.talk(question, true)
			at, _ = r.awaitSound(ended, slowTurn)
			look(at)
			return checks
		}}
	}
}
