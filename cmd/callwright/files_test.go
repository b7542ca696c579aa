package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbtest"
)

func TestFilesCheck(t *testing.T) {
	t.Parallel()

	o, folder := newOperator(t, dbtest.DSN(t)), t.TempDir()
	o.env = append(o.env, "CALLWRIGHT_FILES_DIR="+folder)
	account := find(t, `account\s+(\S+)`, o.run("account", "create", "owner@example.com"))
	require.Equal(t, "[]\n", o.run("files", "check", "--json"))
	require.Equal(t, "All is well: 0 files, 0 rows that name one and 0 unfinished files are looked at, and none differs.\n",
		o.run("files", "check"))

	key := "recordings/" + account + "/" + uuid.NewString() + ".wav"
	path := filepath.Join(folder, filepath.FromSlash(key))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte("RIFF"), 0o600))
	require.Regexp(t, "^All is well: 1 files, ", o.run("files", "check"), "its row may be about to be written")
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-2*time.Hour)))
	output, status := runOnce(t, o.env, "files", "check")
	require.Equal(t, 1, status)
	require.Regexp(t, `orphaned +`+key+` +4 .* false\n[^\n]*: 1 of 1 files, 0 rows[^\n]* differ and are not fixed\n$`, output)
	_, status = runOnce(t, o.env, "files", "check", "--json")
	require.Equal(t, 1, status)
	require.FileExists(t, path)
	require.Regexp(t, `orphaned +`+key+` +4 .* true\nAll that differed is fixed: 1 files, `, o.run("files", "check", "--fix"))
	require.NoFileExists(t, path)
	o.run("files", "check")
}
