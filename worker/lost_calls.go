package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
	"github.com/callwright/callwright/worker/recording"
)

// hangUpOrphans says BYE in the name of a dead process, so that nobody stays connected to silence. It is a courtesy:
// the calls are ended in any case, and a far end that heard nothing hangs up by itself.
func (p *Phone) hangUpOrphans(lost []*dbsqlc.Call) {
	p.orphans.Go(func() {
		ctx, cancel := context.WithTimeout(p.live, 10*time.Second)
		defer cancel()
		if err := p.hangUpOrphanedLegs(ctx, lost); err != nil {
			p.logger.WarnContext(ctx, "second legs of orphaned calls not hung up", "error", err)
		}
	})
	for _, call := range lost {
		if len(call.SIPDialog) == 0 {
			continue
		}
		p.orphans.Go(func() {
			ctx, cancel := context.WithTimeout(p.live, 10*time.Second)
			defer cancel()
			if err := p.hangUpOrphan(ctx, call); err != nil {
				p.logger.WarnContext(ctx, "orphaned call not hung up", "call_id", call.ID, "error", err)
			}
		})
	}
}

func (p *Phone) hangUpOrphan(ctx context.Context, call *dbsqlc.Call) error {
	gateway, err := p.gateways.ForCall(call)
	if err != nil {
		return err
	}
	return p.endOrphan(ctx, gateway, call, call.SIPDialog)
}

// hangUpOrphanedLegs does so on those who were talking to the callers of lost calls.
func (p *Phone) hangUpOrphanedLegs(ctx context.Context, lost []*dbsqlc.Call) error {
	legs, err := calls.ListLegs(ctx, p.pool, lost...)
	if err != nil {
		return err
	}
	var failures []error
	for _, call := range lost {
		for _, leg := range legs[call.ID] {
			if len(leg.SIPDialog) == 0 {
				continue
			}
			gateway, err := p.gateways.ForCall(call)
			if err == nil {
				err = p.endOrphan(ctx, gateway, call, leg.SIPDialog)
			}
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// endOrphan says BYE in a dialog of a call.
func (p *Phone) endOrphan(ctx context.Context, gateway *gateways.Gateway, call *dbsqlc.Call, encoded []byte) error {
	var dialog sip.Dialog
	if err := json.Unmarshal(encoded, &dialog); err != nil {
		return fmt.Errorf("decode dialog: %w", err)
	}
	known, err := p.route(ctx, gateway, call) // for the account alone
	if err != nil {
		p.logger.WarnContext(ctx, "orphaned call is hung up without an account", "call_id", call.ID, "error", err)
	}
	return gateway.UA.EndOrphan(ctx, dialog, known.Username, known.Password)
}

// keepLateRecording settles a recording that was put by this process, whose call somebody else has ended meanwhile.
func (p *Phone) keepLateRecording(ctx context.Context, call *dbsqlc.Call) {
	ctx, cancel := context.WithTimeout(ctx, ledgerTimeout)
	defer cancel()
	if _, err := recordings.Keep(ctx, p.pool, p.cfg.Files, call.AccountID, call.ID, nil); err != nil {
		p.logger.ErrorContext(ctx, "late recording not kept", "call_id", call.ID, "error", err)
	}
}

// keepLostRecordings settles the recordings of lost calls that their process put before it died and did not note.
func (p *Phone) keepLostRecordings(lost []*dbsqlc.Call) {
	if len(lost) == 0 {
		return
	}
	p.orphans.Go(func() {
		ctx, cancel := context.WithTimeout(p.live, recording.SalvageTimeout)
		defer cancel()
		for _, call := range lost {
			if err := p.keepLostRecording(ctx, call); err != nil {
				p.logger.WarnContext(ctx, "recording of a lost call not kept", "call_id", call.ID, "error", err)
			}
		}
	})
}

func (p *Phone) keepLostRecording(ctx context.Context, call *dbsqlc.Call) error {
	file, _, err := p.cfg.Files.Open(ctx, recordings.Key(call.AccountID, call.ID))
	if errors.Is(err, files.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("close recording: %w", err)
	}
	_, err = recordings.Keep(ctx, p.pool, p.cfg.Files, call.AccountID, call.ID, nil)
	return err
}
