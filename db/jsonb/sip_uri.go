package jsonb

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SIPURI is a SIP URI as customers may name one: who is called where, and nothing else. What programs on the way read in
// different ways it does not hold, so that the rules on destinations judge what is dialed.
type SIPURI struct {
	Secure bool   // sips
	User   string // without escapes; empty: the host alone is called
	Host   string // in lower case, without a trailing dot; an IPv6 address in brackets
	Port   int    // 0: none is named
	Params string // as they are written, with the semicolon before them
}

const maxSIPURI = 255

var (
	sipUser   = regexp.MustCompile(`^[A-Za-z0-9_.!~*'()&=+$,#-]{1,128}$`)
	sipHost   = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$`)
	sipParam  = regexp.MustCompile(`^(?i)(transport=(udp|tcp|tls)|user=(phone|ip))$`)
	escaped   = strings.NewReplacer("#", "%23") // it ends a URI elsewhere (RFC 3986)
	errNoHost = errors.New("names no host")
)

// ReadSIPURI reads a SIP URI. Its error is a sentence about it.
func ReadSIPURI(text string) (SIPURI, error) {
	uri := SIPURI{}
	scheme, rest, found := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case !found || scheme != "sip" && scheme != "sips":
		return uri, errors.New("has neither the scheme sip nor sips")
	case len(text) > maxSIPURI:
		return uri, fmt.Errorf("is longer than %d characters", maxSIPURI)
	case strings.Contains(rest, "?"):
		return uri, errors.New("holds headers, which are not sent")
	}
	uri.Secure = scheme == "sips"
	if user, host, found := strings.Cut(rest, "@"); found {
		var err error
		if uri.User, err = readSIPUser(user); err != nil {
			return uri, err
		}
		rest = host
	}
	rest, params, found := strings.Cut(rest, ";")
	for param := range strings.SplitSeq(params, ";") {
		if found && !sipParam.MatchString(param) {
			return uri, fmt.Errorf("has the parameter %.40q; there are transport (udp, tcp or tls) and user (phone or ip)", param)
		}
	}
	if found {
		uri.Params = ";" + strings.ToLower(params)
	}
	return uri, uri.readHost(rest)
}

// readSIPUser returns the user of a URI. Escapes are read once: a user that holds one yet would be another one to whoever reads
// it again.
func readSIPUser(text string) (string, error) {
	user, err := url.PathUnescape(text)
	switch {
	case err != nil:
		return "", errors.New("holds an escape that is none")
	case strings.Contains(text, ":"):
		return "", errors.New("holds a password, which is not sent")
	case !sipUser.MatchString(user):
		return "", errors.New("has a user that is empty, is long or holds other characters than letters, digits and _.!~*'()&=+$,#-")
	}
	return user, nil
}

func (u *SIPURI) readHost(text string) error {
	host := strings.ToLower(text)
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		port, err := strconv.ParseUint(host[colon+1:], 10, 16)
		if err != nil || port == 0 {
			return errors.New("has a port that is none")
		}
		u.Port, host = int(port), host[:colon]
	}
	if inner, is := strings.CutPrefix(host, "["); is {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !ip.Is6() || ip.Zone() != "" || !strings.HasSuffix(inner, "]") {
			return errNoHost
		}
		u.Host = "[" + ip.String() + "]"
		return nil
	}
	u.Host = strings.TrimSuffix(host, ".")
	if !sipHost.MatchString(u.Host) {
		return errNoHost
	}
	return nil
}

// String returns the URI in the one form in which it is stored and dialed.
func (u *SIPURI) String() string {
	text := "sip:"
	if u.Secure {
		text = "sips:"
	}
	if u.User != "" {
		text += escaped.Replace(u.User) + "@"
	}
	return text + u.Authority() + u.Params
}

// Authority returns the host, with the port where one is named.
func (u *SIPURI) Authority() string {
	if u.Port == 0 {
		return u.Host
	}
	return net.JoinHostPort(strings.Trim(u.Host, "[]"), strconv.Itoa(u.Port))
}

// IsDialString reports whether a telephone network might take the user for digits that somebody dials: with digits, and without
// letters or said to be a telephone's.
func (u *SIPURI) IsDialString() bool {
	letters := strings.ContainsFunc(u.User, func(c rune) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' })
	digits := strings.ContainsAny(u.User, "0123456789")
	return digits && !letters || strings.HasPrefix(u.User, "+") || slices.Contains(strings.Split(u.Params, ";"), "user=phone")
}

// IsSIPURI reports whether a target is written as a SIP URI, and not as a number.
func IsSIPURI(target string) bool { return strings.Contains(target, ":") }
