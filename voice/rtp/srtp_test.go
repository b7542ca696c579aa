package rtp

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"
)

func TestKeysOutliveOffers(t *testing.T) {
	t.Parallel()
	here, there := new(Keyring), new(Keyring)
	ours, err := here.Agree(there.Own())
	require.NoError(t, err)
	theirs, err := there.Agree(here.Own())
	require.NoError(t, err)
	again, err := here.Agree(there.Own())
	require.NoError(t, err)
	require.Same(t, ours, again, "counters go on")

	raw, err := (&rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: 1}, Payload: []byte("sound")}).Marshal()
	require.NoError(t, err)
	sealed, err := ours.seal(nil, raw, new(rtp.Header))
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "sound")
	opened, err := theirs.in.DecryptRTP(nil, sealed, nil)
	require.NoError(t, err)
	require.Equal(t, raw, opened)
	_, err = theirs.in.DecryptRTP(nil, sealed, nil)
	require.Error(t, err, "a copy is no news")

	changed, err := here.Agree(bytes.Repeat([]byte{7}, KeyLen))
	require.NoError(t, err)
	require.Same(t, ours.out, changed.out, "only the far end has a new key")
	require.NotSame(t, ours.in, changed.in)
}

func TestForgedPacketsAreNotHeard(t *testing.T) {
	t.Parallel()
	m := testSession(t)
	here, there := new(Keyring), new(Keyring)
	r := *m.route.Load()
	var err error
	r.Cipher, err = here.Agree(there.Own())
	require.NoError(t, err)
	m.Agree(&r)
	receiver, from := &m.receiver, netip.MustParseAddrPort("127.0.0.1:4000")
	raw, err := (&rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: 1}, Payload: make([]byte, 160)}).Marshal()
	require.NoError(t, err)
	receiver.read(raw, from, m.Now())
	require.Empty(t, m.Incoming())
	require.Nil(t, m.learned.Load(), "nor is the forger's address learned")
	theirs, err := there.Agree(here.Own())
	require.NoError(t, err)
	sealed, err := theirs.seal(nil, raw, new(rtp.Header))
	require.NoError(t, err)
	receiver.read(sealed, from, m.Now())
	require.Len(t, m.Incoming(), 1)
}

func TestEncryptionAllocatesLittle(t *testing.T) {
	m := testSession(t)
	here, there := new(Keyring), new(Keyring)
	r := *m.route.Load()
	var err error
	r.Cipher, err = here.Agree(there.Own())
	require.NoError(t, err)
	m.Agree(&r)
	m.Stream.Start()
	m.reporter.schedule(m.Now())
	now := time.Now()
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() { m.Pulse(now, true) }), 2.0)
}
