package sdp

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pion/sdp/v3"
)

// stream is what names an m= line, as the far end wrote it.
type stream struct {
	media, profile string
	formats        []string
}

// parse parses a body. names are those of its m= lines, in their order.
func parse(body []byte) (parsed *sdp.SessionDescription, names []stream, err error) {
	text, names, err := normalize(string(body))
	if err != nil {
		return nil, nil, err
	}
	parsed = new(sdp.SessionDescription)
	if err := parsed.UnmarshalString(text); err != nil {
		return nil, nil, err
	}
	return parsed, names, nil
}

// normalize rewrites a body so that pion's parser takes it, which refuses one for its form alone. Carriers put lines in
// another order, leave some out, add lines, spaces and ends of lines of their own, name owners, streams and bandwidths that
// no library knows, write what is case-sensitive in other letters, and offer fax beside sound. What a call needs are
// addresses, streams and attributes: these come in the order of RFC 8866 behind a fixed head, and everything else goes.
func normalize(body string) (text string, names []stream, err error) {
	sections := []section{{head: "v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=-\r\n"}}
	isEnd := func(r rune) bool { return r == '\r' || r == '\n' || r == 0 }
	for _, line := range strings.FieldsFunc(body, isEnd) {
		kind, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		current := &sections[len(sections)-1]
		switch kind {
		case "m":
			head, name, err := normalizeStream(value)
			if err != nil {
				return "", nil, err
			}
			sections, names = append(sections, section{head: head}), append(names, name)
		case "c":
			current.connection = cmp.Or(normalizeConnection(value), current.connection)
		case "a":
			current.attributes = append(current.attributes, strings.TrimSpace(value))
		}
	}
	sections[0].time = "t=0 0\r\n"
	var b strings.Builder
	for i := range sections {
		sections[i].write(&b)
	}
	return b.String(), names, nil
}

// section is the head of a body or one of its streams.
type section struct {
	head, connection, time string // whole lines, or empty
	attributes             []string
}

func (s *section) write(b *strings.Builder) {
	b.WriteString(s.head + s.connection + s.time)
	for _, attribute := range s.attributes {
		b.WriteString("a=" + attribute + "\r\n")
	}
}

// normalizeStream takes the value of an m= line. A stream that cannot be ours bears names that the parser knows in place
// of its own. The number of ports that may follow the first goes.
func normalizeStream(value string) (line string, name stream, err error) {
	fields := strings.Fields(value)
	if len(fields) < 3 {
		return "", stream{}, fmt.Errorf("stream %q", value)
	}
	name = stream{fields[0], fields[2], fields[3:]}
	media, profile := "application", "UDP"
	if name.media == "audio" {
		media = name.media
	}
	if upper := strings.ToUpper(name.profile); upper == profilePlain || upper == profileSecure {
		profile = upper
	}
	port, _, _ := strings.Cut(fields[1], "/")
	return fmt.Sprintf("m=%s %s %s %s\r\n", media, port, profile, strings.Join(name.formats, " ")), name, nil
}

// normalizeConnection takes the value of a c= line; it returns nothing for one that names no address of the Internet.
func normalizeConnection(value string) (line string) {
	fields := strings.Fields(strings.ToUpper(value))
	if len(fields) < 3 || fields[0] != "IN" || fields[1] != "IP4" && fields[1] != "IP6" {
		return ""
	}
	return "c=" + strings.Join(fields[:3], " ") + "\r\n"
}
