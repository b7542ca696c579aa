package sip

import (
	"testing"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
)

func FuzzSessionIn(f *testing.F) {
	f.Add("multipart/mixed;boundary=b", []byte("--b\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--b--"))
	f.Add("application/sdp", []byte("v=0"))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		res := siplib.NewResponse(200, "OK")
		res.AppendHeader(siplib.NewHeader("Content-Type", kind))
		res.SetBody(body)
		got, err := sessionIn(res)
		require.True(t, err == nil || got == nil)
		require.LessOrEqual(t, len(got), len(body))
	})
}
