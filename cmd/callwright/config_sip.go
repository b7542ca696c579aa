package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker/gateways"
)

// carrierHostFlags say who the carrier is, where calls leave and where customers' SIP connections may not lead.
type carrierHostFlags struct {
	TrunkPeers []netip.Prefix `help:"Networks from which calls are taken besides the addresses of the carrier's proxy." env:"CALLWRIGHT_TRUNK_PEERS" placeholder:"CIDR" group:"Carrier"`
	TrunkProxy string         `help:"Carrier's SIP proxy, HOST:PORT. Without one, calls leave over customers' SIP connections and the simulated network alone." env:"CALLWRIGHT_TRUNK_PROXY" placeholder:"HOST:PORT" group:"Carrier"`
}

// sipFlags are our side of live calls, and the carrier's SIP connection over which they leave.
type sipFlags struct {
	carrierHostFlags
	SIPListen          string         `help:"Address and UDP port of our side of live calls. Default with a trunk: 0.0.0.0:5060; without one, no live calls." env:"CALLWRIGHT_SIP_LISTEN" placeholder:"HOST:PORT" group:"Carrier"`
	SIPTCPListen       string         `help:"Address and port at which SIP over TCP is accepted." name:"sip-tcp-listen" env:"CALLWRIGHT_SIP_TCP_LISTEN" placeholder:"HOST:PORT" group:"Carrier"`
	SIPTLSListen       string         `help:"Address and port at which SIP over TLS is accepted." name:"sip-tls-listen" env:"CALLWRIGHT_SIP_TLS_LISTEN" placeholder:"HOST:PORT" group:"Carrier"`
	SIPTLSCert         string         `help:"Our certificate for SIP over TLS, PEM." name:"sip-tls-cert" env:"CALLWRIGHT_SIP_TLS_CERT" placeholder:"FILE" group:"Carrier"`
	SIPTLSKey          string         `help:"Its key, PEM." name:"sip-tls-key" env:"CALLWRIGHT_SIP_TLS_KEY" placeholder:"FILE" group:"Carrier"`
	SIPTLSRoots        string         `help:"Authorities that vouch for carriers, PEM; default: the system's." name:"sip-tls-roots" env:"CALLWRIGHT_SIP_TLS_ROOTS" placeholder:"FILE" group:"Carrier"`
	RegistersPerSecond int            `help:"REGISTER requests for customers' SIP connections that leave this process a second, at most." name:"sip-registrations-per-second" default:"50" env:"CALLWRIGHT_SIP_REGISTRATIONS_PER_SECOND" group:"Carrier"`
	PublicIP           ipAddress      `help:"IP address at which others reach this machine; default: the one from which it reaches the carrier." env:"CALLWRIGHT_PUBLIC_IP" placeholder:"IP" group:"Carrier"`
	RTPPorts           string         `help:"First and last UDP port for sound; default: ${default}." default:"10000-19999" env:"CALLWRIGHT_RTP_PORTS" placeholder:"FIRST-LAST" group:"Carrier"`
	TrunkMedia         []netip.Prefix `help:"Networks that the sound of the carrier's calls comes from and goes to. Default: wherever its signalling says." env:"CALLWRIGHT_TRUNK_MEDIA" placeholder:"CIDR" group:"Carrier"`

	TrunkTransport string `help:"How SIP travels to it: ${enum}." enum:"udp,tcp,tls" default:"udp" env:"CALLWRIGHT_TRUNK_TRANSPORT" group:"Carrier"`
	TrunkSRTP      string `help:"Encryption of the sound of calls that leave over it: ${enum}. optional prefers it and goes without where the carrier does; its keys are as secret as the signalling, so required belongs with tls." enum:"off,optional,required" default:"optional" name:"trunk-srtp" env:"CALLWRIGHT_TRUNK_SRTP" group:"Carrier"`
	TrunkDomain    string `help:"SIP domain, where it is not the proxy's host." env:"CALLWRIGHT_TRUNK_DOMAIN" group:"Carrier"`
	TrunkUsername  string `help:"SIP user name." env:"CALLWRIGHT_TRUNK_USERNAME" group:"Carrier"`
	TrunkTransfer  string `help:"How callers are put through who are not announced: ${enum}. refer asks the carrier, bridge has us ring and join both, auto does so where the carrier refuses." enum:"auto,refer,bridge" default:"auto" env:"CALLWRIGHT_TRUNK_TRANSFER" group:"Carrier"`
	TrunkPassword  string `help:"SIP password." env:"CALLWRIGHT_TRUNK_PASSWORD" group:"Carrier"`
}

// defaultSIPListen is our side of live calls where there is a trunk.
const defaultSIPListen = "0.0.0.0:5060"

// webFlags are where browsers reach a worker.
type webFlags struct {
	WebListen    string `help:"Address and UDP port of all calls of browsers, such as 0.0.0.0:7882, at --public-ip where that is given. Without it and --web-tcp-listen, no web calls." env:"CALLWRIGHT_WEB_LISTEN" placeholder:"HOST:PORT" group:"Web calls"`
	WebTCPListen string `help:"Address and TCP port for browsers whose network lets no UDP through." name:"web-tcp-listen" env:"CALLWRIGHT_WEB_TCP_LISTEN" placeholder:"HOST:PORT" group:"Web calls"`
}

// web is nil when there are no web calls.
func (f webFlags) web(public netip.Addr) *gateways.Web {
	if f == (webFlags{}) {
		return nil
	}
	return &gateways.Web{Listen: f.WebListen, TCP: f.WebTCPListen, PublicIP: public}
}

// own is nil when there are no live calls.
func (f sipFlags) own() (*gateways.SIP, error) {
	if f.RegistersPerSecond < 1 {
		return nil, errors.New("--sip-registrations-per-second must be 1 or more")
	}
	if f.TrunkProxy == "" && (f.TrunkUsername != "" || f.TrunkPassword != "" || f.TrunkDomain != "") {
		return nil, errors.New("--trunk-username, --trunk-password and --trunk-domain: need --trunk-proxy (CALLWRIGHT_TRUNK_PROXY) too")
	}
	if f.TrunkProxy == "" && f.SIPListen == "" {
		return nil, nil
	}
	var first, last int
	if n, err := fmt.Sscanf(f.RTPPorts, "%d-%d", &first, &last); n != 2 || err != nil || first < 1 || last > 65535 || first >= last {
		return nil, fmt.Errorf("--rtp-ports: %q is not FIRST-LAST", f.RTPPorts)
	}
	for i, network := range f.TrunkMedia {
		if network.Bits() == 0 {
			return nil, fmt.Errorf("--trunk-media: %s is every network", network)
		}
		f.TrunkMedia[i] = network.Masked()
	}
	return &gateways.SIP{
		Listen: cmp.Or(f.SIPListen, defaultSIPListen), TCP: f.SIPTCPListen, PublicIP: f.PublicIP.Addr, RTPPorts: [2]int{first, last},
		Peers: f.TrunkPeers, Media: f.TrunkMedia,
		TLS: sip.TLSConfig{Listen: f.SIPTLSListen, CertFile: f.SIPTLSCert, KeyFile: f.SIPTLSKey, RootsFile: f.SIPTLSRoots},
	}, nil
}

// trunk is nil when there is none.
func (f sipFlags) trunk() *gateways.Trunk {
	if f.TrunkProxy == "" {
		return nil
	}
	encryption := sip.SRTP(f.TrunkSRTP)
	if f.TrunkSRTP == "off" {
		encryption = sip.SRTPOff
	}
	return &gateways.Trunk{
		Proxy: f.TrunkProxy, Transport: sip.Transport(strings.ToUpper(f.TrunkTransport)), SRTP: encryption, Domain: f.TrunkDomain,
		Username: f.TrunkUsername, Password: f.TrunkPassword, Transfer: f.TrunkTransfer,
	}
}
