package smtp

import (
	"context"
	"crypto/tls"
	"mime"
	"net"
	netmail "net/mail"
	"net/url"
	"strings"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
	"github.com/callwright/callwright/providers/mail/mailtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sender is one for server; address is changed by the caller's hand into what it wants to see.
func sender(t *testing.T, server *mailtest.Server, change func(*url.URL)) *Sender {
	t.Helper()
	address := &url.URL{Scheme: "smtp", Host: server.Address}
	if change != nil {
		change(address)
	}
	s, err := New(Config{URL: address.String(), From: "Callwright <calls@callwright.example>",
		TLS: &tls.Config{RootCAs: server.Roots}})
	require.NoError(t, err)
	return s
}

func required(address *url.URL) { address.RawQuery = "tls=required" }

func TestConformance(t *testing.T) {
	t.Parallel()
	mailtest.Run(t, sender(t, new(mailtest.Server).Start(t), nil))
}

func TestSend(t *testing.T) {
	t.Parallel()

	t.Run("TheWholeMessage", func(t *testing.T) {
		t.Parallel()
		server := new(mailtest.Server).Start(t)
		message := mailtest.Message()
		message.Attachments = []mail.Attachment{{Name: "invite.ics", ContentType: "text/calendar; method=REQUEST",
			Content: []byte("BEGIN:VCALENDAR")}}
		require.NoError(t, sender(t, server, required).Send(t.Context(), message))

		received := server.Received()
		require.Len(t, received, 1)
		require.Equal(t, "calls@callwright.example", received[0].From)
		require.Equal(t, "jan@example.com", received[0].To)
		require.True(t, received[0].Encrypted)
		parsed, err := netmail.ReadMessage(strings.NewReader(received[0].Raw))
		require.NoError(t, err)
		require.Equal(t, "<0192f0c1@callwright.example>", parsed.Header.Get("Message-Id"))
		require.Equal(t, "auto-generated", parsed.Header.Get("Auto-Submitted"))
		subject, err := new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
		require.NoError(t, err)
		require.Equal(t, "Gesprek met Zoë", subject)
		for _, part := range []string{"text/plain", "text/html", "text/calendar", "invite.ics"} {
			require.Contains(t, received[0].Raw, part)
		}
	})

	t.Run("LogsIn", func(t *testing.T) {
		t.Parallel()
		for _, implicit := range []bool{false, true} {
			server := (&mailtest.Server{Login: true, Implicit: implicit}).Start(t)
			err := sender(t, server, func(address *url.URL) {
				address.User = url.UserPassword(mailtest.Username, mailtest.Password)
				if implicit {
					address.Scheme = "smtps"
				}
			}).Send(t.Context(), mailtest.Message())
			require.NoError(t, err)
			require.Equal(t, mailtest.Username, server.Received()[0].Login)
		}
	})
}

func TestFaults(t *testing.T) {
	t.Parallel()

	responses := func(code int) *mailtest.Server {
		return &mailtest.Server{Refuse: &gosmtp.SMTPError{Code: code, Message: "no"}}
	}
	for name, test := range map[string]struct {
		server *mailtest.Server
		change func(*url.URL)
		want   fault.Kind
	}{
		"NoSuchRecipient": {responses(550), nil, fault.Refused},
		"Greylisted":      {responses(451), nil, fault.Unavailable},
		"WrongPassword": {&mailtest.Server{Login: true}, func(address *url.URL) {
			address.User = url.UserPassword(mailtest.Username, "wrong-password")
		}, fault.Denied},
		"NoLoginOffered": {&mailtest.Server{}, func(address *url.URL) { address.User = url.UserPassword("a", "b") }, fault.Denied},
		"NoTLSOffered":   {&mailtest.Server{NoTLS: true}, required, fault.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.server.Start(t)
			err := sender(t, test.server, test.change).Send(t.Context(), mailtest.Message())
			kind, _ := fault.Of(err)
			require.Equal(t, test.want, kind, "%v", err)
			require.NotContains(t, err.Error(), "wrong-password")
			require.Empty(t, test.server.Received())
		})
	}

	t.Run("NobodyListens", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, listener.Close())
		kind, _ := fault.Of(sender(t, &mailtest.Server{Address: listener.Addr().String()}, nil).Send(t.Context(), mailtest.Message()))
		require.Equal(t, fault.Unavailable, kind)
	})

	t.Run("AServerThatHangs", func(t *testing.T) {
		t.Parallel()
		hang := make(chan bool)
		server := (&mailtest.Server{Hang: hang}).Start(t)
		t.Cleanup(func() { close(hang) })
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		kind, _ := fault.Of(sender(t, server, nil).Send(ctx, mailtest.Message()))
		require.Equal(t, fault.Timeout, kind)
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]Config{
		"NoScheme":  {URL: "mail.example.com", From: "a@example.com"},
		"NoHost":    {URL: "smtp://", From: "a@example.com"},
		"OtherOne":  {URL: "https://mail.example.com", From: "a@example.com"},
		"NoSender":  {URL: "smtp://mail.example.com"},
		"NoPort":    {URL: "smtp://mail.example.com:0", From: "a@example.com"},
		"OtherTLS":  {URL: "smtp://mail.example.com?tls=perhaps", From: "a@example.com"},
		"BadSender": {URL: "smtp://mail.example.com", From: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(cfg)
			require.Error(t, err)
		})
	}
	_, err := New(Config{URL: "smtp://user:pass word@mail.example.com:x", From: "a@example.com"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "pass")
}

// TestCheckOfASilentServer: a server that takes the connection and says nothing is waited for as long as the caller says.
func TestCheckOfASilentServer(t *testing.T) {
	t.Parallel()

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	s, err := New(Config{URL: "smtp://" + silent.Addr().String(), From: "calls@callwright.example"})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	kind, _ := fault.Of(s.Check(ctx))
	require.Equal(t, fault.Timeout, kind)
	require.Less(t, time.Since(began), stepTimeout)
}
