package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
)

const (
	resealBatch    = 500
	resealPatience = 3 // times that somebody seals with an old key in between
)

// errKeyBusy means that something is sealed with a key that was to be retired.
var errKeyBusy = errors.New("something was sealed with it meanwhile: first give every process the new key, in front of the old one")

// SealContexts are what the values of each source in the view sealed_value are bound to.
type SealContexts map[string]func(accountID uuid.UUID, id string) string

// Resealing seals everything anew that is not sealed with the first key of Box, while others read and write it.
type Resealing struct {
	DB       Beginner
	Box      *seal.Box
	Contexts SealContexts
	Progress func(source string, count int) // a batch of a source is sealed anew
}

// Run seals everything anew and returns the keys that it then retired: nothing is sealed with them any more, nor will be.
// It goes on where an earlier one was interrupted, and does nothing where nothing is left to do.
func (r *Resealing) Run(ctx context.Context) (retired []string, err error) {
	if err := UseSealKeys(ctx, r.DB, r.Box); err != nil {
		return nil, err
	}
	keys, err := dbsqlc.New().SealKeyList(ctx, r.DB)
	if err != nil {
		return nil, fmt.Errorf("list seal keys: %w", err)
	}
	for _, key := range keys {
		if key.ID == r.Box.KeyID() {
			continue
		}
		if err := r.retire(ctx, key.ID); err != nil {
			return retired, fmt.Errorf("retire seal key %s: %w", key.ID, err)
		}
		retired = append(retired, key.ID)
	}
	return retired, nil
}

// retire ends the use of a key.
func (r *Resealing) retire(ctx context.Context, keyID string) error {
	for attempt := 1; ; attempt++ {
		if err := r.all(ctx, keyID); err != nil {
			return err
		}
		err := InTx(ctx, r.DB, func(tx pgx.Tx) error { return deleteUnusedKey(ctx, tx, keyID) })
		if !errors.Is(err, errKeyBusy) || attempt == resealPatience {
			return err
		}
	}
}

// deleteUnusedKey looks after the key is deleted, which waits for transactions that have sealed with it: later ones fail.
func deleteUnusedKey(ctx context.Context, tx pgx.Tx, keyID string) error {
	if _, err := dbsqlc.New().SealKeyDelete(ctx, tx, &dbsqlc.SealKeyDeleteParams{ID: keyID}); err != nil {
		return fmt.Errorf("delete seal key: %w", err)
	}
	used, err := dbsqlc.New().SealedValueExists(ctx, tx, &dbsqlc.SealedValueExistsParams{KeyID: keyID})
	if err != nil {
		return fmt.Errorf("look for sealed values: %w", err)
	}
	if used {
		return errKeyBusy
	}
	return nil
}

// all seals what a key sealed, batch after batch until nothing is left. It walks over the calls once.
func (r *Resealing) all(ctx context.Context, keyID string) error {
	for {
		values, err := dbsqlc.New().SealedValueListByKey(ctx, r.DB, &dbsqlc.SealedValueListByKeyParams{KeyID: keyID, Max: resealBatch})
		if err != nil {
			return fmt.Errorf("list sealed values: %w", err)
		}
		if len(values) == 0 {
			break
		}
		if err := r.batch(ctx, values); err != nil {
			return err
		}
	}
	for after := uuid.Nil; ; {
		rows, err := dbsqlc.New().SealedValueListOfCalls(ctx, r.DB,
			&dbsqlc.SealedValueListOfCallsParams{After: after, KeyID: keyID, Max: resealBatch})
		if err != nil {
			return fmt.Errorf("list sealed values of calls: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		values := make([]*dbsqlc.SealedValueListByKeyRow, len(rows))
		for i, row := range rows {
			values[i] = (*dbsqlc.SealedValueListByKeyRow)(row)
		}
		if err := r.batch(ctx, values); err != nil {
			return err
		}
		if after, err = uuid.Parse(rows[len(rows)-1].ID); err != nil {
			return fmt.Errorf("read id of call: %w", err)
		}
	}
}

func (r *Resealing) batch(ctx context.Context, values []*dbsqlc.SealedValueListByKeyRow) error {
	counts := map[string]int{}
	for _, value := range values {
		changed, err := r.one(ctx, value)
		if err != nil {
			return fmt.Errorf("seal %s of %s anew: %w", value.Source, value.ID, err)
		}
		counts[value.Source] += changed
	}
	for source, count := range counts {
		r.Progress(source, count)
	}
	return nil
}

// one seals a value anew, in a transaction of its own: no lock is held while another is waited for. It leaves a value alone
// that has changed since it was read; the next batch has it again if need be.
func (r *Resealing) one(ctx context.Context, value *dbsqlc.SealedValueListByKeyRow) (changed int, err error) {
	bound, known := r.Contexts[value.Source]
	if !known {
		return 0, errors.New("this program does not know what such values are bound to")
	}
	boundTo := bound(value.AccountID, value.ID)
	plaintext, err := r.Box.Open(value.Sealed, boundTo)
	if err != nil {
		return 0, err
	}
	count, err := replaceSealed(ctx, r.DB, value, r.Box.Seal(plaintext, boundTo))
	return int(count), err
}

func replaceSealed(ctx context.Context, beginner dbsqlc.DBTX, value *dbsqlc.SealedValueListByKeyRow,
	fresh string) (int64, error) {
	queries, account := dbsqlc.New(), value.AccountID
	if value.Source == "idempotency_key.body" {
		return queries.IdempotencyKeyReseal(ctx, beginner, &dbsqlc.IdempotencyKeyResealParams{Fresh: fresh, AccountID: account,
			Key: value.ID, Sealed: value.Sealed})
	}
	id, err := uuid.Parse(value.ID)
	if err != nil {
		return 0, err
	}
	switch value.Source {
	case "webhook_endpoint.secret":
		return queries.WebhookEndpointReseal(ctx, beginner,
			&dbsqlc.WebhookEndpointResealParams{Fresh: fresh, AccountID: account, ID: id, Sealed: value.Sealed})
	case "webhook_endpoint.previous_secret":
		return queries.WebhookEndpointResealPrevious(ctx, beginner,
			&dbsqlc.WebhookEndpointResealPreviousParams{Fresh: fresh, AccountID: account, ID: id, Sealed: value.Sealed})
	case "sip_connection.sip_password":
		return queries.SIPConnectionReseal(ctx, beginner, &dbsqlc.SIPConnectionResealParams{Fresh: fresh, AccountID: account, ID: id,
			Sealed: value.Sealed})
	case "call.recording_secret":
		return queries.CallReseal(ctx, beginner, &dbsqlc.CallResealParams{Fresh: fresh, AccountID: account, ID: id,
			Sealed: value.Sealed})
	case "verification_document.file_secret":
		return queries.VerificationDocumentReseal(ctx, beginner,
			&dbsqlc.VerificationDocumentResealParams{Fresh: fresh, AccountID: account, ID: id, Sealed: value.Sealed})
	}
	return 0, errors.New("this program does not know where such values are kept")
}
