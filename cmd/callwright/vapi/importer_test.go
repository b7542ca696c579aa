package vapi_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/cmd/callwright/vapi"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/db/jsonb"
	"github.com/callwright/callwright/providers/all"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var update = flag.Bool("update", false, "write the golden files")

// golden requires that text is what the file holds.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

func readExport(t *testing.T) *vapi.Export {
	t.Helper()
	file, err := os.Open("testdata/export.json")
	require.NoError(t, err)
	defer file.Close()
	export, err := vapi.ReadFile(file)
	require.NoError(t, err)
	return export
}

var madeID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// table writes rows as text in which ids of this program look all alike.
func table(t *testing.T, rows []vapi.Row) string {
	t.Helper()
	var text strings.Builder
	writer := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(writer, "%s\t%s\t%s\t%s\t%s\n", row.Kind, row.Name, row.Field, row.Outcome, madeID.ReplaceAllString(row.Why, "ID"))
	}
	require.NoError(t, writer.Flush())
	return text.String()
}

// deployment is an API with two vendors, and an importer to it.
func deployment(t *testing.T) (*apitest.Server, *vapi.Importer) {
	t.Helper()
	server := apitest.New(t, func(a *api.API) {
		a.Vendors = all.Offer{LLM: []string{"openai"}, STT: []string{"deepgram"}, TTS: []string{"elevenlabs", "11labs"}}
	})
	served := httptest.NewServer(server.Handler)
	t.Cleanup(served.Close)
	return server, &vapi.Importer{
		To: &vapi.Client{URL: served.URL, Key: server.Key, HTTP: served.Client()},
		SIP: map[string]vapi.SIPAccount{"+31201234500": {Username: "user", Password: "password", Proxy: "sip.example.com",
			Provider: "Carrier"}},
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	rows, err := (&vapi.Importer{DryRun: true}).Run(t.Context(), readExport(t))
	require.NoError(t, err)
	golden(t, "dry-run.txt", table(t, rows))
}

func TestImport(t *testing.T) {
	t.Parallel()

	server, importer := deployment(t)
	rows, err := importer.Run(t.Context(), readExport(t))
	require.NoError(t, err)
	golden(t, "import.txt", table(t, rows))

	plain := apitest.Want[jsonb.Object](t, server, http.StatusCreated, http.MethodPost, "/v1/assistants",
		map[string]any{"assistant_name": "Plain"})
	listed := func() map[string]jsonb.Object {
		page := apitest.Want[struct{ Data []jsonb.Object }](t, server, http.StatusOK, http.MethodGet, "/v1/assistants?limit=100", nil)
		byName := map[string]jsonb.Object{}
		for _, assistant := range page.Data {
			for _, field := range []string{"assistant_id", "phone_number_id", "created_at", "updated_at"} {
				delete(assistant, field)
			}
			maps.DeleteFunc(assistant, func(field string, value any) bool { return reflect.DeepEqual(value, plain[field]) })
			if name, ok := assistant["assistant_name"].(string); ok {
				byName[name] = assistant
			}
		}
		require.Len(t, byName, len(page.Data)-1)
		return byName
	}
	made := listed()
	text, err := json.MarshalIndent(made, "", "  ")
	require.NoError(t, err)
	golden(t, "assistants.json", string(text)+"\n")

	again, err := importer.Run(t.Context(), readExport(t))
	require.NoError(t, err)
	require.NotContains(t, table(t, again), "made")
	require.Equal(t, made, listed(), "a second run makes nothing")
}

// A run that was cut off, and whose outcome is not known, is gone on with.
func TestWhatWasMadeIsNotMadeAgain(t *testing.T) {
	t.Parallel()

	server, importer := deployment(t)
	export := readExport(t)
	export.Squads, export.PhoneNumbers = nil, nil
	ctx, cut := context.WithCancel(t.Context())
	importer.To.HTTP = &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if req.Method == http.MethodPost && err == nil && resp.StatusCode == http.StatusCreated {
			cut() // the answer is lost
			return nil, context.Canceled
		}
		return resp, err
	})}
	_, err := importer.Run(ctx, export)
	require.ErrorIs(t, err, context.Canceled)
	importer.To.HTTP = http.DefaultClient
	_, err = importer.Run(t.Context(), export)
	require.NoError(t, err)
	page := apitest.Want[struct{ Data []map[string]any }](t, server, http.StatusOK, http.MethodGet, "/v1/assistants", nil)
	require.Len(t, page.Data, 2)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// What was deleted here since comes back, though the request is that of before.
func TestADeletedAssistantIsMadeAnew(t *testing.T) {
	t.Parallel()

	server, importer := deployment(t)
	export := &vapi.Export{Assistants: readExport(t).Assistants[1:]}
	for range 2 {
		rows, err := importer.Run(t.Context(), export)
		require.NoError(t, err)
		require.Equal(t, vapi.Made, rows[0].Outcome)
		id := strings.TrimPrefix(rows[0].Why, "as ")
		require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, "/v1/assistants/"+id, nil).Status)
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()

	export := readExport(t)
	lists := map[string][]vapi.Document{
		"/assistant": export.Assistants, "/tool": export.Tools, "/phone-number": export.PhoneNumbers, "/squad": export.Squads,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer key" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"message": "Invalid Key", "statusCode": 401}`)
			return
		}
		_ = json.NewEncoder(w).Encode(lists[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	client := &vapi.Client{URL: server.URL, Key: "key", HTTP: server.Client()}
	fetched, err := vapi.Fetch(t.Context(), client)
	require.NoError(t, err)
	require.Equal(t, export, fetched)
	client.Key = "wrong"
	_, err = vapi.Fetch(t.Context(), client)
	require.ErrorContains(t, err, "401: Invalid Key")
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		``: "EOF", `{}`: "has no assistants", `[]`: "has no assistants", `[{"name": "x"}]`: "assistant 1 of the export has no id",
		`"x"`:               "read export",
		`{"assistants": 7}`: "read export",
	} {
		_, err := vapi.ReadFile(strings.NewReader(text))
		require.ErrorContains(t, err, why, "%s", text)
	}
	_, err := vapi.ReadSIP(strings.NewReader(`{"31201234500": {"sip_username": "a"}}`))
	require.ErrorContains(t, err, "lacks")
}
