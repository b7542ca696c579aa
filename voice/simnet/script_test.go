package simnet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseScripts(t *testing.T) {
	t.Parallel()

	scripts, err := ParseScripts([]byte(`
scripts:
  default:
    language: nl
    answer_after: 250ms
    steps:
      - listen:
      - listen: 3s
      - hear: 1s
      - say: |
          Goedemiddag,
          met Alex.
      - say: "Ik bel over: iets"
        cut: 50%
      - press: 12#
      - wait: 2s
      - beep: 500ms
      - await: "2"
      - fax: 3s
  "01": {refuse: 486}
  "02": {ring: true}
`))
	require.NoError(t, err)
	require.Equal(t, Scripts{
		"default": {Language: "nl", AnswerAfter: 250 * time.Millisecond, Steps: []Step{
			{Listen: 15 * time.Second}, {Listen: 3 * time.Second}, {Hear: time.Second}, {Say: "Goedemiddag, met Alex."},
			{Say: "Ik bel over: iets", Cut: 0.5}, {Press: "12#"}, {Wait: 2 * time.Second}, {Beep: 500 * time.Millisecond},
			{Await: "2"}, {Fax: 3 * time.Second},
		}},
		"01": {Language: "en", AnswerAfter: time.Second, Refuse: 486},
		"02": {Language: "en", AnswerAfter: time.Second, Ring: true},
	}, scripts)
	require.Equal(t, 486, scripts.of("+31201234501").Refuse)
	require.Equal(t, "nl", scripts.of("+31201234599").Language)
	require.Equal(t, "nl", scripts.of("x").Language)
}

func TestMistakesInScriptsAreNamedWithTheirLine(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"":                            "EOF",
		"a: [":                        "line 1",
		"[]":                          "line 1: the document must be a mapping",
		"scripts: {}":                 "line 1: there are no scripts",
		"scripts: []":                 "line 1: scripts must be a mapping",
		"a: 1":                        `line 1: the document has no key "a"`,
		"scripts: {x: {ring: true}}":  `line 1: a number is two digits in quotes, or default, not "x"`,
		"scripts:\n  default: 3":      "line 2: a script must be a mapping",
		"scripts:\n  default: {}":     "line 2: a script has exactly one of refuse, ring and steps",
		"scripts:\n  default: {a: 1}": `line 2: a script has no key "a"`,
		"scripts: {\"01\": {ring: true}}\n---\na: 1": "more than one document",

		"scripts:\n  \"01\": {ring: true}\n  \"01\": {ring: true}":               `line 3: "01" is there twice`,
		"scripts:\n  default: {ring: true, ring: true}":                          `line 2: a script has "ring" twice`,
		"scripts:\n  default: {ring: maybe}":                                     `line 2: want true or false, not "maybe"`,
		"scripts:\n  default: {refuse: 200}":                                     `line 2: want a SIP status from 400 to 699, not "200"`,
		"scripts:\n  default: {refuse: 486, ring: true}":                         "exactly one of",
		"scripts:\n  default:\n    steps: hello":                                 "line 3: steps must be a list",
		"scripts:\n  default:\n    steps:\n      - hello":                        "line 4: a step must be a mapping",
		"scripts:\n  default:\n    steps:\n      - {}":                           "line 4: a step does exactly one thing",
		"scripts:\n  default:\n    steps:\n      - {say: a, wait: 1s}":           "line 4: a step does exactly one thing",
		"scripts:\n  default:\n    steps:\n      - await: two":                   `line 4: want keys 0-9, * and #, not "two"`,
		"scripts:\n  default:\n    steps:\n      - shout: a":                     `line 4: a step has no key "shout"`,
		"scripts:\n  default:\n    steps:\n      - say: a\n        cut: 0%":      `line 5: want a part like "50%", not "0%"`,
		"scripts:\n  default:\n    steps:\n      - wait: 1s\n        cut: 50%":   "line 4: cut belongs to say",
		"scripts:\n  default:\n    steps:\n      - wait: 1s\n        gain: -6dB": "line 4: gain belongs to echo",
		"scripts:\n  default:\n    steps:\n      - {echo: 1s, gain: 6dB}":        `line 4: want a loss like "-12dB", not "6dB"`,
		"scripts:\n  default:\n    steps:\n      - say: ''":                      "line 4: want a text",
		"scripts:\n  default:\n    steps:\n      - wait: 3":                      `line 4: want a duration like "500ms" or "2s", not "3"`,
		"scripts:\n  default:\n    steps:\n      - press: abc":                   `line 4: want keys 0-9, * and #, not "abc"`,
	} {
		_, err := ParseScripts([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func TestAllMistakesAreReported(t *testing.T) {
	t.Parallel()

	_, err := ParseScripts([]byte("scripts:\n  default: {refuse: 1}\n  \"01\": {a: 1, ring: true}\n"))
	require.ErrorContains(t, err, "line 2")
	require.ErrorContains(t, err, "line 3")
}

func TestDefaultScripts(t *testing.T) {
	t.Parallel()

	scripts, err := DefaultScripts()
	require.NoError(t, err)
	for number, code := range map[string]int{"01": 486, "03": 603, "07": 503} {
		require.Equal(t, code, scripts.of("+3160000"+number+number).Refuse)
	}
	require.True(t, scripts.of("02").Ring)
	require.Equal(t, 10*time.Second, scripts.of("08").AnswerAfter)
	require.Equal(t, scripts["default"], scripts.of("+31201234500"))
}

func FuzzParseScripts(f *testing.F) {
	f.Add(string(defaultScripts))
	f.Add("scripts: {\"01\": {refuse: 486}}")
	f.Add("scripts: &a {default: *a}")
	f.Fuzz(func(t *testing.T, text string) {
		scripts, err := ParseScripts([]byte(text))
		if err == nil && len(scripts) == 0 {
			t.Fatal("no scripts and no error")
		}
	})
}
