package recording

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

const (
	salvageEvery = 500 * time.Millisecond
	// A recording is written to four times a second. What nobody wrote to for longer is asked about.
	draftQuiet   = 2 * time.Second
	draftsAtOnce = 4
	// SalvageTimeout is how long a look at what was left may take.
	SalvageTimeout = time.Minute
	// No draft outlives an hour of a process that sees it: a round comes long before.
	draftLife = 50 * time.Minute
	// A draft with less than this has no sound: it is the header and a few samples.
	leastRecording = 64
)

// Salvager keeps the recordings that dead processes left among the drafts, which only processes of the same host see, or
// those that share the folder; so every process looks, and no job is sent to one that may see nothing. The row of a call
// says whether somebody still records it: drafts of calls that go on are left alone. Several salvagers may keep the same
// draft at once.
type Salvager struct {
	Pool   *pgxpool.Pool
	Files  files.Store
	Seal   seal.Opener
	Logger *slog.Logger

	seen map[string]sighting // the drafts of the latest round
}

// sighting is since when nobody has written to a draft, as far as this process has seen, by its monotonic clock. The clock that stamps
// files may be that of another machine, or jump: recordings that are being made would seem to be an hour old.
type sighting struct {
	draft files.DraftInfo
	since time.Time
}

// DraftName names the draft of a call's recording.
func DraftName(call *dbsqlc.Call, processID string) string {
	return call.AccountID.String() + "." + call.ID.String() + "." + strings.Map(nameable, processID)
}

func nameable(r rune) rune {
	if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '-'
}

// callOfDraft returns the call that a draft records, if it is a recording.
func callOfDraft(name string) (callID uuid.UUID, ok bool) {
	parts := strings.SplitN(name, ".", 3)
	if len(parts) < 3 {
		return uuid.Nil, false
	}
	callID, err := uuid.Parse(parts[1])
	return callID, err == nil
}

// Run salvages until ctx ends.
func (s *Salvager) Run(ctx context.Context) {
	tick := time.NewTicker(salvageEvery)
	defer tick.Stop()
	for failures := 0; ; {
		err := s.round(ctx, time.Now())
		if ctx.Err() != nil {
			return
		}
		switch {
		case err != nil && failures == 0:
			s.Logger.WarnContext(ctx, "recordings of dead processes not kept, trying again", "error", err)
			failures++
		case err != nil:
			failures++
		case failures > 0:
			s.Logger.InfoContext(ctx, "recordings of dead processes are kept again", "failures", failures)
			failures = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// round looks once at the drafts that nobody wrote to of late.
func (s *Salvager) round(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, SalvageTimeout)
	defer cancel()
	drafts, err := s.Files.Drafts().List()
	if err != nil {
		return err
	}
	quiet := map[uuid.UUID][]files.DraftInfo{}
	var ids []uuid.UUID
	for draft, idle := range s.idle(drafts, now) {
		callID, ok := callOfDraft(draft.Name)
		switch {
		case idle > draftLife:
			if err := s.Files.Drafts().Remove(draft.Name); err != nil {
				return err
			}
		case ok && idle > draftQuiet:
			quiet[callID] = append(quiet[callID], draft)
			ids = append(ids, callID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := dbsqlc.New().CallListByDraft(ctx, s.Pool, &dbsqlc.CallListByDraftParams{Ids: ids})
	if err != nil {
		return fmt.Errorf("list calls of drafts: %w", err)
	}
	var salvaging errgroup.Group
	salvaging.SetLimit(draftsAtOnce)
	for _, call := range rows {
		for _, draft := range quiet[call.ID] {
			salvaging.Go(func() error { return s.settle(ctx, call, draft) })
		}
	}
	return salvaging.Wait()
}

// idle returns the drafts, and for how long nobody has written to each.
func (s *Salvager) idle(drafts []files.DraftInfo, now time.Time) map[files.DraftInfo]time.Duration {
	seen, idle := make(map[string]sighting, len(drafts)), make(map[files.DraftInfo]time.Duration, len(drafts))
	for _, draft := range drafts {
		at, known := s.seen[draft.Name]
		if !known || at.draft != draft {
			at = sighting{draft, now}
		}
		seen[draft.Name], idle[draft] = at, now.Sub(at.since)
	}
	s.seen = seen
	return idle
}

// settle keeps a draft of a call that is over, or removes it where the call has its recording, or may have none. A draft
// whose call is unknown here may be another database's, and is removed when it is old.
func (s *Salvager) settle(ctx context.Context, call *dbsqlc.CallListByDraftRow, draft files.DraftInfo) error {
	switch {
	case call.EndedAt == nil:
		return nil
	case call.ErasedAt != nil:
		if err := s.Files.Delete(ctx, recordings.Key(call.AccountID, call.ID)); err != nil {
			return fmt.Errorf("delete recording: %w", err)
		}
	case call.RecordingKey == nil && call.StartedAt != nil:
		if err := s.keep(ctx, call, draft); err != nil {
			return err
		}
	}
	return s.Files.Drafts().Remove(draft.Name)
}

// keep keeps what there is of a recording. Where it dies before the row says so, the draft is still there.
func (s *Salvager) keep(ctx context.Context, call *dbsqlc.CallListByDraftRow, draft files.DraftInfo) (err error) {
	file, err := s.Files.Drafts().Open(draft.Name)
	if errors.Is(err, files.ErrNotFound) { // somebody else was faster
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	seconds, err := s.put(ctx, call, file)
	if err != nil || seconds == 0 {
		return err
	}
	missing := max(0, math.Round(10*(call.EndedAt.Sub(*call.StartedAt).Seconds()-seconds))/10)
	kept, err := recordings.Keep(ctx, s.Pool, s.Files, call.AccountID, call.ID, &missing)
	if err != nil {
		return err
	}
	if kept {
		s.Logger.InfoContext(ctx, "recording of a dead process kept", "call_id", call.ID, "seconds", seconds, "missing_seconds",
			missing)
	}
	return nil
}

// put stores what can be opened of a draft as the call's recording, and returns how many seconds it has; 0: it is none.
func (s *Salvager) put(ctx context.Context, call *dbsqlc.CallListByDraftRow, file *os.File) (seconds float64, err error) {
	secret, err := recordings.OpenSecret(s.Seal, call.ID, call.RecordingSecret)
	if err != nil {
		return 0, err
	}
	unfinished, err := sealed.NewUnfinished(file, secret)
	if err != nil {
		return 0, fmt.Errorf("read draft: %w", err)
	}
	written := &counter{r: bufio.NewReader(unfinished)}
	head, err := written.r.Peek(leastRecording)
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read draft: %w", err)
	}
	rate, err := audio.WAVRate(head)
	if err != nil {
		return 0, fmt.Errorf("read draft: %w", err)
	}
	if err := sealed.PutWith(ctx, s.Files, recordings.Key(call.AccountID, call.ID), secret, written); err != nil {
		return 0, fmt.Errorf("keep recording: %w", err)
	}
	return float64(audio.WAVSamples(written.n, 2)) / float64(rate), nil
}

// counter counts what is read.
type counter struct {
	r *bufio.Reader
	n int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
