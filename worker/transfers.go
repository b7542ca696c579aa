package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/spending"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/turn"
)

// referLimit is how long the far end may take to accept a transfer.
const referLimit = 30 * time.Second

// transfers puts the caller of one call through. It implements voice.Transferrer.
type transfers struct {
	phone   *Phone
	call    *dbsqlc.Call
	leg     leg // the caller's
	talk    *conversation
	journal *journal
	running sync.WaitGroup // what rings, and legs that are not over
}

// Transfer implements voice.Transferrer. Somebody is rung only where the call's account may call, whoever asks for it: the model,
// a command or a server.
func (t *transfers) Transfer(ctx context.Context, wanted *voice.Transfer) (*voice.Colleague, error) {
	t.running.Add(1)
	defer t.running.Done()
	if err := t.admit(ctx, wanted.Target); err != nil {
		return nil, fmt.Errorf("transfer call: %w", err)
	}
	plan := turn.TransferPlan{}
	if wanted.Plan != nil {
		plan = *wanted.Plan
	}
	plan.Mode = cmp.Or(plan.Mode, turn.Blind)
	if plan.Mode != turn.Blind {
		return t.bridge(ctx, wanted, &plan)
	}
	setting, err := t.setting(ctx, wanted.Target, &plan)
	if err != nil {
		return nil, fmt.Errorf("transfer call: %w", err)
	}
	if setting == turn.ViaBridge {
		return t.bridge(ctx, wanted, &plan)
	}
	err = t.refer(ctx, wanted.Target)
	if setting == turn.ViaRefer || !errors.Is(err, sip.ErrReferRefused) {
		return nil, err
	}
	t.talk.logger.InfoContext(ctx, "the carrier does not transfer; the caller is put through on legs of ours", "error", err)
	return t.bridge(ctx, wanted, &plan)
}

// admit counts whoever is rung as a call to them, or refuses it.
func (t *transfers) admit(ctx context.Context, target string) error {
	err := calls.AdmitTransfer(ctx, t.phone.pool, t.call, target)
	if refusal, is := errors.AsType[*spending.Refusal](err); is {
		if err := spending.AddRefusals(ctx, t.phone.pool, refusal); err != nil {
			t.phone.logger.WarnContext(ctx, "refused transfer not counted", "call_id", t.call.ID, "error", err)
		}
	}
	return err
}

// setting returns how the plan has callers leave, else the SIP connection of the call's number, else the trunk. A browser cannot
// be asked to call somebody, and the operator's carrier is not asked to dial digits that are no number: it would as it likes, at
// the operator's expense.
func (t *transfers) setting(ctx context.Context, target string, plan *turn.TransferPlan) (string, error) {
	if dialogOf(t.leg) == nil {
		return turn.ViaBridge, nil
	}
	leaves, err := t.phone.routes.Do(ctx, t.call)
	connection := leaves.connection
	switch {
	case err != nil:
		return "", errors.Join(errNoRoute, err)
	case connection == nil && !t.call.Simulated && ambiguous(target):
		return turn.ViaBridge, nil
	case plan.Via != "":
		return plan.Via, nil
	case connection != nil:
		return connection.Transfer, nil
	}
	gateway, err := t.phone.gateways.ForCall(t.call)
	if err != nil || gateway.Trunk == nil {
		return turn.ViaAuto, err
	}
	return cmp.Or(gateway.Trunk.Transfer, turn.ViaAuto), nil
}

// refer has the far end call the target in our place.
func (t *transfers) refer(ctx context.Context, target string) error {
	ctx, cancel := context.WithTimeout(ctx, referLimit)
	defer cancel()
	return t.leg.Transfer(ctx, target)
}

// bridge rings the target, and speaks to whoever answers where the plan says so.
func (t *transfers) bridge(ctx context.Context, wanted *voice.Transfer, plan *turn.TransferPlan) (*voice.Colleague, error) {
	wanted.Hold(t.hold(ctx, plan))
	summary := t.summarise(ctx, wanted, plan)
	rung, err := t.ring(ctx, wanted.Target, plan, summary)
	if err != nil {
		return nil, err
	}
	if plan.Mode.Warm() {
		if err := t.consult(ctx, rung, wanted, plan, summary); err != nil {
			return nil, err
		}
	}
	rung.join()
	return &voice.Colleague{Leg: rung, Limit: rung.longest}, nil
}

// hold returns what the caller hears meanwhile.
func (t *transfers) hold(ctx context.Context, plan *turn.TransferPlan) []int16 {
	if plan.HoldSound == "" {
		if plan.Mode.Warm() {
			return voice.HoldMusic()
		}
		return voice.Ringback()
	}
	sound, err := t.phone.sounds.Find(t.phone.live, &t.phone.asking, t.talk.call.AccountID, plan.HoldSound).Wait(ctx)
	if err != nil || len(sound) == 0 {
		t.talk.logger.WarnContext(ctx, "caller waits without the sound of the plan", "error", err)
		return voice.HoldMusic()
	}
	return sound
}

// summaryHeader tells the colleague's telephone what was said so far.
const (
	summaryHeader = "X-Transfer-Summary"
	longestHeader = 600 // bytes: with the rest the INVITE still fits one packet, or nearly
)

// ring rings the target and returns when somebody has answered. A second leg takes a place of this process and one of the
// account. Its INVITE leaves as that of a call does: while the lease holds under which the row was written that says so.
func (t *transfers) ring(ctx context.Context, target string, plan *turn.TransferPlan, summary <-chan string) (*secondLeg, error) {
	p := t.phone
	if !p.places.take(ctx, 0, p.stopping) {
		return nil, &voice.Untaken{Why: "no line is free"}
	}
	rung := &secondLeg{id: uuid.Must(uuid.NewV7()), journal: t.journal}
	answered, err := t.invite(ctx, rung, target, plan, summary)
	if err != nil {
		p.places.give()
		return nil, err
	}
	rung.Leg = answered
	rung.conclude(callstate.LegCanceled, nil)
	t.journal.leg(&calls.LegStep{ID: rung.id, Status: callstate.LegInProgress, Dialog: answered.Dialog()})
	t.running.Go(func() {
		defer p.places.give()
		rung.watch()
	})
	return rung, nil
}

// invite records the leg and dials it.
func (t *transfers) invite(ctx context.Context, rung *secondLeg, target string, plan *turn.TransferPlan,
	summary <-chan string) (*sip.Leg, error) {
	gateway, dial, err := t.route(ctx, target)
	if err != nil {
		return nil, &voice.Untaken{Why: "there is no way to call there", Err: err}
	}
	if plan.Mode == turn.BlindWithSummary {
		dial.Headers = withHeader(dial.Headers, summaryHeader, <-summary)
	}
	may := &permit{lease: t.phone.lease.Permit()}
	if rung.longest, err = t.record(ctx, rung.id, dial.CallID, target, plan.Mode); err != nil {
		return nil, err
	}
	dial.Permit, dial.Wideband = may.check, true
	rings := sync.OnceFunc(func() { t.journal.leg(&calls.LegStep{ID: rung.id, Status: callstate.LegRinging}) })
	dial.Progress = func(code int, _ string) {
		if code == 180 || code == 183 {
			rings()
		}
	}
	ringing, cancel := context.WithTimeoutCause(ctx, cmp.Or(plan.RingFor, t.phone.cfg.RingFor), errNoAnswer)
	defer cancel()
	leg, err := gateway.UA.Dial(ringing, dial)
	if err != nil {
		step, why := legEnded(ringing, ctx, err)
		step.ID = rung.id
		t.journal.leg(&step)
		return nil, &voice.Untaken{Why: why, Err: err}
	}
	return leg, nil
}

// record writes the leg's row, if the account has a place.
func (t *transfers) record(ctx context.Context, id uuid.UUID, sipCallID, target string,
	mode turn.TransferMode) (longest time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, ledgerTimeout)
	defer cancel()
	err = db.InTx(ctx, t.phone.pool, func(tx pgx.Tx) error {
		longest, err = calls.AddLeg(ctx, tx, t.call, &calls.Leg{
			ID: id, ProcessID: t.phone.processID, Destination: target, Mode: string(mode), SIPCallID: sipCallID,
		})
		return err
	})
	switch {
	case errors.Is(err, calls.ErrNoPlace):
		return 0, &voice.Untaken{Why: "all lines of the account are in use"}
	case errors.Is(err, calls.ErrMinutesHeld):
		return 0, &voice.Untaken{Why: "the account's minutes of today are used", Err: err}
	case err != nil:
		// A commit whose answer was lost may have made the row, which would keep a place and the caller from every other transfer.
		t.journal.leg(&calls.LegStep{ID: id, Status: callstate.LegFailed, Error: err.Error()})
		return 0, fmt.Errorf("transfer call: %w", err)
	}
	return longest, nil
}

// withHeader returns headers with one more, on one line.
func withHeader(headers map[string]string, name, value string) map[string]string {
	all := map[string]string{name: db.Legible(strings.Join(strings.Fields(value), " "), longestHeader)}
	maps.Copy(all, headers)
	return all
}
