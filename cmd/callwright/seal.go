package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/api/middleware"
	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/events"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/recordings"
)

// sealCommand manages the keys under which secrets are kept.
type sealCommand struct {
	Generate sealGenerateCommand `cmd:"" help:"Make a key for CALLWRIGHT_SEAL_KEYS."`
	Rotate   sealRotateCommand   `cmd:"" help:"Seal everything anew with the first key, while the product runs. Afterwards the others can be dropped."`
}

type sealGenerateCommand struct{}

// Run implements the command.
func (c *sealGenerateCommand) Run() error {
	_, err := fmt.Println(newSealKey())
	return err
}

func newSealKey() string { return seal.GenerateKey(seal.NewKeyID()).Format() }

type sealRotateCommand struct {
	databaseFlags
	sealFlags
}

// Run implements the command.
func (c *sealRotateCommand) Run(ctx context.Context) error {
	box, err := c.box()
	if err != nil {
		return err
	}
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := sealedWith(ctx, pool, box); err != nil {
		return fmt.Errorf("--seal-keys: %w", err)
	}
	counts := map[string]int{}
	for source := range sealContexts {
		counts[source] = 0
	}
	resealing := &db.Resealing{DB: pool, Box: box, Contexts: sealContexts, Progress: func(source string, count int) {
		counts[source] += count
		fmt.Printf("sealed anew: %s %d\n", source, counts[source])
	}}
	retired, err := resealing.Run(ctx)
	if err != nil {
		return fmt.Errorf("--seal-keys: %w", err)
	}
	fmt.Printf("Everything is sealed with key %s.\n", box.KeyID())
	for _, source := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%-33s %d sealed anew\n", source, counts[source])
	}
	for _, id := range retired {
		fmt.Printf("Key %s can be dropped: it opens no more than links to recordings in mail of the last week.\n", id)
	}
	return nil
}

// sealedWith fails while a process runs without the first key of box in front: it could open nothing that is sealed with it, and
// would seal with a key that is retired, so it could make no call.
func sealedWith(ctx context.Context, pool *pgxpool.Pool, box *seal.Box) error {
	if err := db.CheckSealKeys(ctx, pool, box); err != nil {
		return err
	}
	keys, err := dbsqlc.New().SealKeyList(ctx, pool)
	if err != nil {
		return fmt.Errorf("list seal keys: %w", err)
	}
	if !slices.ContainsFunc(keys, func(key *dbsqlc.SealKey) bool { return key.ID == box.KeyID() }) {
		return fmt.Errorf("no process has started with key %s in front: restart all with these keys, in this order, and rotate then",
			box.KeyID())
	}
	return sealedByAll(ctx, pool, box)
}

// sealedByAll fails while processes run that seal with another key, and warns of those of which it is unknown.
func sealedByAll(ctx context.Context, pool *pgxpool.Pool, box *seal.Box) error {
	others, err := db.OtherSealers(ctx, pool, box.KeyID())
	if err != nil {
		return err
	}
	var behind []string
	for _, other := range others {
		if other.KeyID == "" {
			fmt.Fprintf(os.Stderr, "warning: unknown whether worker %s has key %s in front: it is of a version that does not say. If it has not, it "+
				"makes no more calls until it is restarted.\n", other.Process, box.KeyID())
			continue
		}
		behind = append(behind, fmt.Sprintf("%s seals with key %s, seen %.0f s ago", other.Process, other.KeyID, other.SeenAgo))
	}
	if len(behind) == 0 {
		return nil
	}
	return fmt.Errorf("not all processes have key %s in front: restart them with these keys, in this order, and rotate then "+
		"(one that was killed counts for %.0f s): %s", box.KeyID(), db.ProcessSeen.Seconds(), strings.Join(behind, ", "))
}

// sealContexts are what all values in the database are bound to that are sealed.
var sealContexts = db.SealContexts{
	"webhook_endpoint.secret":           ofID(events.SecretContext),
	"webhook_endpoint.previous_secret":  ofID(events.SecretContext),
	"sip_connection.sip_password":       ofID(numbers.SIPPasswordContext),
	"call.recording_secret":             ofID(recordings.SecretContext),
	"verification_document.file_secret": ofID(numbers.DocumentSecretContext),
	"idempotency_key.body":              middleware.AnswerContext,
}

func ofID(context func(uuid.UUID) string) func(uuid.UUID, string) string {
	return func(_ uuid.UUID, id string) string { return context(uuid.MustParse(id)) }
}
