package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarksAreLearned(t *testing.T) {
	t.Parallel()

	open := Signs{Language: "en", Said: "I would like to make an appointment", Complete: true}
	ended := Signs{Language: "en", Said: "I would like to make an appointment.", Complete: true}
	with := func(s Signs, m Marks) float64 { s.Marks = m; return Continues(s) }

	asMeant := Marks{}.Learn("I have a question", "about my invoice.").Learn("I have a question about my invoice.", "")
	require.Greater(t, with(open, asMeant), with(open, Marks{}), "it would have put one")
	require.Less(t, with(ended, asMeant), with(ended, Marks{}), "it knows what it writes")

	atPauses := Marks{}.Learn("I have a question.", "about my invoice.")
	require.Greater(t, with(ended, atPauses), with(ended, Marks{}), "its full stops mean nothing")

	bare := Marks{}.Learn("I have a question about my invoice", "")
	require.Less(t, with(open, bare), with(open, Marks{}), "it puts none")
	require.InDelta(t, with(Signs{Language: "en", Said: "i have a question", Complete: true}, Marks{}),
		with(Signs{Language: "en", Said: "i have a question", Complete: true}, asMeant), 1e-9, "without capitals there are no marks")
	require.Equal(t, Marks{}, Marks{}.Learn("On Monday,", "or Tuesday."), "a comma is right wherever it stands")
}

func TestVoicesAreLearned(t *testing.T) {
	t.Parallel()

	said := Signs{Language: "en", Said: "i would like to make an appointment", Complete: true}
	with := func(melody float64, v Voice) float64 { s := said; s.Melody, s.Voice = melody, v; return Continues(s) }

	flat := Voice{}.Learn(1, false).Learn(1, false).Learn(1, true)
	require.Less(t, with(1, flat), with(1, Voice{}), "it is held up at ends, too")
	falling := Voice{}.Learn(-1, true).Learn(-1, true).Learn(-1, false)
	require.Greater(t, with(-1, falling), with(-1, Voice{}), "it falls within sentences, too")
	usual := Voice{}.Learn(-1, false).Learn(1, true)
	require.Less(t, with(-1, usual), with(1, usual))
	require.InDelta(t, with(0, Voice{}), with(0, flat), 1e-9, "no melody tells nothing")
}
