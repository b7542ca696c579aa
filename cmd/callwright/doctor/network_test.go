package doctor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/voice/sip/siptest"
)

func TestCertificate(t *testing.T) {
	t.Parallel()

	cert, key := siptest.Certificate(t)
	files := sip.TLSConfig{CertFile: cert, KeyFile: key}
	require.Equal(t, OK, checkCertificate(files, time.Now().Add(-30*24*time.Hour)).Status)
	lapsed := checkCertificate(files, time.Now().AddDate(100, 0, 0))
	require.Equal(t, Fail, lapsed.Status)
	require.Contains(t, lapsed.Found, "has lapsed")
	files.KeyFile = cert
	require.Equal(t, Fail, checkCertificate(files, time.Now()).Status)
}

func TestHostOf(t *testing.T) {
	t.Parallel()

	for address, want := range map[string]string{
		"smtp://user:pass@mail.example:25": "mail.example", "https://[::1]:8080/v1": "::1", "sip.example:5060": "sip.example",
		"sip.example":                   "sip.example",
		"smtp://user:p%ss@mail.example": "", "": "",
	} {
		require.Equal(t, want, HostOf(address), address)
	}
}
