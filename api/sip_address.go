package api

import (
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"github.com/callwright/callwright/api/apierror"
)

var (
	sipUser  = regexp.MustCompile(`^[A-Za-z0-9\-_.!~*'()&=+$,%#]+$`)
	hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
)

// checkSIPAccount refuses characters that would change the meaning of the SIP headers that hold the name.
func checkSIPAccount(wrong *apierror.Error, username, password string) {
	if !sipUser.MatchString(username) {
		wrong.With("sip_username", "holds characters that no SIP user name has")
	}
	if strings.ContainsFunc(password, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		wrong.With("sip_password", "holds control characters")
	}
}

// requireSIPProxy parses HOST or HOST:PORT, where HOST is a name or an IP address. Whether it may be reached is decided
// when it is resolved.
func requireSIPProxy(wrong *apierror.Error, field, text string) string {
	const message = "is not a host name or an IP address, with or without a port"
	host, port := strings.ToLower(text), ""
	if before, after, err := net.SplitHostPort(host); err == nil {
		host, port = before, after
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			wrong.With(field, message)
			return ""
		}
	}
	bare := strings.Trim(host, "[]")
	address, err := netip.ParseAddr(bare)
	switch {
	case err == nil && address.Zone() == "":
		host = address.String()
	case len(host) > 253 || !hostName.MatchString(host):
		wrong.With(field, message)
		return ""
	}
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	return host
}

// withPlus returns a number with the plus of E.164, which SIP providers leave out.
func withPlus(number string) string {
	number = strings.TrimSpace(number)
	if number == "" || strings.HasPrefix(number, "+") {
		return number
	}
	return "+" + number
}
