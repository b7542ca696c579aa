package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// The account that a Server with Login has.
const (
	Username = "callwright"
	Password = "correct horse" // with a space, which URLs must escape
)

// Server is a mail server on loopback. Set its fields before Start.
type Server struct {
	Login    bool        // only Username with Password may send
	NoTLS    bool        // does not offer STARTTLS
	Implicit bool        // TLS from the start
	Refuse   error       // the response to RCPT, such as a *smtp.SMTPError; nil: accepted
	Hang     <-chan bool // if set, it does not respond to the message before this is closed

	Address string         // HOST:PORT
	Roots   *x509.CertPool // the issuer of its certificate

	mu       sync.Mutex
	received []Received
}

// Received is a message that the server accepted.
type Received struct {
	From, To, Login string
	Encrypted       bool
	Raw             string
}

// Start runs the server until the test ends, and returns it.
func (s *Server) Start(tb testing.TB) *Server {
	tb.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	certificate := certified.TLS.Certificates[0]
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(certified.Certificate())

	server := smtp.NewServer(smtp.BackendFunc(func(conn *smtp.Conn) (smtp.Session,
		error) {
		return &session{server: s, conn: conn}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "localhost", true
	server.ReadTimeout, server.WriteTimeout = 20*time.Second, 20*time.Second
	server.ErrorLog = silent{}
	settings := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	s.Address = listener.Addr().String()
	switch {
	case s.Implicit:
		listener = tls.NewListener(listener, settings)
	case !s.NoTLS:
		server.TLSConfig = settings
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	tb.Cleanup(func() {
		require.NoError(tb, server.Close())
		if err := <-served; !errors.Is(err, smtp.ErrServerClosed) {
			require.NoError(tb, err)
		}
	})
	return s
}

// Received returns the accepted messages, oldest first.
func (s *Server) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received{}, s.received...)
}

// silent drops the library's log of broken connections.
type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

type session struct {
	server  *Server
	conn    *smtp.Conn
	message Received
	login   string
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.server.Login {
		return []string{sasl.Plain}
	}
	return nil
}

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != Username || password != Password {
			return smtp.ErrAuthFailed
		}
		s.login = username
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.Login && s.login == "" {
		return smtp.ErrAuthRequired
	}
	_, encrypted := s.conn.TLSConnectionState()
	s.message = Received{From: from, Login: s.login, Encrypted: encrypted}
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.message.To = to
	return s.server.Refuse
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return errors.New("message broke off")
	}
	if s.server.Hang != nil {
		<-s.server.Hang
	}
	s.message.Raw = string(raw)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.received = append(s.server.received, s.message)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() {}

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }
