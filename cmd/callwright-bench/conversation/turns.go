package conversation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// part is a stretch of speech and the pause behind it.
type part struct {
	clip  clip
	pause time.Duration
}

// Where a caller pauses.
const (
	pauseNowhere = "no pause"
	pauseWithin  = "pause within a clause"
	pauseBehind  = "pause behind a clause"
)

// uttered returns what a caller says in parts: split at one pause of a kind, or at all within a number.
func (m *materials) uttered(random *rand.Rand, by speaker, e exchange, where string) []part {
	mark := map[string]string{pauseWithin: "|", pauseBehind: "/"}[where]
	var plain []string
	var candidates []int
	for field := range strings.FieldsSeq(m.hesitant(e.Say)) {
		switch {
		case field == mark:
			candidates = append(candidates, len(plain))
		case field != "|" && field != "/":
			plain = append(plain, field)
		}
	}
	if len(candidates) > 1 && where == pauseBehind {
		candidates = []int{pick(random, candidates)}
	}
	rest := m.say(by, strings.Join(plain, " "))
	var parts []part
	done := 0
	for _, at := range candidates {
		var before clip
		before, rest = rest.split(at - done)
		done = at
		parts = append(parts, part{before, time.Duration(300+random.IntN(1700)) * time.Millisecond})
	}
	return append(parts, part{clip: rest})
}

// turns is a call in which the caller answers several questions.
func turns(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		s := m.basics(random, i, func(language string) (texts []string) {
			for _, e := range m.texts[language].Exchanges {
				texts = append(texts, e.Ask)
			}
			return texts
		})
		by := m.caller(random, s)
		wheres := []string{pauseNowhere, pauseWithin, pauseBehind}
		var asked []exchange
		var said [][]part
		var where []string
		for n := range turnsInCall {
			kind := wheres[(i+n)%len(wheres)]
			mark := map[string]string{pauseWithin: "|", pauseBehind: "/"}[kind]
			var fitting []exchange
			for _, e := range of(half, m.texts[s.language].Exchanges) {
				if strings.Contains(e.Say, mark) && !slices.Contains(asked, e) {
					fitting = append(fitting, e)
				}
			}
			e := pick(random, fitting)
			asked, said, where = append(asked, e), append(said, m.uttered(random, by, e, kind)), append(where, kind)
		}
		s.first = asked[0].Ask
		return scene{s, func(r *room) (checks []Check) {
			r.awaitSound(0, slowTurn)
			quiet := quietEnough
			for n, parts := range said {
				r.awaitQuiet(quiet, longestReply)
				r.pass(time.Duration(200+100*n) * time.Millisecond)
				if next := n + 1; next < len(asked) {
					r.prepare(asked[next].Ask)
				} else {
					r.prepare(asked[0].Ask)
				}
				found := r.takeTurn(parts, where[n], asked[n])
				checks = append(checks, found...)
				if quiet = quietEnough; found[0].Bad { // what it says now may be followed by an answer to the rest
					quiet = quietForSure
				}
			}
			return checks
		}}
	}
}

// What vendors that stream take from the request to the first part.
const (
	usualModelDelay = 600 * time.Millisecond
	usualVoiceDelay = 150 * time.Millisecond
)

// delayed are the calls of turns with vendors that take their time. Those of both kinds are the same.
func delayed(kind string) func(Half, int) func(*materials, *rand.Rand) scene {
	return func(half Half, i int) func(*materials, *rand.Rand) scene {
		return func(m *materials, random *rand.Rand) scene {
			s := turns(half, i)(m, random)
			s.setting.modelDelay, s.setting.voiceDelay, s.setting.thinksAfter = usualModelDelay, usualVoiceDelay, kind == kindAfter
			play := s.act
			s.act = func(r *room) []Check {
				checks := play(r)
				for i := range checks {
					checks[i].Kind += " " + kind
				}
				return checks
			}
			return s
		}
	}
}

// takeTurn says something in parts and looks at when the answer comes.
func (r *room) takeTurn(parts []part, where string, e exchange) []Check {
	begun := r.now()
	var ended time.Duration
	for n, p := range parts {
		_, ended = r.talk(p.clip, n == len(parts)-1)
		r.pass(p.pause)
	}
	at, ok := r.awaitSound(begun, slowTurn+ended-r.now())
	c := Check{Kind: "turn", Note: fmt.Sprintf("%s, %s, %s: %q", r.language, where, r.punctuation, e.Say)}
	switch {
	case ok && at < ended:
		c.Bad = true
		c.Note += fmt.Sprintf(" cut off %.2f s before the end", (ended - at).Seconds())
	case ok:
		c.MS = float64(at-ended) / float64(time.Millisecond)
	default:
		c.MS = float64(slowTurn / time.Millisecond)
	}
	return []Check{c, r.silence(ended, at, ok)}
}

// silence looks at how long the caller heard nothing.
func (r *room) silence(from, to time.Duration, ok bool) Check {
	return Check{Kind: "silence", Bad: !ok || to-from > longSilence, Note: fmt.Sprintf("%s, from %v to %v", r.vendors, from, to)}
}
