package sip

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sip/siptest"
)

// baresip speaks over TLS and talks encrypted or not at all.
func baresip(secure TLSConfig, commands ...string) *siptest.Softphone {
	return &siptest.Softphone{Name: "bob", Transport: "tls", Encrypted: true, CertFile: secure.CertFile, KeyFile: secure.KeyFile,
		Commands: commands}
}

func TestBaresipIsCalledOverTLS(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	for _, c := range []struct {
		encrypts bool
		asked    SRTP
	}{{true, SRTPRequired}, {true, SRTPOptional}, {false, SRTPOptional}} {
		phone := baresip(secure)
		phone.Encrypted = c.encrypts
		_, address := phone.Ring(t)
		leg, err := listen(t, Config{TLS: secure}).Dial(within(t), Dial{
			Proxy: address, Transport: TLS, SRTP: c.asked, From: "alice", To: "bob",
		})
		require.NoError(t, err)
		hears(t, leg, siptest.SoftphoneTone)
		require.Equal(t, c.encrypts, leg.Stats().Encrypted)
		require.NoError(t, leg.Hangup(within(t)))
	}
}

func TestBaresipCallsOverTLS(t *testing.T) {
	t.Parallel()
	secure := certificate(t)
	legs := make(chan *Leg, 1)
	ua := listen(t, Config{TLS: secure, Inbound: func(ctx context.Context, in *Inbound) {
		leg, err := in.Answer(ctx)
		if err != nil {
			t.Errorf("answer: %v", err)
			return
		}
		legs <- leg
	}})
	baresip(secure, "/dial sip:carol@"+ua.AddrOf(TLS).String()+";transport=tls").Ring(t)
	leg := receive(t, legs)
	hears(t, leg, siptest.SoftphoneTone)
	require.True(t, leg.Stats().Encrypted)
	require.Equal(t, TLS, leg.Dialog().Transport)
	require.NoError(t, leg.Hangup(within(t)), "our BYE takes its connection")
}
