package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/worker/recording"
)

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
