package worker

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/served"
)

// shownFailures returns failures as the API shows them, without their times.
func shownFailures(t *tally) []string {
	var out []string
	for _, f := range t.providers().Failures {
		standIn := "nobody"
		if f.StandIn != nil {
			standIn = *f.StandIn
		}
		out = append(out, strings.Join([]string{f.Kind, f.Provider, f.Happened, strconv.Itoa(f.Times), standIn}, " "))
	}
	return out
}

func TestTallyOfFailures(t *testing.T) {
	t.Parallel()
	vendors := &tally{}
	serves := func(family served.Family, vendor string) { vendors.add(family, served.By{Vendor: vendor}) }
	failed := func(family served.Family, vendor string, happened served.Happened) {
		vendors.fail(family, served.Failure{Vendor: vendor, Happened: happened, Message: "what " + vendor + " says"})
	}
	failed(served.LLM, "openai", served.TimedOut)
	failed(served.LLM, "groq", served.Unavailable)
	serves(served.TTS, "elevenlabs")
	serves(served.LLM, "ollama") // stands in for both
	failed(served.STT, "deepgram", served.BrokeOff)
	serves(served.STT, "deepgram") // it was asked again
	failed(served.LLM, "openai", served.Stalled)
	failed(served.LLM, "openai", served.TimedOut)
	failed(served.Answerer, "openai", served.TimedOut)
	vendors.fail(served.LLM, served.Failure{Vendor: "azure", Happened: served.TimedOut, StandIn: "groq"})
	require.Equal(t, []string{
		"model openai timeout 2 nobody", "model groq unavailable 1 ollama", "transcriber deepgram broke 1 nobody",
		"model openai stalled 1 nobody", "answering-detection openai timeout 1 rules", "model azure timeout 1 groq",
	}, shownFailures(vendors), "nobody has stood in yet for the last ones")
	serves(served.LLM, "groq")
	require.Equal(t, "model openai timeout 2 groq", shownFailures(vendors)[0])
	require.Equal(t, "model openai stalled 1 groq", shownFailures(vendors)[3])
	require.Equal(t, "model groq unavailable 1 ollama", shownFailures(vendors)[1])
	require.Equal(t, "what openai says", vendors.providers().Failures[0].Error)
}

// However many vendors fail and whatever they say, the call's row stays small.
func TestTallyOfFailuresIsBounded(t *testing.T) {
	t.Parallel()
	vendors := &tally{}
	for i := range 1000 {
		failure := served.Failure{Vendor: "vendor" + strconv.Itoa(i%100), Happened: served.TimedOut,
			Message: strings.Repeat("é\x00", 1000)}
		vendors.fail(served.TTS, failure)
	}
	got := vendors.providers().Failures
	require.Len(t, got, mostFailures)
	require.Equal(t, 10, got[0].Times)
	row, err := json.Marshal(got)
	require.NoError(t, err)
	require.Less(t, len(row), 24<<10)
	require.Contains(t, got[0].Error, "…")
	require.NotContains(t, got[0].Error, "\x00")

	none, err := json.Marshal(jsonb.Providers{}.Failures)
	require.NoError(t, err)
	require.Equal(t, "[]", string(none), "also of a call from before they were kept")
}
