package worker

import (
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/media"
	"github.com/callwright/callwright/voice/sip"
)

// leg is an answered call as the worker uses it, whatever carries it.
type leg interface {
	voice.Leg
	Stats() media.Stats
}

// dialogOf returns what another process needs to end the call should this one die, or nil for a leg that has no SIP dialog:
// its far end then notices by itself.
func dialogOf(l leg) any {
	if signalled, ok := l.(interface{ Dialog() sip.Dialog }); ok {
		return signalled.Dialog()
	}
	return nil
}
