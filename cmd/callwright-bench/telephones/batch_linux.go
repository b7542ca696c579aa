package telephones

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	batchLen    = 64
	datagramLen = 512
	controlLen  = 128
)

// message is a datagram among many, struct mmsghdr of Linux.
type message struct {
	header unix.Msghdr
	length uint32
}

// batch is room for datagrams that come together.
type batch struct {
	messages [batchLen]message
	vectors  [batchLen]unix.Iovec
	from     [batchLen]unix.RawSockaddrInet4
	control  [batchLen][controlLen]byte
	data     [batchLen][datagramLen]byte
}

func newBatch() *batch {
	b := &batch{}
	for i := range b.messages {
		b.vectors[i].Base = &b.data[i][0]
		b.vectors[i].SetLen(datagramLen)
		h := &b.messages[i].header
		h.Name = (*byte)(unsafe.Pointer(&b.from[i]))
		h.Iov = &b.vectors[i]
		h.SetIovlen(1)
		h.Control = &b.control[i][0]
	}
	return b
}

// receive calls take for all that waits at a socket: what came, where it came from, where it went and when it came.
func (b *batch) receive(fd int, take func(data []byte, from netip.AddrPort, to netip.Addr, at int64)) error {
	for {
		for i := range b.messages {
			h := &b.messages[i].header
			h.Namelen = unix.SizeofSockaddrInet4
			h.SetControllen(controlLen)
		}
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&b.messages[0])),
			batchLen, unix.MSG_DONTWAIT, 0, 0)
		if errno == unix.EAGAIN {
			return nil
		}
		if errno != 0 {
			return fmt.Errorf("receive: %w", errno)
		}
		for i := range int(n) {
			m := &b.messages[i]
			to, at, err := readControl(b.control[i][:m.header.Controllen])
			if err != nil {
				return err
			}
			from := netip.AddrPortFrom(netip.AddrFrom4(b.from[i].Addr), swapped(b.from[i].Port))
			take(b.data[i][:m.length], from, to, at)
		}
		if n < batchLen {
			return nil
		}
	}
}

// readControl reads where a datagram went and the kernel's timestamp.
func readControl(control []byte) (to netip.Addr, at int64, err error) {
	for len(control) > 0 {
		header, data, rest, err := unix.ParseOneSocketControlMessage(control)
		if err != nil {
			return to, at, fmt.Errorf("read what came with a datagram: %w", err)
		}
		switch {
		case header.Level == unix.IPPROTO_IP && header.Type == unix.IP_PKTINFO:
			to = netip.AddrFrom4((*unix.Inet4Pktinfo)(unsafe.Pointer(&data[0])).Addr)
		case header.Level == unix.SOL_SOCKET && header.Type == unix.SO_TIMESTAMPNS:
			stamp := (*unix.Timespec)(unsafe.Pointer(&data[0]))
			at = unix.TimespecToNsec(*stamp)
		}
		control = rest
	}
	return to, at, nil
}

// outgoing is a datagram that leaves from one of the addresses of a socket: a header, and what follows it.
type outgoing struct {
	header  unix.Msghdr
	to      unix.RawSockaddrInet4
	parts   [2]unix.Iovec
	control [32]byte
}

// newOutgoing returns one between two addresses. It must not be copied.
func newOutgoing(from netip.Addr, to netip.AddrPort) *outgoing {
	o := &outgoing{to: unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapped(to.Port()), Addr: to.Addr().As4()}}
	c := (*unix.Cmsghdr)(unsafe.Pointer(&o.control))
	c.Level, c.Type = unix.IPPROTO_IP, unix.IP_PKTINFO
	c.SetLen(unix.CmsgLen(unix.SizeofInet4Pktinfo))
	(*unix.Inet4Pktinfo)(unsafe.Pointer(&o.control[unix.CmsgLen(0)])).Spec_dst = from.As4()
	h := &o.header
	h.Name, h.Namelen = (*byte)(unsafe.Pointer(&o.to)), unix.SizeofSockaddrInet4
	h.Iov = &o.parts[0]
	h.Control = &o.control[0]
	h.SetControllen(unix.CmsgSpace(unix.SizeofInet4Pktinfo))
	return o
}

// fill sets what it says.
func (o *outgoing) fill(parts ...[]byte) {
	for i, part := range parts {
		o.parts[i].Base = unsafe.SliceData(part)
		o.parts[i].SetLen(len(part))
	}
	o.header.SetIovlen(len(parts))
}

// send sends messages, and goes on behind one that the kernel refuses.
func send(fd int, messages []message) error {
	var failed error
	for len(messages) > 0 {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&messages[0])),
			uintptr(len(messages)), unix.MSG_DONTWAIT, 0, 0)
		switch {
		case errno == unix.ECONNREFUSED || errno == unix.EINTR: // one that went to a call that is over
			continue
		case errno != 0:
			failed = errors.Join(failed, fmt.Errorf("send: %w", errno))
			n = 1
		}
		messages = messages[n:]
	}
	return failed
}

// open binds a socket on a port of every address of this machine.
func open() (fd int, port uint16, err error) {
	if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
		return 0, 0, fmt.Errorf("open a socket: %w", err)
	}
	err = errors.Join(unix.Bind(fd, &unix.SockaddrInet4{}), unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1))
	name, naming := unix.Getsockname(fd)
	if err = errors.Join(err, naming); err != nil {
		return 0, 0, errors.Join(fmt.Errorf("bind a socket: %w", err), unix.Close(fd))
	}
	return fd, uint16(name.(*unix.SockaddrInet4).Port), nil // of the family that was asked for
}

// swapped turns a port from our byte order into the network's and back.
func swapped(port uint16) uint16 {
	return binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&port))[:])
}
