// Package smtp sends mail through a mail server.
//
// It knows SMTP (RFC 5321) through go-mail, and the meaning of its errors. It must not know what is written.
package smtp

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	gosmtp "github.com/wneessen/go-mail/smtp"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/mail"
)

const (
	name        = "smtp"
	stepTimeout = 30 * time.Second // of the connection and of each step
)

// Config is an account on a mail server.
type Config struct {
	// URL is smtp://[USER:PASSWORD@]HOST[:PORT], which insists on STARTTLS unless the host is this machine, or
	// smtps://…, which is TLS from the start. Ports default to 587 and 465. ?tls=none or ?tls=opportunistic requires less.
	URL  string
	From string      // address, with or without a name
	TLS  *tls.Config // nil: the system's root certificates
}

// Sender is a mail.Sender.
type Sender struct {
	host, address, domain string
	from                  *netmail.Address
	implicitTLS           bool
	tls                   *tls.Config
	options               []gomail.Option
}

// New returns a Sender. It does not connect. Its errors never hold the password.
func New(cfg Config) (*Sender, error) {
	server, err := url.Parse(cfg.URL)
	if err != nil || server.Hostname() == "" || server.Scheme != "smtp" && server.Scheme != "smtps" {
		return nil, errors.New("address of the mail server is not smtp://[USER:PASSWORD@]HOST[:PORT] or smtps://…")
	}
	from, err := netmail.ParseAddress(cfg.From)
	if err != nil {
		return nil, fmt.Errorf("sender %q is not a mail address", cfg.From)
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	s := &Sender{host: server.Hostname(), domain: domain, from: from, implicitTLS: server.Scheme == "smtps", tls: &tls.Config{}}
	if cfg.TLS != nil {
		s.tls = cfg.TLS.Clone()
	}
	s.tls.ServerName, s.tls.MinVersion = s.host, tls.VersionTLS12
	port := server.Port()
	if port == "" {
		port = map[bool]string{false: "587", true: "465"}[s.implicitTLS]
	}
	number, err := strconv.Atoi(port)
	if err != nil || number < 1 || number > 65535 {
		return nil, fmt.Errorf("port %q of the mail server is not a port", port)
	}
	s.address = net.JoinHostPort(s.host, port)
	policy, err := tlsPolicy(server)
	if err != nil {
		return nil, err
	}
	// Without NOOP and RSET a message takes fewer round trips, and no failure after its acceptance is taken for a
	// refusal.
	s.options = []gomail.Option{
		gomail.WithPort(number), gomail.WithTimeout(stepTimeout), gomail.WithTLSConfig(s.tls), gomail.WithTLSPolicy(policy),
		gomail.WithoutNoop(), gomail.WithoutRset(),
	}
	if s.implicitTLS {
		s.options = append(s.options, gomail.WithSSL())
	}
	if password, given := server.User.Password(); given {
		s.options = append(s.options, gomail.WithOpportunisticSMTPAuth(mechanisms()...), gomail.WithUsername(server.User.Username()),
			gomail.WithPassword(password))
	}
	return s, nil
}

// mechanisms returns the authentication mechanisms, best first. The last two send the password and are used over TLS
// only.
func mechanisms() []gomail.SMTPAuthType {
	return []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain,
		gomail.SMTPAuthLogin}
}

func tlsPolicy(server *url.URL) (gomail.TLSPolicy, error) {
	switch asked := server.Query().Get("tls"); asked {
	case "none":
		return gomail.NoTLS, nil
	case "opportunistic":
		return gomail.TLSOpportunistic, nil
	case "", "required":
		address, err := netip.ParseAddr(server.Hostname())
		if asked == "" && (server.Hostname() == "localhost" || err == nil && address.IsLoopback()) {
			return gomail.TLSOpportunistic, nil
		}
		return gomail.TLSMandatory, nil
	default:
		return 0, fmt.Errorf("tls=%s of the mail server is not required, opportunistic or none", asked)
	}
}

// Name returns "smtp".
func (*Sender) Name() string { return name }

// Send sends the message over its own connection, which ends with ctx.
func (s *Sender) Send(ctx context.Context, message *mail.Message) error {
	if err := mail.Check(message); err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Err: err}
	}
	composed, err := s.compose(message)
	if err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Message: "message cannot be written", Err: err}
	}
	return s.login(ctx, func(client *gomail.Client, session *gosmtp.Client) error {
		return client.SendWithSMTPClient(session, composed)
	})
}

// Check logs in and sends nothing. Its errors are those of Send.
func (s *Sender) Check(ctx context.Context) error {
	return s.login(ctx, func(*gomail.Client, *gosmtp.Client) error { return nil })
}

// login calls use with a connection that has greeted and logged in, and ends it.
func (s *Sender) login(ctx context.Context, use func(*gomail.Client, *gosmtp.Client) error) error {
	// go-mail watches ctx only while it dials, and leaves a connection open if its greeting failed.
	closing := func() {}
	defer func() { closing() }()
	dial := func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := s.dial(dialing, network, address)
		if err == nil {
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			closing = func() {
				stop()
				_ = conn.Close() // after QUIT it is closed already
			}
		}
		return conn, err
	}
	client, err := gomail.NewClient(s.host, append(s.options, gomail.WithDialContextFunc(dial))...)
	if err != nil {
		return &fault.Error{Kind: fault.Refused, Provider: name, Message: "client cannot be made", Err: err}
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return explain(ctx, err, true)
	}
	if err := use(client, session); err != nil {
		return explain(ctx, err, false)
	}
	_ = client.CloseWithSMTPClient(session) // a message is accepted by now, whatever the response to QUIT is
	return nil
}

// dial connects, with implicit TLS if configured; go-mail leaves both to a custom dialer.
func (s *Sender) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	if s.implicitTLS {
		return (&tls.Dialer{Config: s.tls}).DialContext(ctx, network, s.address)
	}
	return new(net.Dialer).DialContext(ctx, network, s.address)
}

func (s *Sender) compose(message *mail.Message) (*gomail.Msg, error) {
	composed := gomail.NewMsg()
	composed.FromMailAddress(s.from)
	if err := composed.To(message.To); err != nil {
		return nil, err
	}
	composed.SetMessageIDWithValue(message.ID + "@" + s.domain)
	composed.SetDate()
	composed.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic replies
	composed.Subject(message.Subject)
	composed.SetBodyString(gomail.TypeTextPlain, message.Text)
	if message.HTML != "" {
		composed.AddAlternativeString(gomail.TypeTextHTML, message.HTML)
	}
	for _, attachment := range message.Attachments {
		composed.AttachReadSeeker(attachment.Name, bytes.NewReader(attachment.Content),
			gomail.WithFileContentType(gomail.ContentType(attachment.ContentType)))
	}
	_, err := composed.WriteTo(io.Discard)
	return composed, err
}

// explain returns the fault for an error of go-mail. What a server refuses of the greeting, TLS or login concerns our
// account there; what it refuses later concerns the message.
func explain(ctx context.Context, err error, greeting bool) error {
	code := 0
	if sent, ok := errors.AsType[*gomail.SendError](err); ok {
		code = sent.ErrorCode()
	} else if response, ok := errors.AsType[*textproto.Error](err); ok {
		code = response.Code
	}
	_, network := errors.AsType[net.Error](err)
	broken := network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
	kind := fault.Unavailable
	switch {
	case ctx.Err() != nil:
		return fault.FromNet(name, ctx.Err())
	case code == 0 && (broken || !greeting):
		return fault.FromNet(name, err)
	case greeting && (code == 0 || code >= 500):
		kind = fault.Denied
	case code >= 500:
		kind = fault.Refused
	}
	return &fault.Error{Kind: kind, Provider: name, StatusCode: code, Message: "mail server did not take the message", Err: err}
}
