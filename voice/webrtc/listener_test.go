package webrtc

import (
	"net"
	"testing"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/webrtc/webrtctest"
)

// Who holds as many connections as one address may keeps nobody of another from calling by TCP.
func TestConnectionsThatSayNothing(t *testing.T) {
	t.Parallel()
	s := testServer(t, Config{Listen: "127.0.0.1:0", TCP: "127.0.0.1:0"})
	for range maxOfSource + 8 {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 9)}}
		conn, err := dialer.DialContext(t.Context(), "tcp", s.TCP().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
	}
	openBrowser(t, webrtctest.Options{Codec: webrtc.MimeTypePCMU, TCPOnly: true}).call(t, s)
}
