package messages

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
)

// RecordingLinkFor is how long a link opens a recording.
const RecordingLinkFor = 7 * 24 * time.Hour

// recordingLinkContext is what the sealed part of such a link is bound to.
const recordingLinkContext = "recording_link"

// RecordingLinks makes links to recordings.
type RecordingLinks struct {
	Seal      seal.Sealer
	PublicURL string // where customers reach the API
	Until     time.Time
}

// To returns a URL that opens a call's recording without a key, until then. What it names is sealed, so that nobody
// makes another one of it, and a new seal key in place of the old one ends all links.
func (l *RecordingLinks) To(call *dbsqlc.Call) string {
	return l.PublicURL + "/v1/recordings/" + l.Seal.Seal(fmt.Sprintf("%s %s %d", call.AccountID, call.ID, l.Until.Unix()),
		recordingLinkContext)
}

// OpenRecordingLink returns whose recording of which call a link's token opens; ok is false when it opens none, or not any more.
func OpenRecordingLink(seal seal.Opener, token string, now time.Time) (accountID, callID uuid.UUID, ok bool) {
	text, err := seal.Open(token, recordingLinkContext)
	if err != nil {
		return uuid.Nil, uuid.Nil, false
	}
	var account, call string
	var until int64
	if _, err := fmt.Sscanf(text, "%s %s %d", &account, &call, &until); err != nil || now.Unix() >= until {
		return uuid.Nil, uuid.Nil, false
	}
	accountID, err = uuid.Parse(account)
	if err != nil {
		return uuid.Nil, uuid.Nil, false
	}
	callID, err = uuid.Parse(call)
	return accountID, callID, err == nil
}
