package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/callwright/callwright/providers/hook"
)

// corsFlags say which pages of other origins may ask the API.
type corsFlags struct {
	CORSOrigins []string `name:"cors-origins" help:"Origins whose web pages may call the API, such as https://app.example.com, or * for all. Default: none but our own." env:"CALLWRIGHT_CORS_ORIGINS" placeholder:"ORIGIN"`
}

// origins are as a browser writes them (RFC 6454, section 6.2): anything else would never match.
func (f corsFlags) origins() ([]string, error) {
	for _, origin := range f.CORSOrigins {
		parsed, err := url.Parse(origin)
		whole := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "" &&
			parsed.Scheme+"://"+parsed.Host == origin
		if origin != "*" && !whole {
			return nil, fmt.Errorf("--cors-origins: %q is not SCHEME://HOST[:PORT]", origin)
		}
	}
	return f.CORSOrigins, nil
}

// publicFlags say where the deployment is.
type publicFlags struct {
	PublicURL string `help:"Address at which customers reach the API and the dashboard; links and recordings are named below it. With https, sessions travel over https alone. Default: ${default}." default:"http://127.0.0.1:8080" env:"CALLWRIGHT_PUBLIC_URL" placeholder:"URL"`
}

// public returns the address without a slash at its end.
func (f publicFlags) public() (string, error) {
	if parsed, err := url.Parse(f.PublicURL); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return "", fmt.Errorf("--public-url (CALLWRIGHT_PUBLIC_URL): %q is not http:// or https:// and a host", f.PublicURL)
	}
	return strings.TrimRight(f.PublicURL, "/"), nil
}

// minOperatorPassword is how many characters the operator's password has at least.
const minOperatorPassword = 12

// operatorFlags are who opens the operator's pages.
type operatorFlags struct {
	OperatorPassword string         `help:"Password of River UI at /ops/, user operator, of 12 characters or more." required:"" env:"CALLWRIGHT_OPERATOR_PASSWORD"`
	TrustedProxies   []netip.Prefix `help:"Networks of reverse proxies whose X-Forwarded-For names the client. Without them all clients behind one proxy wait together after wrong passwords." env:"CALLWRIGHT_TRUSTED_PROXIES" placeholder:"CIDR"`
}

func (f operatorFlags) checkPassword() error {
	if length := utf8.RuneCountInString(f.OperatorPassword); length < minOperatorPassword {
		return fmt.Errorf("--operator-password (CALLWRIGHT_OPERATOR_PASSWORD) has %d characters: it needs %d or more", length,
			minOperatorPassword)
	}
	return nil
}

// hookFlags bound what may be reached at addresses that customers give.
type hookFlags struct {
	AllowNetworks []netip.Prefix `help:"Networks that customers' URLs may point into besides public ones, such as 10.1.0.0/16." env:"CALLWRIGHT_ALLOW_NETWORKS" placeholder:"CIDR"`
}

func (f hookFlags) client() *hook.Client {
	return hook.New(hook.Config{Allow: f.AllowNetworks, UserAgent: userAgent()})
}
