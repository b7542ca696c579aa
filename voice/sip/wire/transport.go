package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	siplib "github.com/emiago/sipgo/sip"
)

// Transport is how SIP messages travel to the next hop. Empty means UDP.
type Transport string

// The transports of a user agent. UDP is always there, and the others can always open connections.
const (
	UDP Transport = "UDP"
	TCP Transport = "TCP"
	TLS Transport = "TLS"
)

const connectTimeout = 10 * time.Second // for opening a TCP or TLS connection

// TLSConfig is what SIP over TLS needs.
type TLSConfig struct {
	Listen            string // address and TCP port; empty: connections are opened, none accepted
	CertFile, KeyFile string // PEM; needed for accepting, and shown to servers that ask who we are
	RootsFile         string // PEM of the authorities believed when we open a connection; empty: the system's
}

func (t Transport) Check() error {
	switch t {
	case "", UDP, TCP, TLS:
		return nil
	}
	return fmt.Errorf("%q is no transport we know", string(t))
}

// OrUDP reads the zero value.
func (t Transport) OrUDP() Transport {
	if t == "" {
		return UDP
	}
	return t
}

func (t Transport) Reliable() bool { return t == TCP || t == TLS }

func (t Transport) defaultPort() int { return siplib.DefaultPort(string(t.OrUDP())) }

// load reads the files into a configuration for both directions.
func (c TLSConfig) load() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.Listen != "" && c.CertFile == "" {
		return nil, errors.New("load tls files: accepting connections takes a certificate")
	}
	if c.CertFile != "" {
		certificate, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("load tls certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{certificate}
	}
	if c.RootsFile == "" {
		return config, nil
	}
	roots, err := os.ReadFile(c.RootsFile)
	if err != nil {
		return nil, fmt.Errorf("load tls authorities: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(roots) {
		return nil, fmt.Errorf("load tls authorities: %s holds no certificate", c.RootsFile)
	}
	return config, nil
}
