package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
)

// UseSealKeys notes that this process seals with the first key of box, and fails when box does not open the canary of every
// key in use: such a process would fail later, at one sealed value after the other. It comes before anything is sealed.
func UseSealKeys(ctx context.Context, beginner Beginner, box *seal.Box) error {
	return InTx(ctx, beginner, func(tx pgx.Tx) error {
		first := box.KeyID()
		canary := box.Seal(first, canaryContext(first))
		if err := dbsqlc.New().SealKeyInsert(ctx, tx, &dbsqlc.SealKeyInsertParams{ID: first, Canary: canary}); err != nil {
			return fmt.Errorf("insert seal key: %w", err)
		}
		return CheckSealKeys(ctx, tx, box)
	})
}

// CheckSealKeys fails when box does not open the canary of every key in use.
func CheckSealKeys(ctx context.Context, tx dbsqlc.DBTX, box *seal.Box) error {
	keys, err := dbsqlc.New().SealKeyList(ctx, tx)
	if err != nil {
		return fmt.Errorf("list seal keys: %w", err)
	}
	for _, key := range keys {
		switch _, err := box.Open(key.Canary, canaryContext(key.ID)); {
		case errors.Is(err, seal.ErrUnknownKey):
			return fmt.Errorf("the key with id %q is missing: secrets in the database are sealed with it", key.ID)
		case err != nil:
			return fmt.Errorf("the key with id %q is not the one of that id with which secrets in the database are sealed", key.ID)
		}
	}
	return nil
}

func canaryContext(keyID string) string { return "seal_key.canary:" + keyID }
