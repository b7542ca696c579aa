package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// udpDropped is how many datagrams this machine has dropped so far because the receive buffer of their socket was full, as
// Linux counts them; ok is false elsewhere.
func udpDropped() (dropped int64, ok bool, err error) {
	text, err := os.ReadFile("/proc/net/snmp")
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "Udp:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		if at := slices.Index(names, "RcvbufErrors"); at > 0 && at < len(fields) {
			dropped, err = strconv.ParseInt(fields[at], 10, 64)
			return dropped, err == nil, err
		}
	}
	return 0, false, errors.New("read /proc/net/snmp: it does not tell what was dropped")
}
