package conversation

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/callwright/callwright/voice/sentence"
	reading "github.com/callwright/callwright/voice/spoken"
)

const (
	slowTurn     = 8 * time.Second // nobody waits longer for an answer
	longSilence  = 4 * time.Second
	lineNoise    = -62.0 // dBFS
	shortGap     = 60 * time.Millisecond
	quietEnough  = 400 * time.Millisecond
	quietForSure = 3 * time.Second
	longestReply = 30 * time.Second
)

// basics returns the setting of a call in one of the languages, in which the assistant says these texts.
func (m *materials) basics(random *rand.Rand, i int, texts func(language string) []string) setting {
	languages := m.languages()
	s := setting{language: languages[i%len(languages)], noise: lineNoise, voices: map[string][]int16{}}
	voices := m.speakers(s.language)
	s.assistant = voices[0]
	for _, text := range texts(s.language) {
		m.record(s, text)
	}
	s.fillerVoice = m.speak(s.assistant, m.texts[s.language].LongReplies[0])
	s.punctuation = pick(random, []punctuation{asSpoken, asSpoken, stopsAtPause, none})
	return s
}

// record makes what the assistant is to say.
func (m *materials) record(s setting, text string) {
	for _, part := range s.aloud(text) {
		s.voices[part] = m.speak(s.assistant, part)
	}
}

// aloud returns the sentences of a text as the session has its voice read them.
func (s setting) aloud(text string) []string {
	reader, parts := reading.New(reading.Plan{}, s.language), sentence.Split(text)
	for i, part := range parts {
		parts[i] = reader.Read(part)
	}
	return parts
}

// caller returns a voice other than the assistant's.
func (m *materials) caller(random *rand.Rand, s setting) speaker {
	return pick(random, m.speakers(s.language)[1:])
}

// failures is a call whose vendors fail at the first question.
func failures(half Half, i int) func(*materials, *rand.Rand) scene {
	return func(m *materials, random *rand.Rand) scene {
		s, reply := m.listening(half, random, i)
		s.vendors = allFailures[i%len(allFailures)]
		question := m.say(m.caller(random, s), pick(random, of(half, m.texts[s.language].Questions)))
		return scene{s, func(r *room) []Check {
			r.prepare(reply)
			r.pass(500 * time.Millisecond)
			_, ended := r.talk(question, true)
			r.pass(15 * time.Second)
			gap := r.longestGap(ended, min(r.now(), ended+14*time.Second))
			return []Check{{Kind: "silence", Bad: gap > longSilence, Note: fmt.Sprintf("%s: %v of nothing", r.vendors, gap)}}
		}}
	}
}
