package conversation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// listening is a call in which the assistant says something long.
func (m *materials) listening(half Half, random *rand.Rand, i int) (setting, string) {
	var reply string
	s := m.basics(random, i, func(language string) []string {
		reply = of(half, m.texts[language].LongReplies)[0]
		return []string{m.texts[language].Questions[0], reply}
	})
	return s, reply
}

// backchannels is a call in which the caller shows to listen.
func backchannels(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		s, reply := m.listening(half, random, i)
		by := m.caller(random, s)
		question := m.say(by, pick(random, of(half, m.texts[s.language].Questions)))
		var said []clip
		for range backchannelsEach {
			said = append(said, m.say(by, pick(random, of(half, m.texts[s.language].Acknowledgements))))
		}
		s.replies = []string{reply}
		return scene{s, func(r *room) (checks []Check) {
			r.prepare(reply)
			r.pass(500 * time.Millisecond)
			_, ended := r.talk(question, true)
			r.awaitSound(ended, slowTurn)
			for n, c := range said {
				r.pass(time.Duration(1300+200*n) * time.Millisecond)
				from, _ := r.talk(c, true)
				r.pass(1500 * time.Millisecond)
				gap := r.longestGap(from, r.now())
				checks = append(checks, Check{
					Kind: "backchannel", Bad: gap > shortGap, Note: fmt.Sprintf("%s: %q made a gap of %v", r.language, text(c), gap),
				})
			}
			return checks
		}}
	}
}

func text(c clip) string {
	var words []string
	for _, w := range c.words {
		words = append(words, w.text)
	}
	return strings.Join(words, " ")
}

// interruptions is a call in which the caller takes the floor.
func interruptions(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		s, reply := m.listening(half, random, i)
		by := m.caller(random, s)
		question := m.say(by, pick(random, of(half, m.texts[s.language].Questions)))
		meant := pick(random, of(half, m.texts[s.language].Objections))
		said := m.say(by, meant.Text)
		after := time.Duration(1000+random.IntN(3000)) * time.Millisecond
		return scene{s, func(r *room) []Check {
			r.prepare(reply)
			r.pass(500 * time.Millisecond)
			_, ended := r.talk(question, true)
			r.awaitSound(ended, slowTurn)
			r.pass(after)
			from, _ := r.talk(said, true)
			known := from + said.words[meant.LeadIn].to // its first word that means it is recognisable now
			r.pass(1500 * time.Millisecond)
			stopped := r.stoppedAfter(from)
			c := Check{Kind: "barge-in", MS: float64(max(stopped-known, 0)) / float64(time.Millisecond)}
			c.Bad = stopped-known > 3*time.Second
			c.Note = fmt.Sprintf("%s: %q stopped %v after its first word", r.language, meant.Text, stopped-known)
			return []Check{c}
		}}
	}
}

// stoppedAfter returns when the sound stopped that was heard at a time.
func (r *room) stoppedAfter(from time.Duration) time.Duration {
	for _, span := range r.leg.Played() {
		if span.To > from {
			return min(span.To, r.now()+longestReply)
		}
	}
	return from
}
