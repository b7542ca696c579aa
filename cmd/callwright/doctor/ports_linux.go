package doctor

import (
	"fmt"
	"os"
)

// ephemeralPorts returns the first and last port that the kernel picks for sockets that ask for none.
func ephemeralPorts() (first, last int, known bool) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0, 0, false
	}
	n, err := fmt.Sscan(string(text), &first, &last)
	return first, last, err == nil && n == 2
}
