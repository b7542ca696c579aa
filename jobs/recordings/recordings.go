// Package recordings knows where the recording of a call is kept and what it is sealed with, and decides with a call's row
// whether it stays. It knows nothing of how sound is recorded.
package recordings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
)

// Prefix is what the keys of all recordings begin with.
const Prefix = "recordings/"

// Key returns the key of a call's recording. It follows from the call alone, so whoever erases a call knows it,
// whatever the call's row says; the row's recording_key says that there is a recording.
func Key(accountID, callID uuid.UUID) string {
	return Prefix + accountID.String() + "/" + callID.String() + ".wav"
}

// ParseKey returns whose recording of which call a key names; ok is false when it names none.
func ParseKey(key string) (accountID, callID uuid.UUID, ok bool) {
	account, name, _ := strings.Cut(strings.TrimPrefix(key, Prefix), "/")
	accountID, accountErr := uuid.Parse(account)
	callID, callErr := uuid.Parse(strings.TrimSuffix(name, ".wav"))
	return accountID, callID, accountErr == nil && callErr == nil && key == Key(accountID, callID)
}

// SecretContext returns what the sealed secret of a call's recording is bound to.
func SecretContext(callID uuid.UUID) string {
	return "call.recording_secret:" + callID.String()
}

// NewSecret returns the secret that the recording of a call is sealed with, and what the call's row has of it. The row has
// it before anything can be recorded: whoever finds what a dead process wrote can open it.
func NewSecret(sealer seal.Sealer, callID uuid.UUID) (secret, sealedSecret string) {
	secret = sealed.NewSecret()
	return secret, sealer.Seal(secret, SecretContext(callID))
}

// OpenSecret returns the secret of a call's recording, of which its row has this.
func OpenSecret(opener seal.Opener, callID uuid.UUID, sealedSecret *string) (string, error) {
	if sealedSecret == nil {
		return "", errors.New("open recording: the call has no secret for it")
	}
	return opener.Open(*sealedSecret, SecretContext(callID))
}

// Keep notes that an ended call has a recording in the store, which was put there under the call's key before and
// lacks the missing seconds of the call; nil: none. The recording of a call that was erased meanwhile is deleted, and one
// of a call that still goes on is left to whoever ends it. It reports whether the recording is kept.
//
// The row is read after the file was put, and the files of an erased call are deleted after its row says so. Whichever
// comes last sees the other.
func Keep(ctx context.Context, tx dbsqlc.DBTX, store files.Store, accountID, callID uuid.UUID, missing *float64) (bool, error) {
	key, queries := Key(accountID, callID), dbsqlc.New()
	kept, err := queries.CallKeepRecording(ctx, tx, &dbsqlc.CallKeepRecordingParams{AccountID: accountID, ID: callID,
		RecordingKey: &key, MissingSeconds: missing})
	if err != nil {
		return false, fmt.Errorf("keep recording: %w", err)
	}
	if kept > 0 {
		return true, nil
	}
	present, err := queries.CallMayHaveRecording(ctx, tx, &dbsqlc.CallMayHaveRecordingParams{AccountID: accountID, ID: callID})
	if err != nil {
		return false, fmt.Errorf("look for call of recording: %w", err)
	}
	if present {
		return false, nil
	}
	return false, store.Delete(ctx, key)
}
