package worker

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbfactory"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/dbtest"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/jobs/spending"
	"github.com/callwright/callwright/voice"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
)

// transferringLeg notes where it is transferred.
type transferringLeg struct {
	leg
	targets []string
}

func (*transferringLeg) Dialog() sip.Dialog { return sip.Dialog{} }

func (l *transferringLeg) Transfer(_ context.Context, target string) error {
	l.targets = append(l.targets, target)
	return nil
}

// TestTransfersAreAdmitted has a leg transferred only where its account may call, at the moment it happens.
func TestTransfersAreAdmitted(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	account := dbfactory.Account(t, pool)
	assistant := dbfactory.LinkedAssistant(t, pool, account.ID)
	row, err := calls.InsertDirect(t.Context(), pool, &calls.DirectCall{
		ID: dbfactory.ID(t), AccountID: account.ID, AssistantID: assistant.ID, PhoneNumber: "+31612345678", CustomData: []byte(`{}`),
	})
	require.NoError(t, err)
	under := &transferringLeg{}
	carrier := &gateways.Gateway{Trunk: &gateways.Trunk{}}
	phone := &Phone{pool: pool, logger: slog.New(slog.DiscardHandler), gateways: &gateways.Set{Live: carrier}}
	phone.routes = db.NewBatcher(phone.findRoutes).Named("call_route")
	t.Cleanup(phone.routes.Close)
	through := &transfers{phone: phone, call: row, leg: under}
	transfer := func(ctx context.Context, target string) error {
		_, err := through.Transfer(ctx, &voice.Transfer{Target: target})
		return err
	}
	require.NoError(t, transfer(t.Context(), "+31201234567"))
	require.ErrorContains(t, transfer(t.Context(), "sip:+31900123456@example.com"),
		"transfer call: the destination is a premium number")
	require.ErrorContains(t, transfer(t.Context(), row.PhoneNumber), "the call would come back")
	_, err = dbsqlc.New().AccountSetLimits(t.Context(), pool,
		&dbsqlc.AccountSetLimitsParams{ID: account.ID, SetAllowedCountries: true, AllowedCountries: []string{"BE"}})
	require.NoError(t, err)
	require.ErrorContains(t, transfer(t.Context(), "+31201234567"), "is in NL")
	require.Equal(t, []string{"+31201234567"}, under.targets)
	used, err := spending.Today(t.Context(), pool, account.ID)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{"number_type": 1, "own_number": 1, "country": 1}, used.Refused)
	ended, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, transfer(ended, "+3225123456"), "without the database nobody is rung")
	require.Len(t, under.targets, 1)
}
