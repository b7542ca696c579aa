package conversation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/callwright/callwright/providers/tts"
	"github.com/callwright/callwright/providers/tts/espeak"
	"github.com/callwright/callwright/providers/tts/flite"
	"github.com/callwright/callwright/voice/audio"
)

const (
	callerLevel = -22.0 // dBFS of a caller while speaking
	quietFrame  = -50.0 // dBFS below the loudest frame of a voice: silence
)

// speaker is one of the corpus's voices.
type speaker struct{ synthesiser, voice string }

// The voices of a language. English has Flite, which is in the program; the rest is espeak-ng, where that is installed.
func (m *materials) speakers(language string) []speaker {
	var out []speaker
	if language == "en" {
		out = append(out, speaker{"flite", flite.Kal}, speaker{"flite", flite.Slt})
	}
	if m.espeak.Installed() {
		for _, variant := range []string{"", "+m3", "+m7", "+f2", "+f4"} {
			voice := language + variant
			if language == "en" {
				voice = "en-us" + variant
			}
			out = append(out, speaker{"espeak", voice})
		}
	}
	return out
}

// languages returns those that can be spoken here.
func (m *materials) languages() []string {
	if !m.espeak.Installed() {
		return []string{"en"}
	}
	languages := []string{"en", "nl"}
	if _, ok := m.texts["de"]; ok {
		languages = append(languages, "de")
	}
	return languages
}

// materials makes and keeps the sounds of the corpus.
type materials struct {
	ctx    context.Context
	folder string // of sounds made before
	espeak *espeak.Provider
	flite  *flite.Provider
	made   map[string][]int16
	texts  map[string]texts
	rough  *rand.Rand // how callers hesitate in the call that is being made; nil: they do not
}

func newMaterials(ctx context.Context, folder, file string) (*materials, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, fmt.Errorf("make the corpus: %w", err)
	}
	texts, err := readTexts(file)
	if err != nil {
		return nil, err
	}
	return &materials{
		ctx: ctx, texts: texts, folder: folder, made: map[string][]int16{},
		espeak: espeak.New(espeak.Config{}), flite: flite.New(flite.Config{}),
	}, nil
}

// unspeakable carries an error of speak out of the making of a corpus, to prepare, which returns it.
type unspeakable struct{ error }

// speak returns a text in a voice, without silence around it, at callerLevel.
func (m *materials) speak(by speaker, text string) []int16 {
	sum := sha256.Sum256([]byte(by.synthesiser + "\n" + by.voice + "\n" + text))
	key := fmt.Sprintf("%x", sum[:12])
	if pcm, ok := m.made[key]; ok {
		return pcm
	}
	path := filepath.Join(m.folder, key+".raw")
	pcm, err := readSamples(path)
	if errors.Is(err, fs.ErrNotExist) {
		if pcm, err = m.synthesise(by, text); err == nil {
			pcm = level(trim(pcm), callerLevel)
			err = writeSamples(path, pcm)
		}
	}
	if err != nil {
		panic(unspeakable{fmt.Errorf("speak %q as %s: %w", text, by.voice, err)})
	}
	m.made[key] = pcm
	return pcm
}

func (m *materials) synthesise(by speaker, text string) ([]int16, error) {
	var provider tts.Provider = m.flite
	if by.synthesiser == "espeak" {
		provider = m.espeak
	}
	var pcm []int16
	for chunk, err := range provider.Speak(m.ctx, tts.Request{Text: text, Voice: by.voice}) {
		if err != nil {
			return nil, err
		}
		pcm = append(pcm, chunk...)
	}
	return pcm, nil
}

func readSamples(path string) ([]int16, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pcm := make([]int16, len(data)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return pcm, nil
}

// writeSamples writes a file that is whole wherever it exists.
func writeSamples(path string, pcm []int16) error {
	data := make([]byte, 0, 2*len(pcm))
	for _, v := range pcm {
		data = binary.LittleEndian.AppendUint16(data, uint16(v))
	}
	whole := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(whole, data, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, path)
}

// trim removes silence from both ends.
func trim(pcm []int16) []int16 {
	const step = audio.FrameLen / 4
	threshold := loudest(pcm) + quietFrame + 15
	from, to := len(pcm), 0
	for at := 0; at+step <= len(pcm); at += step {
		if audio.Level(pcm[at:at+step]) > threshold {
			from, to = min(from, at), at+step
		}
	}
	return pcm[min(from, to):to]
}

// loudest returns the level of the loudest frame.
func loudest(pcm []int16) float64 {
	most := -100.0
	for at := 0; at+audio.FrameLen <= len(pcm); at += audio.FrameLen {
		most = max(most, audio.Level(pcm[at:at+audio.FrameLen]))
	}
	return most
}

// level scales sound so that it has a level where it is not silent.
func level(pcm []int16, dBFS float64) []int16 {
	var sum float64
	var count int
	floor := loudest(pcm) - 25
	for at := 0; at+audio.FrameLen <= len(pcm); at += audio.FrameLen {
		if frame := pcm[at : at+audio.FrameLen]; audio.Level(frame) > floor {
			for _, v := range frame {
				sum += float64(v) * float64(v)
			}
			count += len(frame)
		}
	}
	if count == 0 {
		return pcm
	}
	gain := audio.Gain(dBFS) * math.MaxInt16 / math.Sqrt(sum/float64(count))
	out := make([]int16, len(pcm))
	for i, v := range pcm {
		out[i] = audio.Clamp(float64(v) * gain)
	}
	return out
}

// word is a word and when it was spoken, since the beginning of its clip.
type word struct {
	text     string
	from, to time.Duration
}

// clip is sound with the words in it.
type clip struct {
	pcm   []int16
	words []word
}

func (c clip) length() time.Duration { return audio.Duration(len(c.pcm)) }

// say returns a text as a clip. The words share the time by their letters.
func (m *materials) say(by speaker, text string) clip {
	pcm := m.speak(by, text)
	fields := strings.Fields(text)
	total := 0
	for _, field := range fields {
		total += weight(field)
	}
	c := clip{pcm: pcm}
	passed := 0
	for _, field := range fields {
		from := audio.Duration(len(pcm) * passed / total)
		passed += weight(field)
		c.words = append(c.words, word{field, from, audio.Duration(len(pcm) * passed / total)})
	}
	return c
}

// weight is how long a word takes, roughly: digits are words of their own.
func weight(field string) int {
	sum := 2
	for _, r := range field {
		switch {
		case r >= '0' && r <= '9':
			sum += 4
		case strings.ContainsRune(".,?!", r):
			sum += 2
		default:
			sum++
		}
	}
	return sum
}

// split cuts a clip behind a number of its words, at the quietest instant near there.
func (c clip) split(words int) (before, after clip) {
	at := audio.Samples(c.words[words-1].to)
	best := 0.0
	const step, reach = audio.FrameLen / 4, audio.Rate / 8
	cut := at
	for from := max(at-reach, 0); from+step <= min(at+reach, len(c.pcm)); from += step {
		if found := audio.Level(c.pcm[from : from+step]); found < best {
			best, cut = found, from+step/2
		}
	}
	when := audio.Duration(cut)
	before.pcm, after.pcm = c.pcm[:cut], c.pcm[cut:]
	for i, w := range c.words {
		if i < words {
			before.words = append(before.words, word{w.text, w.from, min(w.to, when)})
			continue
		}
		after.words = append(after.words, word{w.text, max(w.from-when, 0), w.to - when})
	}
	before.words[words-1].to = when
	before.pcm = trim(before.pcm)
	return before, after
}
