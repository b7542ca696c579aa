package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// droppedPackets is how many packets the kernel has dropped that were for the open UDP sockets of this process, as Linux counts
// them; 0 elsewhere.
func droppedPackets() (dropped int, err error) {
	own := map[string]bool{}
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		target, err := os.Readlink(file)
		if inode, is := strings.CutPrefix(target, "socket:["); err == nil && is {
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	for _, name := range []string{"/proc/net/udp", "/proc/net/udp6"} {
		of, err := droppedIn(name, own)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
		dropped += of
	}
	return dropped, nil
}

// droppedIn reads a table of sockets: the tenth column of it is the inode, the last one what was dropped.
func droppedIn(name string, own map[string]bool) (dropped int, err error) {
	table, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		columns := strings.Fields(lines.Text())
		if len(columns) < 13 || !own[columns[9]] {
			continue
		}
		count, err := strconv.Atoi(columns[len(columns)-1])
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", name, err)
		}
		dropped += count
	}
	return dropped, lines.Err()
}
