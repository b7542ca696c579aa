package rtp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/callwright/callwright/voice/media"
)

// socket is a UDP socket that the clock looks into. Go's own sockets wake a thread for every datagram, which with the
// goroutines that waited made a third of what packets cost. Its system calls never block, so they need not tell the
// scheduler that they might. Whoever uses it holds the life of its media.
type socket struct {
	fd     int
	local  netip.AddrPort
	to     netip.AddrPort // of address
	toLen  uintptr
	toAddr unix.RawSockaddrAny
}

// newSocket takes the place of a bound socket.
func newSocket(conn *net.UDPConn) (*socket, error) {
	s := &socket{local: localAddr(conn)}
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("take media socket: %w", errors.Join(err, conn.Close()))
	}
	var taken error
	err = raw.Control(func(fd uintptr) {
		if taken = s.prepare(int(fd)); taken == nil {
			s.fd, taken = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
		}
	})
	if err := errors.Join(err, taken, conn.Close()); err != nil {
		return nil, fmt.Errorf("take media socket: %w", err)
	}
	return s, nil
}

// prepare has the kernel say when a datagram came. None that is sent may be cut up on the way, as none is long: else the kernel
// takes a number for each of IPv4, from counters that all sockets share.
func (s *socket) prepare(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil || !s.local.Addr().Is4() {
		return err
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO)
}

// close must not be called twice: the number of a closed socket is soon another's.
func (s *socket) close() error { return unix.Close(s.fd) }

// arrival is a datagram that came, and room for it.
type arrival struct {
	data   []byte
	from   netip.AddrPort
	waited time.Duration // from its arrival to now

	buf     [media.PacketLen]byte
	address unix.RawSockaddrAny
	control [64]byte
	iov     unix.Iovec
	message unix.Msghdr
}

func newArrival() *arrival {
	a := &arrival{}
	a.iov.Base = &a.buf[0]
	a.iov.SetLen(len(a.buf))
	a.message.Name = (*byte)(unsafe.Pointer(&a.address))
	a.message.Iov = &a.iov
	a.message.SetIovlen(1)
	a.message.Control = &a.control[0]
	return a
}

// receive fills a with the next datagram. It returns false when none is there.
func (s *socket) receive(a *arrival) bool {
	a.message.Namelen = unix.SizeofSockaddrAny
	a.message.SetControllen(len(a.control))
	n, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&a.message)), unix.MSG_DONTWAIT)
	if errno != 0 {
		return false
	}
	a.data, a.from = a.buf[:n], readAddress(&a.address)
	a.waited = a.sinceStamped()
	return true
}

// sinceStamped reads the kernel's timestamp, the only thing that control can hold.
func (a *arrival) sinceStamped() time.Duration {
	if int(a.message.Controllen) < unix.CmsgLen(int(unsafe.Sizeof(unix.Timespec{}))) {
		return 0
	}
	stamp := (*unix.Timespec)(unsafe.Pointer(&a.control[unix.CmsgLen(0)]))
	return min(max(time.Since(time.Unix(stamp.Unix())), 0), time.Second) // the wall clock may have been set meanwhile
}

func (s *socket) send(datagram []byte, to netip.AddrPort) error {
	if to != s.to {
		s.to, s.toLen = to, writeAddress(&s.toAddr, to)
	}
	_, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(s.fd), uintptr(unsafe.Pointer(unsafe.SliceData(datagram))),
		uintptr(len(datagram)), unix.MSG_DONTWAIT, uintptr(unsafe.Pointer(&s.toAddr)), s.toLen)
	if errno != 0 {
		return errno
	}
	return nil
}

func readAddress(raw *unix.RawSockaddrAny) netip.AddrPort {
	if raw.Addr.Family == unix.AF_INET {
		in := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw))
		return netip.AddrPortFrom(netip.AddrFrom4(in.Addr), swapped(in.Port))
	}
	in := (*unix.RawSockaddrInet6)(unsafe.Pointer(raw))
	ip := netip.AddrFrom16(in.Addr).Unmap()
	if in.Scope_id != 0 && ip.IsLinkLocalUnicast() {
		ip = ip.WithZone(strconv.Itoa(int(in.Scope_id)))
	}
	return netip.AddrPortFrom(ip, swapped(in.Port))
}

func writeAddress(raw *unix.RawSockaddrAny, to netip.AddrPort) (length uintptr) {
	if to.Addr().Is4() {
		in := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw))
		*in = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapped(to.Port()), Addr: to.Addr().As4()}
		return unix.SizeofSockaddrInet4
	}
	zone, _ := strconv.ParseUint(to.Addr().Zone(), 10, 32) // by number, as readAddress returns it; else none
	in := (*unix.RawSockaddrInet6)(unsafe.Pointer(raw))
	*in = unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: swapped(to.Port()), Addr: to.Addr().As16(), Scope_id: uint32(zone)}
	return unix.SizeofSockaddrInet6
}

// swapped turns a port from our byte order into the network's and back.
func swapped(port uint16) uint16 {
	b := (*[2]byte)(unsafe.Pointer(&port))
	return uint16(b[0])<<8 | uint16(b[1])
}
