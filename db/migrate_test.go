package db_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbtest"
)

// A migration is what databases have been through, so it is never edited: what it made is changed by another one. A new
// migration adds its line here.
func TestMigrationsAreFrozen(t *testing.T) {
	t.Parallel()

	frozen := map[string]string{
		"0001_baseline.sql":                            "3375780d2b137fda2c4e3b8150ce324d57668551f4af7f48982aa32f7b80932a",
		"0002_people.sql":                              "817ca38755509e61ef38c5929578cdd516ba44e8b874fb65484138650e1d6cc7",
		"0003_web_calls.sql":                           "9672cef654ee863b509d66da702c33e386ff9513461d73657ea62a2345a7f896",
		"0004_web_calls_checked.sql":                   "ff0c20283b5fe0086228d77496546d35dfd9270e9e6421da1e80c11323253a3f",
		"0005_call_leg.sql":                            "3b6b267a29406a4577aebb9b1abcc4964b483d2e12963b0ba4fe91279d246e50",
		"0006_call_usage.sql":                          "e0f7127cce07f163007364980dd38d6ebcc1bf4c8602c46c761f16877a6d7053",
		"0007_account_budget.sql":                      "1676452a2aa0b3e1f48b594262cf9e9f2169db4b4fe44e5971373d40d53a69d4",
		"0008_call_turn_usage.sql":                     "3c590b9c24d87a6880cbb85bc9134b998ae28d0f15253710b5e06b8a6b57dee0",
		"0009_budget_exhausted.sql":                    "29db8f6e801b338c77147d670e08c382d5e4f54b09c3214633d3280aaff31643",
		"0010_call_held_index.sql":                     "a52e798e62df5b208296e536f8c8073197b8ea60f23c2489bd5cf070fef34d94",
		"0011_call_live_index_dropped.sql":             "fbf0829cfa23aa4c253e3543201f54b465e09bf6b6687f3d6a8e22e4bd4b8480",
		"0012_first_partitions.sql":                    "2fc4005f741033777a2052b77f42dba1e5a5d8d732bcd8a030c4ba07fc3bd3a5",
		"0013_number_events.sql":                       "ef256d597d793c3d65fc95f10cf33668e2c871692d9fefcc8498271b2ce5e555",
		"0014_call_listener.sql":                       "c5cd84c0d8d55e1de3e2e463098216e7d3353d8fbbcad3b6248cbe0035d3ce54",
		"0015_call_turn_speaker.sql":                   "c7c29f174f208aac3d35a32b9971c19ce598a9e7b1329ab3d0a859ea44ed1c98",
		"0016_call_usage_leg.sql":                      "e561e6d67ab1fedd0425b1815d17029d6dd332597a2aa65807044f30d97bb5b1",
		"0017_due_deliveries.sql":                      "683d6f16f2144c3404436d6c7e4068b57429a74face557f1a8dc728f2e457d57",
		"0018_event_sequence_index.sql":                "20680abde9602e78f4f2c77e253c4f4aae03a78ff94da75c82434ac7396272b5",
		"0019_event_counts.sql":                        "f4d833910b73e823d9312c7e0ecb1e73419803aba8bce62c08b0f3cad63220a1",
		"0020_call_usage_shorter.sql":                  "97eece8cc6153177512a1f83a4ce1e4cd5b03da97eeb254d2329c044c32b151b",
		"0021_call_recording_secret_index_dropped.sql": "155f5ab592d402e5ff95fdfacbabd2ffbbf65ddef3bf1359ca82bc206d5b0976",
		"0022_call_listener_session.sql":               "d71798c376c12be7b2104df07b659ed1b850b12c3d93e29d9464a539ad784be8",
		"0023_call_watch.sql":                          "941aefb2ecc9a7663717b09914a42b60c18a6cc38c11ae55fa73c261e99becdf",
		"0024_password_proof.sql":                      "c32acd2aea4e7fc4c2c1e6322e6bb197ce913ed03a77fe902101d0db1e3115b0",
		"0025_audit_resource_index.sql":                "41715c5c7523db40cca14d64048cae0cb179f1480c260bf8a9420fa6ebc8a6e7",
		"0026_assistant_packed.sql":                    "e8c44824544893874fec24688d4403d5a243b8dae6942e11816909174763e3a0",
		"0027_call_shorter.sql":                        "407aa82098c74c56df9d4b6ed02d68bb0f30d3610063200d81a6bf1c48e2c479",
		"0028_events_numbered_as_written.sql":          "0189b69d8885f5af1bd7c489d1392d57f0eb2043383f42272cfc967ea9c8172d",
		"0029_seal_key_holder.sql":                     "da3a277ae74fd478868b1f376077c78a5c702a8a1cc886843598a7a28e43561f",
		"0030_event_packed.sql":                        "5b349981af63a2a21f797c3b71a474c807ceb7544966eb47a7f3fd72586d1984",
		"0031_events_packed.sql":                       "3fb378ec11adfd8551d148b8e1ff4f4aff1dfd48568997b5c6546b3701c2056a",
		"0032_assistant_version.sql":                   "2ec835c238cfceaf46517856addaab6fcb4bc575183882e1b19e4cbfebac604c",
		"0033_call_assistant_version.sql":              "b78d67144707ee1a5efbbd971f4d29739d350fb9c72d28743facfcbb89e3bcfa",
		"0034_audit_actor_index.sql":                   "73d4ff4366cb2a9c0889bf68526c2e591d175f7666fca8b2214b1d8b4470c04d",
		"0035_event_of_call_index.sql":                 "e41be7d1efdd5f8bf71bff24b55e8e4fe891e7c9770917e38094dde4b8a3d9f8",
		"0036_event_time_index.sql":                    "d6fac2f972bd7e3c9c88acdbb9003a476e19902774f31c23b5e9d9e49f3d0472",
		"0037_call_reached_index.sql":                  "6b8ecccee10f408b41e706a385c320c8b339dd846ba1999aebd34e3f4dfad2d2",
		"0038_call_with_contact_index.sql":             "36a12cf082ced48e2f635333b8be6e2e85809fb6818f40692acad2d4b21e24b0",
		"0039_list_count_delta_identity.sql":           "1d79b20f607bdb639643f2466d01f5e27717a995c4784897115533a367776fa8",
	}
	names, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	require.Len(t, names, len(frozen))
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		require.Equal(t, frozen[filepath.Base(name)], hex.EncodeToString(sum[:]),
			"%s: a released migration is never edited, add another one", name)
		require.NotContains(t, string(content), "+goose Down", "%s: the way back is a backup", name)
		if strings.Contains(string(content), "CONCURRENTLY") {
			require.Contains(t, string(content), "+goose NO TRANSACTION", name)
		}
	}
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	_, err := pool.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func TestCheckMigrated(t *testing.T) {
	t.Parallel()

	both := []func(context.Context, *pgxpool.Pool) error{db.CheckMigrated, db.Migrate}
	for name, test := range map[string]struct {
		sql, wrong string
		checks     []func(context.Context, *pgxpool.Pool) error
	}{
		"AtThisVersion": {"SELECT", "", both},
		"Empty":         {"DROP SCHEMA public CASCADE; CREATE SCHEMA public", "run `callwright migrate`", both[:1]},
		"RiverBehind": {
			"DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)", "river is at", both[:1],
		},
		"RiverAhead": {
			"INSERT INTO river_migration (line, version) SELECT 'main', max(version) + 1 FROM river_migration",
			"a newer callwright has migrated the database", both,
		},
		"BeforeTheBaseline": {"ALTER TABLE call RENAME COLUMN transferred_to TO other", db.ErrBeforeBaseline.Error(), both},
		// Processes of the version before go on while another is rolled out.
		"OurOwnAhead": {"INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)", "", both},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := dbtest.Pool(t)
			exec(t, pool, test.sql)
			for _, check := range test.checks {
				if test.wrong == "" {
					require.NoError(t, check(t.Context(), pool))
				} else {
					require.ErrorContains(t, check(t.Context(), pool), test.wrong)
				}
			}
		})
	}
}

func TestMigrateAnEmptyDatabase(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	exec(t, pool, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, db.Migrate(t.Context(), pool))
	require.NoError(t, db.CheckMigrated(t.Context(), pool))
	var tuned bool
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT reloptions @> '{fillfactor=50}' AND NOT EXISTS (
		SELECT FROM pg_class AS index WHERE index.relname = ANY ($1) AND index.relkind = 'i')
		FROM pg_class WHERE oid = 'river_job'::regclass`, db.DroppedRiverIndexes).Scan(&tuned))
	require.True(t, tuned, "river_job is not as tuneRiver has it")

	// A migration that was cut off, of a database with River's own index.
	exec(t, pool, `DROP INDEX river_job_prioritized_fetching_index;
		CREATE INDEX river_job_prioritized_fetching_index ON river_job (state, queue, priority, scheduled_at, id);
		CREATE INDEX river_job_fetching_building ON river_job (id)`)
	require.NoError(t, db.Migrate(t.Context(), pool))
	var shorter, left bool
	require.NoError(t, pool.QueryRow(t.Context(), `SELECT
		(SELECT indpred IS NOT NULL AND indisvalid FROM pg_index WHERE indexrelid = 'river_job_prioritized_fetching_index'::regclass),
		to_regclass('river_job_fetching_building') IS NOT NULL`).Scan(&shorter, &left))
	require.True(t, shorter)
	require.False(t, left)
}

// Whoever waits for a lock holds up all who come after: a migration does not wait for long, except where it builds an index
// beside the work, which holds up nobody.
func TestMigrationWaitsNoLongerThanItMay(t *testing.T) {
	t.Parallel()

	pool := dbtest.Pool(t)
	baseline, err := os.ReadFile("migrations/0001_baseline.sql")
	require.NoError(t, err)
	files := fstest.MapFS{
		"0001_baseline.sql": {Data: baseline},
		"9998_locks.sql":    {Data: []byte("-- +goose Up\nCREATE TABLE made (); ALTER TABLE contact ADD COLUMN late text;")},
	}
	hold := func(mode string) (release func()) {
		tx, err := pool.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "LOCK TABLE contact IN "+mode+" MODE")
		require.NoError(t, err)
		t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // of a test that failed
		return func() { require.NoError(t, tx.Rollback(t.Context())) }
	}
	release := hold("ACCESS SHARE")
	require.ErrorContains(t, db.MigrateFiles(t.Context(), pool, files, 50*time.Millisecond), "waited 50ms for a lock")
	var made bool
	require.NoError(t, pool.QueryRow(t.Context(), "SELECT to_regclass('made') IS NOT NULL").Scan(&made))
	require.False(t, made, "it failed as a whole")
	release()
	require.NoError(t, db.MigrateFiles(t.Context(), pool, files, time.Minute))

	files["9999_builds.sql"] = &fstest.MapFile{Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nSET lock_timeout = 0;\n" +
		"DROP INDEX CONCURRENTLY IF EXISTS late_idx;\nCREATE INDEX CONCURRENTLY late_idx ON contact (late);\nSET lock_timeout = '5s';")}
	release = hold("ROW EXCLUSIVE")
	built := make(chan error)
	go func() { built <- db.MigrateFiles(t.Context(), pool, files, 50*time.Millisecond) }()
	select {
	case err := <-built:
		require.Fail(t, "the index was built beside a writer", "%v", err)
	case <-time.After(300 * time.Millisecond):
	}
	release()
	require.NoError(t, <-built)
}
