package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/providers/peertest"
)

// TestRestore backs up and restores as docs/operations.md says, beside a deployment that works, and finds every call, key and
// file. The restored one then writes out an account and deletes it, of which the first one notices nothing.
func TestRestore(t *testing.T) {
	t.Parallel()
	long(t)

	dumper := peertest.Require(t, "pg_dump")
	p := startPlatform(t, dbtest.DSN(t), true)
	worker := p.startWorker()
	p.run("account", "create", "other@example.com")
	p.upload(p.makeGroup("Linden Dental").ID, "copy-id")
	talked, refused := p.direct("+31612345605"), p.direct("+31612345601")
	for _, id := range []string{talked, refused} {
		p.server.waitReport(t, id)
	}
	worker.stop()

	dump := filepath.Join(openDir(t), "callwright.dump")
	runPostgres(t, dumper, "--format=custom", "--file="+dump, "--dbname="+p.setting("DATABASE_URL"))
	restored := p.restore(t, dumper, dump)

	for _, path := range []string{"/v1/calls", "/v1/calls/" + talked, "/v1/calls/" + talked + "/recording", "/v1/events",
		"/v1/contacts", "/v1/assistants", "/v1/phone-numbers"} {
		want, wantBody := p.try(http.MethodGet, path, nil)
		got, body := restored.try(http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, want, path)
		require.Equal(t, http.StatusOK, got, path)
		require.Equal(t, string(wantBody), string(body), path)
	}
	require.Equal(t, "[]\n", restored.run("files", "check", "--json"))

	restored.requireExport(talked)
	restored.requireDeletion()
	require.Equal(t, "completed", p.get(talked).Status, "the first deployment has it all")
	require.NotEmpty(t, p.recording(talked).Channels)
}

// restore brings the dump and a copy of the files up as another deployment with the same seal keys.
func (p *platform) restore(t *testing.T, dumper, dump string) *platform {
	t.Helper()
	r := &platform{t: t, account: p.account, assistantID: p.assistantID, server: p.server, client: &client{t: t, key: p.key}}
	folder, dsn := filepath.Join(t.TempDir(), "files"), emptyDatabase(t)
	runPostgres(t, filepath.Join(filepath.Dir(dumper), "pg_restore"), "--no-owner", "--exit-on-error", "--dbname="+dsn, dump)
	require.NoError(t, os.CopyFS(folder, os.DirFS(p.setting("CALLWRIGHT_FILES_DIR"))))
	r.env = append(slices.Clone(p.env), "DATABASE_URL="+dsn, "CALLWRIGHT_FILES_DIR="+folder)
	r.api = start(t, r.env, "api")
	r.url = "http://" + r.api.waitFor(`"serving","address":"([^"]+)"`)
	return r
}

func runPostgres(t *testing.T, program string, args ...string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// setting is what the processes of the platform have in their environment; the last of a name counts.
func (p *platform) setting(name string) string {
	p.t.Helper()
	for _, entry := range slices.Backward(p.env) {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	p.t.Fatalf("%s is not set", name)
	return ""
}

// requireExport writes the account out: all of it, and no secret.
func (p *platform) requireExport(callID string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "account.zip")
	p.run("export", "account", "owner@example.com", "--output="+file)
	archive, err := zip.OpenReader(file)
	require.NoError(p.t, err)
	defer archive.Close()
	content := func(name string) []byte {
		entry, err := archive.Open(name)
		require.NoError(p.t, err)
		defer entry.Close()
		bytes, err := io.ReadAll(entry)
		require.NoError(p.t, err)
		return bytes
	}
	var manifest struct {
		Rows       map[string]int
		Recordings int
		Documents  int
		Missing    []string
	}
	require.NoError(p.t, json.Unmarshal(content("manifest.json"), &manifest))
	require.Equal(p.t, 2, manifest.Rows["call"])
	require.Equal(p.t, 1, manifest.Rows["account"])
	require.Positive(p.t, manifest.Rows["call_turn"])
	require.Positive(p.t, manifest.Rows["event"])
	require.Equal(p.t, 1, manifest.Recordings)
	require.Equal(p.t, 1, manifest.Documents)
	require.Empty(p.t, manifest.Missing)
	_, described, _ := strings.Cut(string(content("README.txt")), "The tables:")
	tables := slices.Sorted(maps.Keys(manifest.Rows))
	for line := range strings.SplitSeq(strings.TrimSpace(described), "\n") {
		name, _, _ := strings.Cut(line, " ")
		require.Contains(p.t, tables, name, "README.txt describes it")
		tables = slices.DeleteFunc(tables, func(table string) bool { return table == name })
	}
	require.Empty(p.t, tables, "README.txt does not describe them")
	document := archive.File[slices.IndexFunc(archive.File, func(f *zip.File) bool { return strings.HasPrefix(f.Name, "documents/") })].Name
	require.Regexp(p.t, `^documents/[0-9a-f-]{36}\.pdf$`, document)
	require.Equal(p.t, "%PDF-1.7 paper", string(content(document)))
	_, recording := p.try(http.MethodGet, "/v1/calls/"+callID+"/recording", nil)
	require.True(p.t, bytes.Equal(recording, content("recordings/"+callID+".wav")), "the recording is open")
	require.Contains(p.t, string(content("call.jsonl")), callID)
	require.Contains(p.t, string(content("event.jsonl")), `"callStatus":`)
	require.NotContains(p.t, string(content("event.jsonl")), `"packed":`)
	require.Contains(p.t, string(content("person.jsonl")), "owner@example.com")
	require.NotContains(p.t, string(content("person.jsonl")), "password")
	secrets := p.sealedValues()
	require.NotEmpty(p.t, secrets)
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, ".jsonl") {
			text := string(content(entry.Name))
			require.False(p.t, slices.ContainsFunc(secrets, func(sealed string) bool { return strings.Contains(text, sealed) }),
				entry.Name)
			require.NotContains(p.t, text, `"hash":`, entry.Name)
		}
	}
	output, status := runOnce(p.t, p.env, "export", "account", p.account, "--output="+file)
	require.Equal(p.t, 1, status, output)
	require.Contains(p.t, output, "is there already")
	output, status = runOnce(p.t, p.env, "export", "account", p.account, "--output=/nowhere/owner.zip")
	require.Equal(p.t, 1, status, output)
	require.Contains(p.t, output, "export account: --output: open /nowhere/")
}

// sealedValues are the secrets in the database, as they are there.
func (p *platform) sealedValues() []string {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), p.setting("DATABASE_URL"))
	require.NoError(p.t, err)
	rows, err := conn.Query(p.t.Context(), "SELECT sealed FROM sealed_value")
	require.NoError(p.t, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(p.t, err)
	require.NoError(p.t, conn.Close(p.t.Context()))
	return values
}

// requireDeletion deletes the account once nothing of it is live, and finds nothing of it left but its id.
func (p *platform) requireDeletion() {
	p.t.Helper()
	deletion := []string{"account", "delete", "owner@example.com"}
	output, status := runOnce(p.t, p.env, deletion...)
	require.Equal(p.t, 1, status)
	require.Contains(p.t, output, "--confirm=owner@example.com is missing")
	deletion = append(deletion, "--confirm=owner@example.com")
	waiting := p.direct("+31612345601")
	output, status = runOnce(p.t, p.env, deletion...)
	require.Equal(p.t, 1, status)
	require.Contains(p.t, output, "1 calls are not over")
	worker := p.startWorker()
	p.server.waitReport(p.t, waiting)
	worker.stop()
	p.run("account", "credit", p.account, "5", "--reason=gift") // a ledger that nobody may change

	require.Contains(p.t, p.run(deletion...), "Account "+p.account+" is deleted, with 2 files")
	require.Contains(p.t, p.run("account", "delete", p.account), "with 0 files", "again")
	status, _ = p.try(http.MethodGet, "/v1/calls", nil)
	require.Equal(p.t, http.StatusUnauthorized, status)

	pool, err := pgxpool.New(p.t.Context(), p.setting("DATABASE_URL"))
	require.NoError(p.t, err)
	defer pool.Close()
	tables, err := db.AccountTables(p.t.Context(), pool)
	require.NoError(p.t, err)
	require.Greater(p.t, len(tables), 25)
	rows := func(condition string) (count int) {
		require.NoError(p.t, pool.QueryRow(p.t.Context(), "SELECT count(*) FROM "+condition, p.account).Scan(&count))
		return count
	}
	for _, table := range tables {
		require.Zero(p.t, rows(table.Name+" WHERE account_id = $1"), table.Name)
	}
	require.Zero(p.t, rows("account WHERE id = $1"))
	const looksOnce = "kind = 'discard_verification_file'" // an hour after each upload, for a file that no row names
	require.Zero(p.t, rows("river_job WHERE args::text LIKE '%' || $1 || '%' AND NOT "+looksOnce))
	require.Equal(p.t, 1, rows("account WHERE id <> $1"), "the other account")
	require.Equal(p.t, 1, rows("webhook_endpoint WHERE account_id <> $1"))
	require.NoError(p.t, filepath.WalkDir(p.setting("CALLWRIGHT_FILES_DIR"), func(path string, entry fs.DirEntry, err error) error {
		require.True(p.t, entry.IsDir(), path)
		return err
	}))
}
