package wire

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	siplib "github.com/emiago/sipgo/sip"
	"github.com/stretchr/testify/require"
)

func TestNextHops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		transport, source, redial string
		routes                    []string
		want                      Dialog
	}{
		{"UDP", "192.0.2.1:5999", "example.org:5060", nil, Dialog{NextHop: "192.0.2.1:5999"}},
		{"TLS", "192.0.2.1:41234", "example.org:5061", nil,
			Dialog{NextHop: "example.org:5061", Transport: TLS, Connection: "192.0.2.1:41234"}},
		{"TLS", "192.0.2.1:41234", "x:1", []string{"<sip:192.0.2.1;transport=tls;lr>"},
			Dialog{NextHop: "192.0.2.1:5061", Transport: TLS, Connection: "192.0.2.1:41234"}},
		{"TCP", "192.0.2.1:41234", "x:1", []string{"<sips:192.0.2.1:5071;lr>"},
			Dialog{NextHop: "192.0.2.1:5071", Transport: TLS, Connection: "192.0.2.1:41234"}},
		{"UDP", "192.0.2.1:5060", "x:1", []string{"<sip:[2001:db8::1];lr>"}, Dialog{NextHop: "[2001:db8::1]:5060"}},
		{"UDP", "192.0.2.1:5060", "x:1", []string{"<sip:192.0.2.8;transport=tcp;lr>", "<sip:q>"},
			Dialog{NextHop: "192.0.2.8:5060", Transport: TCP}},
		{"TCP", "192.0.2.1:5060", "x:1", []string{"<sip:192.0.2.8;transport=sctp;lr>"},
			Dialog{NextHop: "192.0.2.8:5060", Transport: TCP, Connection: "192.0.2.1:5060"}},
	} {
		d := Dialog{Routes: c.routes}
		d.findNextHop(hops{transport: c.transport, source: c.source, home: c.redial},
			Reach{Allows: func(netip.Addr) bool { return true }})
		c.want.Routes = c.routes
		require.Equal(t, c.want, d)
	}
}

func TestNextHopsStayWithinReach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		transport, source, home, contact string
		routes                           []string
		want                             Dialog
		refused                          []string
	}{
		{"UDP", "192.0.2.1:5999", "192.0.2.1:5060", "", nil, Dialog{NextHop: "192.0.2.1:5999"}, nil},
		{"UDP", "198.51.100.1:5060", "192.0.2.1:5060", "", nil, Dialog{NextHop: "192.0.2.1:5060"}, []string{"198.51.100.1:5060"}},
		{"UDP", "192.0.2.1:5060", "192.0.2.1:5060", "", []string{"<sip:198.51.100.1;transport=tcp;lr>"},
			Dialog{NextHop: "192.0.2.1:5060"}, []string{"198.51.100.1:5060"}},
		{"UDP", "192.0.2.1:5060", "192.0.2.1:5060", "", []string{"<sips:192.0.2.1;lr>"},
			Dialog{NextHop: "192.0.2.1:5061", Transport: TLS}, nil},
		{"UDP", "192.0.2.1:5060", "192.0.2.1:5060", "", []string{"<sip:10.0.0.1;lr>"}, Dialog{NextHop: "10.0.0.1:5060"}, nil},
		{"UDP", "192.0.2.1:5060", "192.0.2.1:5060", "", []string{"<sip:no-such-host.invalid;lr>"}, Dialog{NextHop: "192.0.2.1:5060"},
			[]string{"no-such-host.invalid:5060"}},
		{"UDP", "192.0.2.1:5060", "192.0.2.1:5060", "", []string{"<sip:[::ffff:10.0.0.2]:99;lr>"}, Dialog{NextHop: "10.0.0.2:99"}, nil},
		{"TLS", "192.0.2.1:41234", "carrier.example:5061", "", []string{"<sip:edge.carrier.example;lr>"},
			Dialog{NextHop: "carrier.example:5061", Transport: TLS, Connection: "192.0.2.1:41234"}, []string{"edge.carrier.example:5061"}},
		{"TCP", "192.0.2.1:41234", "192.0.2.1:41234", "192.0.2.1:5070", nil,
			Dialog{NextHop: "192.0.2.1:5070", Transport: TCP, Connection: "192.0.2.1:41234"}, nil},
		{"TCP", "192.0.2.1:41234", "192.0.2.1:41234", "198.51.100.1:5070", nil,
			Dialog{NextHop: "192.0.2.1:41234", Transport: TCP, Connection: "192.0.2.1:41234"}, []string{"198.51.100.1:5070"}},
	} {
		d := Dialog{Routes: c.routes}
		var refused []string
		d.findNextHop(hops{transport: c.transport, source: c.source, home: c.home, contact: c.contact}, Reach{
			Allows: netip.MustParsePrefix("10.0.0.0/8").Contains, Refused: func(named string) { refused = append(refused, named) },
		})
		c.want.Routes = c.routes
		require.Equal(t, c.want, d)
		require.Equal(t, c.refused, refused)
	}
}

func TestInvalidURIsAreNotWritten(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		"sip:a@b": true, "sip:+31#201234567@10.0.0.1:5070;transport=tcp;lr": true, "sips:[2001:db8::1]": true, "tel:+31201234567": true,
		"sip:a@b c": false, "sip:a@": false, "sip:a@b\r\nEvil: 1": false, "http://a/b": false, "sip:a@b/c": false, "sip:<a>@b": false,
		"sip:a@b:99999": false,
		"sip:" + strings.Repeat("a", maxURI) + "@b": false, "sip:\u00e9@b": false,
	} {
		var uri siplib.Uri
		err := siplib.ParseUri(text, &uri)
		if err == nil {
			err = CheckURI(&uri)
		}
		require.Equal(t, valid, err == nil, "%s: %v", text, err)
	}
}

func TestAnOldProxyTakesThePlaceOfTheTarget(t *testing.T) {
	t.Parallel()
	d := Dialog{LocalURI: "sip:a@b", RemoteURI: "sip:c@d", Target: "sip:far@192.0.2.7",
		Routes: []string{"<sip:old.example.org>", "<sip:new.example.org;lr>"}}
	bye, err := d.Request(siplib.BYE)
	require.NoError(t, err)
	require.Equal(t, "BYE sip:old.example.org SIP/2.0", bye.StartLine())
	routes := bye.GetHeaders("Route")
	require.Len(t, routes, 2)
	require.Equal(t, "<sip:new.example.org;lr>", routes[0].Value())
	require.Equal(t, "<sip:far@192.0.2.7>", routes[1].Value())
	require.Equal(t, "<sip:old.example.org>", d.Routes[0], "the dialog stays as it is")
	d.Routes[0] = "nowhere"
	_, err = d.Request(siplib.BYE)
	require.Error(t, err)
}

func TestASnapshotSurvivesStorage(t *testing.T) {
	t.Parallel()
	d := Dialog{CallID: "a", LocalURI: "sip:a@b", LocalTag: "1", RemoteURI: "sip:c@d", RemoteTag: "2", Target: "sip:e@f",
		NextHop: "g:1", Routes: []string{"<sip:h>"}, CSeq: 3}
	stored, err := json.Marshal(d)
	require.NoError(t, err)
	var back Dialog
	require.NoError(t, json.Unmarshal(stored, &back))
	require.Equal(t, d, back)
	back.Target = "not a uri"
	_, err = back.Request(siplib.BYE)
	require.Error(t, err)
}

func TestRetryAfterIsRead(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "5;duration=9": 5 * time.Second, "7 (busy)": 7 * time.Second, "soon": 0, "-1": 0,
	} {
		res := siplib.NewResponse(503, "Service Unavailable")
		res.AppendHeader(siplib.NewHeader("Retry-After", value))
		require.Equal(t, want, RefusedBy(res).RetryAfter, value)
	}
}

func challenged(code int, values ...string) *siplib.Response {
	res := siplib.NewResponse(code, "")
	name, _ := challengeHeaders(res)
	for _, value := range values {
		res.AppendHeader(siplib.NewHeader(name, value))
	}
	return res
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	req := siplib.NewRequest(siplib.INVITE, siplib.Uri{Scheme: "sip", User: "42", Host: "192.0.2.1"})
	auth := Authorization{Credentials: Credentials{"me", "secret"}}
	again, err := auth.Answer(req, challenged(407, `Digest realm="p", nonce="1", algorithm=MD5, qop="auth-int, auth"`))
	require.NoError(t, err)
	require.True(t, again)
	again, err = auth.Answer(req, challenged(401, `Digest realm="s", nonce="2", algorithm=SHA-256`))
	require.NoError(t, err)
	require.True(t, again, "the server behind the proxy asks for itself")
	retry := req.Clone()
	auth.Apply(retry)
	require.NotNil(t, retry.GetHeader("Authorization"))
	require.NotNil(t, retry.GetHeader("Proxy-Authorization"))
	again, err = auth.Answer(req, challenged(407, `Digest realm="p", nonce="3", stale=true`))
	require.NoError(t, err)
	require.True(t, again, "an old nonce is no wrong password")
	again, err = auth.Answer(req, challenged(407, `Digest realm="p", nonce="4", stale=true`))
	require.NoError(t, err)
	require.False(t, again, "but not for ever")

	auth = Authorization{Credentials: Credentials{"me", "wrong"}}
	for _, want := range []bool{true, false} {
		again, err = auth.Answer(req, challenged(401, `Digest realm="s", nonce="2"`))
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
	auth = Authorization{Credentials: Credentials{"me", "x"}}
	_, err = auth.Answer(req, challenged(401, `Basic realm="s"`))
	require.ErrorIs(t, err, errNoDigest)
	auth = Authorization{}
	again, err = auth.Answer(req, challenged(401, `Digest realm="s", nonce="2"`))
	require.NoError(t, err)
	require.False(t, again, "without an account there is no answer")
}
