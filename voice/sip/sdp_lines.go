package sip

import (
	"fmt"
	"strconv"
	"strings"
)

// section is the head of an SDP body or one of its streams (RFC 4566), as far as a call needs it. Carriers put lines in
// another order, leave some out, name streams and bandwidths that no library knows, and offer fax beside sound: a body is
// refused for what it means, and never for its form.
type section struct {
	stream
	port       int
	connection string      // value of the c= line; empty: there is none
	attributes []attribute // values of the a= lines
}

// stream is an m= line as far as refusing it needs.
type stream struct {
	media, profile string
	formats        []string
}

type attribute struct{ key, value string }

// readSections cuts a body at its m= lines.
func readSections(body []byte) (head section, streams []section, err error) {
	current := &head
	for line := range strings.Lines(string(body)) {
		kind, value, _ := strings.Cut(strings.Trim(line, " \t\r\n\x00"), "=")
		value = strings.TrimSpace(value)
		switch kind {
		case "m":
			next, err := readStream(value)
			if err != nil {
				return head, nil, err
			}
			streams = append(streams, next)
			current = &streams[len(streams)-1]
		case "c":
			current.connection = value
		case "a":
			key, value, _ := strings.Cut(value, ":")
			current.attributes = append(current.attributes, attribute{key, strings.TrimSpace(value)})
		}
	}
	return head, streams, nil
}

// readStream reads the value of an m= line. A number of ports may follow the first.
func readStream(value string) (section, error) {
	fields := strings.Fields(value)
	if len(fields) < 3 {
		return section{}, fmt.Errorf("stream %q", value)
	}
	first, _, _ := strings.Cut(fields[1], "/")
	port, err := strconv.ParseUint(first, 10, 16)
	if err != nil {
		return section{}, fmt.Errorf("port of stream %q", value)
	}
	return section{stream: stream{fields[0], fields[2], fields[3:]}, port: int(port)}, nil
}
