package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/callwright/callwright/voice/sip"
)

const (
	slowLookUp      = time.Second
	certificateWarn = 14 * 24 * time.Hour
	sampledPorts    = 16
)

// Names returns the check that the hosts of settings have addresses. Addresses among them are left out.
func Names(hosts []string) Check {
	return Check{"dns", func(ctx context.Context) Finding {
		var unknown []string
		slowest, looked := time.Duration(0), 0
		for _, host := range hosts {
			if _, err := netip.ParseAddr(host); err == nil || host == "" {
				continue
			}
			looked++
			began := time.Now()
			if _, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
				unknown = append(unknown, host)
			}
			slowest = max(slowest, time.Since(began))
		}
		switch {
		case looked == 0:
			return ok("no setting names a host: all give addresses")
		case len(unknown) > 0:
			return fail("correct the name, or look at /etc/resolv.conf", "no address is known of %s", strings.Join(unknown, ", "))
		case slowest > slowLookUp:
			return warn("run a resolver that caches on this machine", "a name took %s to look up", millis(slowest))
		}
		return ok("%d names have addresses", looked)
	}}
}

// HostOf returns the host of a URL or of HOST:PORT; empty: it has none.
func HostOf(address string) string {
	if strings.Contains(address, "://") {
		parsed, err := url.Parse(address)
		if err != nil {
			return ""
		}
		return parsed.Hostname()
	}
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// PublicURL returns the check of the address at which customers reach the API.
func PublicURL(address string) Check {
	return Check{"public url", func(ctx context.Context) Finding {
		const remedy = "set CALLWRIGHT_PUBLIC_URL to the address of the balancer before the API: recordings in events are named below it"
		if parsed, err := url.Parse(address); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return fail(remedy, "%q is not http:// or https:// and a host", address)
		}
		if ip, err := netip.ParseAddr(HostOf(address)); HostOf(address) == "localhost" || err == nil && ip.IsLoopback() {
			return warn(remedy, "%s is this machine alone", address)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(address, "/")+"/readyz", nil)
		if err != nil {
			return fail(remedy, "%v", err)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err != nil {
			return warn("start the API, and see that its balancer can be reached from here", "%v", err)
		}
		defer response.Body.Close()
		said, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		switch {
		case err != nil || response.StatusCode != http.StatusOK && response.StatusCode != http.StatusServiceUnavailable:
			return warn(remedy+"; something else answers there", "%s/readyz answers %s", address, response.Status)
		case response.StatusCode != http.StatusOK:
			return warn("look at what the API processes there lack, and at their logs", "%s/readyz answers %s %s", address,
				response.Status, said)
		}
		return ok("%s is ready", address)
	}}
}

// Listens are the sockets that a worker opens for live calls.
type Listens struct {
	UDP, TCP string // HOST:PORT; TCP may be empty
	TLS      sip.TLSConfig
	RTP      [2]int
}

// Ports returns the checks of those sockets. They are free where no worker runs here yet.
func (l Listens) Ports() []Check {
	checks := []Check{
		{"sip port", l.checkSIP},
		{"rtp ports", l.checkRTP},
	}
	if l.TLS.CertFile != "" {
		checks = append(checks, Check{"sip certificate", func(context.Context) Finding { return checkCertificate(l.TLS, time.Now()) }})
	}
	return checks
}

func (l Listens) checkSIP(ctx context.Context) Finding {
	var listener net.ListenConfig
	sockets := []struct{ network, address, setting string }{
		{"udp", l.UDP, "CALLWRIGHT_SIP_LISTEN"}, {"tcp", l.TCP, "CALLWRIGHT_SIP_TCP_LISTEN"},
		{"tcp", l.TLS.Listen, "CALLWRIGHT_SIP_TLS_LISTEN"},
	}
	if l.TLS.Listen != "" && (l.TLS.CertFile == "" || l.TLS.KeyFile == "") {
		return fail("give CALLWRIGHT_SIP_TLS_CERT and CALLWRIGHT_SIP_TLS_KEY", "SIP over TLS at %s needs a certificate and its key",
			l.TLS.Listen)
	}
	for _, socket := range sockets {
		if socket.address == "" {
			continue
		}
		var bound io.Closer
		var err error
		if socket.network == "udp" {
			bound, err = listener.ListenPacket(ctx, socket.network, socket.address)
		} else {
			bound, err = listener.Listen(ctx, socket.network, socket.address)
		}
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			return warn("nothing, where a worker of this machine has it; else end the other program, or choose another port with "+socket.setting,
				"%s %s is taken", socket.network, socket.address)
		case err != nil:
			return unbound(socket.setting, err)
		}
		if err := bound.Close(); err != nil {
			return fail("try again", "close %s: %v", socket.address, err)
		}
	}
	return ok("%s is free", l.UDP)
}

// unbound is the finding of a socket that could not be opened though nobody has it.
func unbound(setting string, err error) Finding {
	if errors.Is(err, fs.ErrPermission) {
		return fail("choose a port above 1023 with "+setting+", or grant CAP_NET_BIND_SERVICE", "%v", err)
	}
	return fail("correct "+setting+": HOST:PORT, and HOST is an address of this machine", "%v", err)
}

func (l Listens) checkRTP(ctx context.Context) Finding {
	host, _, err := net.SplitHostPort(l.UDP)
	if err != nil {
		return unbound("CALLWRIGHT_SIP_LISTEN", err)
	}
	calls := (l.RTP[1] - l.RTP[0] + 1) / 2
	taken := 0
	for i := range sampledPorts {
		port := l.RTP[0] + i*(l.RTP[1]-l.RTP[0])/sampledPorts
		conn, err := new(net.ListenConfig).ListenPacket(ctx, "udp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			taken++
			continue
		case errors.Is(err, fs.ErrPermission):
			return unbound("CALLWRIGHT_RTP_PORTS", err)
		case err != nil:
			return unbound("CALLWRIGHT_SIP_LISTEN", err)
		}
		if err := conn.Close(); err != nil {
			return fail("try again", "close port %d: %v", port, err)
		}
	}
	first, last, known := ephemeralPorts()
	switch {
	case taken == sampledPorts:
		return fail("choose other ports with CALLWRIGHT_RTP_PORTS", "none of %d ports that were tried between %d and %d can be had",
			sampledPorts, l.RTP[0], l.RTP[1])
	case known && l.RTP[0] <= last && first <= l.RTP[1]:
		return warn("choose CALLWRIGHT_RTP_PORTS outside of net.ipv4.ip_local_port_range, or name them in net.ipv4.ip_local_reserved_ports",
			"the kernel gives %d to %d to any program", max(first, l.RTP[0]), min(last, l.RTP[1]))
	}
	return ok("%d to %d: room for %d calls", l.RTP[0], l.RTP[1], calls)
}

func checkCertificate(files sip.TLSConfig, now time.Time) Finding {
	const remedy = "renew the certificate in CALLWRIGHT_SIP_TLS_CERT and restart the workers"
	pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
	if err != nil {
		return fail("correct CALLWRIGHT_SIP_TLS_CERT and CALLWRIGHT_SIP_TLS_KEY: they belong together, and this user may read them",
			"%v", err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return fail(remedy, "%v", err)
	}
	names := fmt.Sprint(leaf.DNSNames)
	switch left := leaf.NotAfter.Sub(now); {
	case left < 0:
		return fail(remedy, "%s has lapsed on %s", names, leaf.NotAfter.Format(time.DateOnly))
	case left < certificateWarn:
		return warn(remedy, "%s lapses on %s", names, leaf.NotAfter.Format(time.DateOnly))
	}
	return ok("%s, until %s", names, leaf.NotAfter.Format(time.DateOnly))
}
