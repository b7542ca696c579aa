package maintenance_test

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/jobs/jobstest"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/s3"
)

func folder(t *testing.T) files.Store {
	t.Helper()
	store, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	return store
}

func bucket(t *testing.T) files.Store {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("files"))
	server := httptest.NewTLSServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	store, err := s3.Open(s3.Config{
		Endpoint: server.URL, Bucket: "files", Region: "eu-central-1", KeyID: "KEY", Secret: "SECRET", HTTP: server.Client().Transport,
		Drafts: t.TempDir(),
	})
	require.NoError(t, err)
	return store
}

// checked is a store in which everything is found that may be, and the state of each key.
type checked struct {
	*jobstest.Fixture
	store files.Store
	want  map[string]maintenance.FileState
	good  []string // keys of files that are as they should be

	looked maintenance.Looked // by the last run
}

func (c *checked) put(t *testing.T, key string, state maintenance.FileState) {
	t.Helper()
	require.NoError(t, c.store.Put(t.Context(), key, strings.NewReader("RIFF")))
	if state == "" {
		c.good = append(c.good, key)
	} else {
		c.want[key] = state
	}
}

func (c *checked) call(t *testing.T, change string) (key string) {
	t.Helper()
	call := c.EndedCall(t)
	key = recordings.Key(c.Account.ID, call.ID)
	_, err := c.Tx.Exec(t.Context(), "UPDATE call SET recording_key = $2 WHERE id = $1", call.ID, key)
	require.NoError(t, err)
	_, err = c.Tx.Exec(t.Context(), "UPDATE call SET "+change+" WHERE id = $1", call.ID)
	require.NoError(t, err)
	return key
}

func newChecked(t *testing.T, store files.Store) *checked {
	t.Helper()
	c := &checked{Fixture: jobstest.New(t), store: store, want: map[string]maintenance.FileState{}}
	c.Limit(t, 100, 0)
	for range 3 {
		c.put(t, c.call(t, "summary = 'Good.'"), "")
	}
	c.put(t, c.call(t, "recording_key = NULL"), maintenance.FileUnnoted)
	c.put(t, c.call(t, "recording_key = NULL, erased_at = now()"), maintenance.FileOrphaned)
	c.put(t, c.call(t, "recording_key = NULL, status = 'in-progress', ended_at = NULL"), "")
	c.put(t, recordings.Key(c.Account.ID, dbfactory.ID(t)), maintenance.FileOrphaned)
	c.put(t, recordings.Key(uuid.New(), dbfactory.ID(t)), maintenance.FileForeign)
	c.put(t, "recordings/notes.txt", maintenance.FileForeign)
	c.put(t, "backups/other", "")
	c.put(t, numbers.DocumentFileKey(c.Account.ID, dbfactory.ID(t)), maintenance.FileOrphaned)
	c.put(t, numbers.DocumentFileKey(uuid.New(), dbfactory.ID(t)), maintenance.FileForeign)
	c.want[c.call(t, "summary = 'Gone.'")] = maintenance.FileMissing
	_, err := store.Drafts().New("left")
	require.NoError(t, err)
	c.want["left"] = maintenance.FileAbandoned
	return c
}

func (c *checked) run(t *testing.T, later time.Duration, fix ...maintenance.FileState) map[string]maintenance.FileState {
	t.Helper()
	check := maintenance.FileCheck{DB: c.Tx, Files: c.store, Now: func() time.Time { return time.Now().Add(later) }, Fix: fix}
	states := map[string]maintenance.FileState{}
	require.NoError(t, check.Run(t.Context(), func(found maintenance.FoundFile) error {
		states[found.Key] = found.State
		return nil
	}))
	c.looked = check.Looked
	return states
}

func TestFileCheck(t *testing.T) {
	t.Parallel()

	for name, open := range map[string]func(*testing.T) files.Store{"Folder": folder, "Bucket": bucket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChecked(t, open(t))
			young := c.run(t, 0)
			require.Len(t, young, 1, "what is young may find its row, %v", young)
			require.Equal(t, maintenance.Looked{Files: len(c.good) + len(c.want) - 3, Rows: 4, Drafts: 1}, c.looked,
				"all but what is missing, a draft and a file beside ours")
			const later = 3 * time.Hour
			for range 2 {
				require.Equal(t, c.want, c.run(t, later), "looking changes nothing")
			}
			require.Equal(t, c.want, c.run(t, later, maintenance.FileOrphaned, maintenance.FileUnnoted, maintenance.FileMissing,
				maintenance.FileAbandoned))
			for key, state := range c.run(t, later) {
				require.Equal(t, maintenance.FileForeign, state, "%s is cured", key)
			}
			var left []string
			for file, err := range c.store.List(t.Context(), "") {
				require.NoError(t, err)
				left = append(left, file.Key)
			}
			for key, state := range c.want {
				if state == maintenance.FileUnnoted || state == maintenance.FileForeign {
					c.good = append(c.good, key)
				}
			}
			require.ElementsMatch(t, c.good, left)
		})
	}
}

// A store that is not the right one must not make all calls forget their recordings.
func TestCheckFilesJobLeavesRowsAlone(t *testing.T) {
	t.Parallel()

	c := newChecked(t, folder(t))
	later := func() time.Time { return time.Now().Add(3 * time.Hour) }
	jobstest.Work(t, c.Fixture, &maintenance.CheckFilesWorker{DB: c.Tx, Files: c.store, Logger: slog.New(slog.DiscardHandler),
		Now: later}, maintenance.CheckFilesArgs{})
	for key, state := range c.run(t, 3*time.Hour) {
		require.Contains(t, []maintenance.FileState{maintenance.FileMissing, maintenance.FileForeign}, state, key)
	}
	before := c.run(t, 3*time.Hour)
	jobstest.Work(t, c.Fixture, &maintenance.CheckFilesWorker{DB: c.Tx, Files: folder(t), Logger: slog.New(slog.DiscardHandler),
		Now: later}, maintenance.CheckFilesArgs{})
	require.Equal(t, before, c.run(t, 3*time.Hour))
}
