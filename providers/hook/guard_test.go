package hook

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/callwright/callwright/providers/fault"
)

func TestGuardAllows(t *testing.T) {
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	for addr, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true, "::ffff:93.184.215.14": true,
		"127.0.0.1": false, "127.9.9.9": false, "::1": false, "0.0.0.0": false, "::": false, "0.1.2.3": false,
		"10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.0.1": false,
		"100.64.0.1": false, "100.100.100.200": false, "169.254.169.254": false, "168.63.129.16": false,
		"192.0.0.192": false, "198.18.0.1": false, "203.0.113.9": false, "224.0.0.1": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b::6440:1": false, "64:ff9b::5db8:d70e": true,
		"64:ff9b:1::1":     false,
		"64:ff9b::a01:203": true, "2002:7f00:1::": false, "2002:5db8:d70e::1": false, "2001:db8::1": false, "2001::1": false,
		"2001:0:5db8:d70e::1": false, "::5db8:d70e": false, "ff0e::1": false, "239.1.1.1": false, "100::1": false, "3fff::1": false,
		"5f00::1":  false,
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false,
	} {
		require.Equal(t, want, NewGuard(allow).Allows(netip.MustParseAddr(addr)), addr)
	}
}

// TestNameThatResolvesAnew has a name point to an allowed address at first and then to one that is not, within one
// client: what counts is where each connection goes.
func TestNameThatResolvesAnew(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.2:0")
	require.NoError(t, err)
	var reached atomic.Int32
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		reached.Add(1)
		w.Header().Set("Connection", "close") // so that the next post dials again
	})}}
	server.Start()
	defer server.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)

	var address atomic.Value
	dialer := NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}).Dialer()
	dialer.Resolver = serveDNS(t, func() [4]byte { return address.Load().([4]byte) })
	client := &Client{http: newHTTP(dialer)}
	defer client.Close()
	post := Post{URL: "http://rebinding.example.com:" + port, ID: "evt_1"}

	address.Store([4]byte{127, 0, 0, 2})
	_, err = client.Post(t.Context(), post)
	require.NoError(t, err)
	for _, private := range [][4]byte{{127, 0, 0, 1}, {169, 254, 169, 254}, {10, 0, 0, 1}} {
		address.Store(private)
		_, err = client.Post(t.Context(), post)
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Refused, kind, "%v", err)
	}
	require.EqualValues(t, 1, reached.Load())
}

// serveDNS returns a resolver that resolves every name to the current address.
func serveDNS(t *testing.T, current func() [4]byte) *net.Resolver {
	t.Helper()
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			n, peer, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if response, err := answerDNS(buffer[:n], current()); err == nil {
				_, _ = conn.WriteTo(response, peer)
			}
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func answerDNS(query []byte, address [4]byte) ([]byte, error) {
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil {
		return nil, err
	}
	message.Response, message.Authoritative, message.Additionals = true, true, nil
	for _, question := range message.Questions {
		if question.Type == dnsmessage.TypeA {
			message.Answers = append(message.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
				Body:   &dnsmessage.AResource{A: address},
			})
		}
	}
	return message.Pack()
}
