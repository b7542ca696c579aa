package openai_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/embed/embedtest"
	"github.com/callwright/callwright/providers/embed/openai"
	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/faulttest"
	"github.com/callwright/callwright/providers/openaihttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func provider(t *testing.T, baseURL string, dimensions int) *openai.Provider {
	t.Helper()
	client := openaihttp.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return openai.New(openai.Config{
		BaseURL: baseURL, APIKey: faulttest.Key, Model: "fake", Dimensions: dimensions, Wait: faulttest.Wait, HTTP: client,
	})
}

func TestConformance(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, provider(t, embedtest.Serve(t, embedtest.NewFake("fake")), 0))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	faulttest.Run(t, faulttest.Adapter{
		Call: func(ctx context.Context, baseURL string) error {
			_, err := provider(t, baseURL, 0).Embed(ctx, []string{"hi"})
			return err
		},
		ContentType: "application/json", Begin: `{"object":"list","data":[{"index":0,"embedding":[0.25`,
		Endless: strings.Repeat(",0.25", 1000),
	})
}

func answering(t *testing.T, dimensions int, response string) *openai.Provider {
	t.Helper()
	return provider(t, faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, response)
	}), dimensions)
}

func TestAnswersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dimensions int
		response   string
	}{
		"too few":           {0, `{"data":[{"index":0,"embedding":[1,2]}]}`},
		"too many":          {0, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}`},
		"the same twice":    {0, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`},
		"of another text":   {0, `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`},
		"before the first":  {0, `{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`},
		"of two lengths":    {0, `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}`},
		"of another length": {3, `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2]}]}`},
		"empty":             {0, `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`},
		"too long": {0, `{"data":[{"embedding":[1` + strings.Repeat(",1", 8192) +
			`]},{"embedding":[1` + strings.Repeat(",1", 8192) + `]}]}`},
		"nowhere":        {0, `{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[0,1]}]}`},
		"words":          {0, `{"data":[{"index":0,"embedding":"AACAPw=="},{"index":1,"embedding":"AACAPw=="}]}`},
		"something else": {0, `{"embeddings":[[1],[2]]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := answering(t, c.dimensions, c.response).Embed(t.Context(), []string{"a", "b"})
			faulttest.Require(t, fault.Unavailable, err)
		})
	}
}

func TestAnswersOfAllSorts(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"in order":         `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1,0]},{"object":"embedding","index":1,"embedding":[0,-1e-3]}],"model":"m","usage":{"total_tokens":2}}`,
		"in another order": `{"data":[{"index":1,"embedding":[0,-0.001]},{"index":0,"embedding":[1,0]}]}`,
		"without an index": `{"data":[{"embedding":[1,0]},{"embedding":[0,-0.001]}]}`,
	} {
		vectors, err := answering(t, 2, response).Embed(t.Context(), []string{"a", "b"})
		require.NoError(t, err, name)
		require.Equal(t, [][]float32{{1, 0}, {0, -0.001}}, vectors, name)
	}
}

func TestRequestAsItIsWritten(t *testing.T) {
	t.Parallel()
	var path string
	var bodies []string
	url := faulttest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path, bodies = r.URL.Path, append(bodies, string(raw))
		io.WriteString(w, `{"data":[{"embedding":[1,0,0]}]}`)
	})
	for _, dimensions := range []int{0, 3} {
		_, err := provider(t, url, dimensions).Embed(t.Context(), []string{"Good morning."})
		require.NoError(t, err)
	}
	require.Equal(t, "/v1/embeddings", path)
	require.JSONEq(t, `{"model":"fake","input":["Good morning."],"encoding_format":"float"}`, bodies[0])
	require.JSONEq(t, `{"model":"fake","input":["Good morning."],"encoding_format":"float","dimensions":3}`, bodies[1])
	require.Equal(t, "fake", provider(t, url, 0).Model())
	require.Equal(t, "fake/3", provider(t, url, 3).Model(), "vectors of other lengths are another model's")
}
