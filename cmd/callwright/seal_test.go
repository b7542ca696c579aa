package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

// TestSealRotate changes the key under which secrets are kept while the product runs, and drops the old one.
func TestSealRotate(t *testing.T) {
	t.Parallel()
	long(t)

	dsn := dbtest.DSN(t)
	p := startPlatform(t, dsn, true)
	old := strings.TrimPrefix(p.env[1], "CALLWRIGHT_SEAL_KEYS=")
	oldID, secret, _ := strings.Cut(old, ":")
	fresh := newSealKey()
	freshID, freshSecret, _ := strings.Cut(fresh, ":")
	require.NotEmpty(t, secret)

	worker := p.startWorker()
	talked := p.direct("+31612345611")
	p.server.waitReport(t, talked)
	worker.stop()
	_, recording := p.try(http.MethodGet, "/v1/calls/"+talked+"/recording", nil)
	require.Equal(t, "RIFF", string(recording[:4]))

	group := p.makeGroup("Linden BV")
	p.upload(group.ID, "copy-id")
	var documents struct {
		Data []struct {
			FileURL string `json:"file_url"`
		}
	}
	p.call(http.MethodGet, "/v1/verification-groups/"+group.ID+"/documents", nil, http.StatusOK, &documents)
	connection := p.connect("alice", "sip.example.com")
	made := p.rotateSecret("rotation-1")

	p.refuses(`^callwright: --seal-keys: [^\n]*"`+oldID+`" is not the one[^\n]*\n$`, oldID+":"+freshSecret)
	p.refuses(`^callwright: --seal-keys: [^\n]*"`+oldID+`" is missing[^\n]*\n$`, fresh)

	output, status := runOnce(t, append(slices.Clip(p.env), "CALLWRIGHT_SEAL_KEYS="+fresh+","+old), "seal", "rotate")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "no process has started with key "+freshID+" in front", "those that run would make no more calls")
	env := slices.Clip(p.env)
	forgotten := start(t, append(env, "CALLWRIGHT_SEAL_KEYS="+old+","+fresh), "api")
	forgotten.waitFor(`"serving"`)
	p.reseal(fresh + "," + old)
	output, status = runOnce(t, p.env, "seal", "rotate")
	require.Equal(t, 1, status, output)
	require.Regexp(t, fmt.Sprintf(`not all processes have key %s in front: [^\n]*: api on \S+ \(process %d\) seals with key %s, seen \d+ s ago\n$`,
		freshID, forgotten.cmd.Process.Pid, oldID), output)
	forgotten.stop()
	var writer sync.WaitGroup
	stop := make(chan struct{})
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				p.rotateSecret("")
			}
		}
	})
	output = p.run("seal", "rotate")
	close(stop)
	writer.Wait()
	require.Regexp(t, `Key `+oldID+` can be dropped`, output)
	for _, source := range []string{"sip_connection.sip_password", "verification_document.file_secret", "call.recording_secret",
		"idempotency_key.body"} {
		require.Regexp(t, source+` +1 sealed anew`, output)
	}
	requireNowhere(t, dsn, "v1."+oldID+".")

	p.reseal(fresh)
	p.startWorker()
	require.Equal(t, made, p.rotateSecret("rotation-1"), "the stored answer opens")
	p.call(http.MethodGet, documents.Data[0].FileURL, nil, http.StatusOK, nil)
	_, opened := p.try(http.MethodGet, "/v1/calls/"+talked+"/recording", nil)
	require.Equal(t, recording, opened, "the file is as it was, the secret is sealed anew")
	p.waitConnection(connection.ID, "registered")
	p.server.accept(t, p.rotateSecret(""))
	p.server.waitReport(t, p.direct("+31612345601"))
	p.refuses(`"`+freshID+`" is missing`, old)
}

// rotateSecret makes a new secret for webhooks, under an Idempotency-Key unless that is empty.
func (p *platform) rotateSecret(key string) string {
	request, err := http.NewRequestWithContext(context.WithoutCancel(p.t.Context()), http.MethodPost,
		p.url+"/v1/user/webhook/rotate-secret", nil)
	require.NoError(p.t, err)
	request.Header.Set("Authorization", "Bearer "+p.admin.key)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.t, err)
	defer response.Body.Close()
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	var rotated struct{ Secret string }
	require.NoError(p.t, json.NewDecoder(response.Body).Decode(&rotated))
	return rotated.Secret
}

// reseal restarts the API with other seal keys.
func (p *platform) reseal(keys string) {
	p.t.Helper()
	p.api.stop()
	p.env = append(p.env, "CALLWRIGHT_SEAL_KEYS="+keys)
	p.api = start(p.t, p.env, "api")
	p.url = "http://" + p.api.waitFor(`"serving","address":"([^"]+)"`)
}

// refuses requires that nothing starts with these keys.
func (p *platform) refuses(says, keys string) {
	p.t.Helper()
	env := append(slices.Clip(p.env), "CALLWRIGHT_SEAL_KEYS="+keys)
	for _, args := range [][]string{{"api"}, {"worker"}, {"account", "create", "second@example.com"}, {"seal", "rotate"}} {
		output, status := runOnce(p.t, env, args...)
		require.Equal(p.t, 1, status, output)
		require.Regexp(p.t, says, output)
	}
}

// requireNowhere looks through every row of every table. Links to recordings are passed over: they end with the key that sealed
// them.
func requireNowhere(t *testing.T, dsn, text string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	rows, err := conn.Query(t.Context(),
		"SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(tables), 20)
	for _, table := range tables {
		var found int
		const count = `SELECT count(*) FROM %s AS line WHERE position($1 IN regexp_replace(line::text, '/v1/recordings/[A-Za-z0-9_.-]+', '', 'g')) > 0`
		require.NoError(t, conn.QueryRow(t.Context(), fmt.Sprintf(count, table), text).Scan(&found))
		require.Zero(t, found, table)
	}
}

// TestSealedValuesAreKnown: whoever seals something new adds it to the view sealed_value and to sealContexts, or a rotation
// would leave it behind; what is not kept in the database is listed here.
func TestSealedValuesAreKnown(t *testing.T) {
	t.Parallel()

	known := []string{
		"events.SecretContext", "SecretContext", "numbers.SIPPasswordContext", "numbers.DocumentSecretContext", "AnswerContext",
		"recordingLinkContext", // in mail and reports, for a week
		"canaryContext",        // of the keys themselves
		"boundTo",              // what a rotation found
	}
	calls := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is || len(call.Args) != 2 {
				return true
			}
			if method, is := call.Fun.(*ast.SelectorExpr); is && method.Sel.Name == "Seal" {
				bound := call.Args[1]
				if made, is := bound.(*ast.CallExpr); is {
					bound = made.Fun
				}
				require.Contains(t, known, types.ExprString(bound), "%s seals what no rotation knows", path)
				calls++
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, calls, 9)
}
