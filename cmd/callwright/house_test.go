package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/callwright/callwright"

// speech is what understands and makes it.
var speech = []string{"providers/stt", "providers/tts", "providers/llm", "providers/fault"}

// allowed says which rooms of ours a room may import; an import only goes down. A longer path wins over a shorter one.
var allowed = map[string][]string{
	"cmd":             {""},
	"api":             {"api", "jobs", "providers", "db", "web"},
	"worker":          {"worker", "jobs", "voice", "providers", "db"},
	"jobs":            {"jobs", "providers", "db"},
	"voice":           append([]string{"voice/audio", "voice/media", "voice/vad", "voice/turn", "voice/echo"}, speech...),
	"voice/voicetest": append([]string{"voice"}, speech...),
	"voice/simnet":    append([]string{"voice/sip", "voice/media", "voice/audio", "voice/vad"}, speech...),
	"voice/audio":     {"voice/audio"},
	"voice/vad":       {"voice/vad", "voice/audio"},
	"voice/media":     {"voice/audio"},
	"voice/rtp":       {"voice/media", "voice/audio"},
	"voice/sdp":       {"voice/rtp", "voice/media", "voice/audio"},
	"voice/sip/wire":  {"voice/rtp", "voice/media"},
	"voice/sip":       {"voice/sip", "voice/sdp", "voice/rtp", "voice/media", "voice/audio"},
	"db":              {"db"},
	"providers":       {"providers", "voice/audio"},
	"providers/fault": {"providers/fault"},
	"web":             {"web"},
}

// TestImports keeps the house standing: rooms import only what lies below them.
func TestImports(t *testing.T) {
	t.Parallel()

	output, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	require.NoError(t, err)

	packages := 0
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		packages++

		room := strings.TrimPrefix(pkg.ImportPath, module+"/")
		may, ruled := rule(room)
		require.True(t, ruled, "%s: no rule says what this room may import", room)
		for _, imported := range pkg.Imports {
			path, ours := strings.CutPrefix(imported, module+"/")
			if ours {
				require.True(t, anyBelow(may, path), "%s must not import %s", room, path)
			}
		}
	}
	require.Greater(t, packages, 20)
}

// rule is the longest entry that names the room or a folder above it.
func rule(room string) ([]string, bool) {
	for path := room; ; {
		if may, ok := allowed[path]; ok {
			return may, true
		}
		slash := strings.LastIndexByte(path, '/')
		if slash < 0 {
			return nil, false
		}
		path = path[:slash]
	}
}

func anyBelow(roots []string, path string) bool {
	for _, root := range roots {
		if root == "" || path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}
