package webrtc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/pion/ice/v4"
	"github.com/pion/webrtc/v4"

	"github.com/callwright/callwright/voice/accept"
)

// open opens the ports and has the answers name them, at the one address at which browsers reach us.
func (s *Server) open(cfg Config, settings *webrtc.SettingEngine) error {
	listen := cfg.Listen
	if listen == "" {
		listen = cfg.TCP
	}
	own, err := ownAddress(listen)
	if err != nil {
		return err
	}
	beside := netip.Addr{}
	if cfg.Beside && cfg.Listen != "" && own.IsLoopback() {
		beside = s.besideLoopback(own)
	}
	settings.SetIncludeLoopbackCandidate(own.IsLoopback())
	settings.SetIPFilter(func(ip net.IP) bool {
		addr, ok := netip.AddrFromSlice(ip)
		return ok && (addr.Unmap() == own || addr.Unmap() == beside)
	})
	if cfg.PublicIP.IsValid() && cfg.PublicIP != own {
		rule := webrtc.ICEAddressRewriteRule{
			External: []string{cfg.PublicIP.String()}, AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace,
		}
		if err := settings.SetICEAddressRewriteRules(rule); err != nil {
			return fmt.Errorf("name the public IP: %w", err)
		}
	}
	family, networks := "4", []webrtc.NetworkType{}
	if own.Is6() {
		family = "6"
	}
	if cfg.Listen != "" {
		if err := s.openUDP("udp"+family, cfg.Listen, beside, settings); err != nil {
			return err
		}
		networks = append(networks, map[string]webrtc.NetworkType{"4": webrtc.NetworkTypeUDP4, "6": webrtc.NetworkTypeUDP6}[family])
	}
	if cfg.TCP != "" {
		if err := s.openTCP("tcp"+family, cfg.TCP, settings); err != nil {
			return err
		}
		networks = append(networks, map[string]webrtc.NetworkType{"4": webrtc.NetworkTypeTCP4, "6": webrtc.NetworkTypeTCP6}[family])
	}
	settings.SetNetworkTypes(networks)
	return nil
}

// maxOfSource is how many connections over TCP one address has: an office may be one.
const maxOfSource = 256

// openUDP opens the port of all calls, and one more where there is an address beside.
func (s *Server) openUDP(network, address string, beside netip.Addr, settings *webrtc.SettingEngine) error {
	conn, err := s.listenUDP(network, address)
	if err != nil {
		return err
	}
	s.udp = conn.LocalAddr()
	mux := s.mux(socket{conn, s.log})
	if beside.IsValid() {
		other, err := s.listenUDP(network, netip.AddrPortFrom(beside, 0).String())
		if err != nil {
			return err
		}
		mux = ice.NewMultiUDPMuxDefault(mux, s.mux(&ownPackets{socket{other, s.log}, beside}))
	}
	settings.SetICEUDPMux(mux)
	return nil
}

func (s *Server) listenUDP(network, address string) (*net.UDPConn, error) {
	local, err := net.ResolveUDPAddr(network, address)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", address, err)
	}
	conn, err := net.ListenUDP(network, local)
	if err != nil {
		return nil, err
	}
	granted, err := sizeBuffer(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s.log.Info("web calls come by UDP", "address", conn.LocalAddr(), "receive_buffer", granted)
	return conn, nil
}

// mux has one socket carry many calls.
func (s *Server) mux(conn net.PacketConn) ice.UDPMux {
	mux := webrtc.NewICEUDPMux(quiet{s.log}.NewLogger("ice"), conn)
	s.close = append(s.close, mux.Close, conn.Close)
	return mux
}

// ownPackets is a socket in a network that hears this machine alone.
type ownPackets struct {
	socket
	own netip.Addr
}

// ReadFrom implements net.PacketConn.
func (c *ownPackets) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.socket.ReadFrom(b)
		if err != nil {
			return n, nil, err
		}
		if sender := from.(*net.UDPAddr).AddrPort().Addr().Unmap(); sender == c.own || sender.IsLoopback() {
			return n, from, nil
		}
	}
}

func (s *Server) openTCP(network, address string, settings *webrtc.SettingEngine) error {
	local, err := net.ResolveTCPAddr(network, address)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", address, err)
	}
	bound, err := net.ListenTCP(network, local)
	if err != nil {
		return err
	}
	mux := ice.NewTCPMuxDefault(ice.TCPMuxParams{
		Listener: accept.New(bound, accept.Rules{Of: "browsers", Log: s.log,
			Most: func(netip.AddrPort) int { return maxOfSource }}), Logger: quiet{s.log}.NewLogger("ice"), ReadBufferSize: tcpReads, WriteBufferSize: tcpWrites,
		FirstStunBindTimeout: tcpFirst, AliveDurationForConnFromStun: tcpFirst,
	})
	settings.SetICETCPMux(mux)
	s.tcp = bound.Addr()
	s.close = append(s.close, mux.Close)
	s.log.Info("web calls come by TCP, too", "address", s.tcp)
	return nil
}

// ownAddress returns the address of this machine that answers name, where listening is on all of them.
func ownAddress(listen string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("listen on %q: %w", listen, err)
	}
	if addr, err := netip.ParseAddr(host); err == nil && !addr.IsUnspecified() {
		return addr.Unmap(), nil
	}
	towards := "192.0.2.1:443" // nobody's: only the way there is looked up, and nothing is sent
	if host == "::" {
		towards = "[2001:db8::1]:443"
	}
	conn, err := new(net.Dialer).DialContext(context.Background(), "udp", towards)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("find our address (or name it instead of %q): %w", host, err)
	}
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), conn.Close()
}

// besideLoopback returns this machine's address in its network, of the family of one of loopback. Zero: it has none.
func (s *Server) besideLoopback(own netip.Addr) netip.Addr {
	everywhere := "0.0.0.0:0"
	if own.Is6() {
		everywhere = "[::]:0"
	}
	beside, err := ownAddress(everywhere)
	if err != nil || beside.IsLoopback() {
		s.log.Debug("no network, so web calls come by loopback alone", "error", err)
		return netip.Addr{}
	}
	return beside
}
