package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/callwright/callwright"

// peers is imported by tests and by packages whose names end in test, wherever they are, and by nothing else.
const peers = "providers/peertest"

// speech are the providers that transcribe, respond and speak.
var speech = []string{"providers/stt", "providers/tts", "providers/llm", "providers/fault"}

// allowed is the import rule of each folder: which of our packages a package in it may import. An import only goes down. A
// longer path wins over a shorter one.
var allowed = map[string][]string{
	"cmd":              {""},
	"api":              {"api", "jobs", "providers", "db", "web", "voice/audio", "metrics", "health", "traces"},
	"api/apierror":     {"api/apierror", "db", "providers"},
	"api/client":       {},
	"api/tools":        {"api/client"},
	"api/middleware":   {"api/middleware", "api/apierror", "db", "metrics", "traces"},
	"worker":           {"worker", "jobs", "voice", "providers", "db", "metrics", "health", "traces"},
	"worker/assistant": {"jobs", "voice", "providers", "db", "traces"},
	"worker/listening": {"jobs/calls", "voice", "providers/served", "db"},
	"worker/gateways":  {"jobs/numbers", "jobs/queue", "voice", "providers/hook", "providers/tts", "db", "metrics"},
	"worker/recording": {"jobs/recordings", "providers/files", "voice/audio", "db"},
	"worker/driver":    {"jobs/queue", "db"},
	"jobs":             {"jobs", "providers", "db", "metrics"},
	"jobs/queue":       {"jobs/queue", "db"},
	"jobs/spending":    {"db"},
	"jobs/recordings":  {"providers/files", "db"},
	"jobs/erasure":     {"jobs/recordings", "jobs/queue", "providers/files", "db"},
	"jobs/messages":    {"jobs/messages", "jobs/spending", "jobs/queue", "providers", "db"},
	"jobs/events":      {"jobs/events", "jobs/messages", "jobs/queue", "providers", "db", "metrics", "traces"},
	"jobs/costs":       {"jobs/events", "jobs/queue", "providers", "db", "metrics"},
	"jobs/calls": {"jobs/calls", "jobs/costs", "jobs/erasure", "jobs/events", "jobs/messages", "jobs/recordings",
		"jobs/spending", "jobs/queue", "providers", "db", "metrics", "traces"},
	"jobs/questions": {"jobs/calls", "jobs/events", "providers", "db"},
	"jobs/analysis":  {"jobs/analysis", "jobs/calls", "jobs/costs", "jobs/queue", "providers", "db", "traces"},
	"jobs/overview":  {"jobs/queue", "metrics", "db"},
	"jobs/numbers":   {"jobs/numbers", "jobs/events", "jobs/messages", "jobs/queue", "providers", "db"},
	"jobs/knowledge": {"jobs/knowledge", "jobs/queue", "providers", "db"},
	"jobs/agents": {"jobs/agents", "jobs/numbers", "jobs/events", "jobs/messages", "jobs/knowledge", "jobs/queue",
		"providers", "db"},
	"jobs/appointments": {"jobs/appointments", "jobs/messages", "jobs/queue", "providers", "db"},
	"jobs/people":       {"jobs/people", "jobs/messages", "jobs/queue", "providers", "db"},
	"jobs/maintenance": {"jobs/maintenance", "jobs/calls", "jobs/erasure", "jobs/recordings", "jobs/events", "jobs/numbers",
		"jobs/queue", "providers", "db"},
	"voice": append([]string{"voice/audio", "voice/media", "voice/vad", "voice/melody", "voice/turn", "voice/echo",
		"voice/sentence", "voice/spoken", "voice/answerer", "voice/bridge", "voice/tones", "voice/prefetch"}, speech...),
	"voice/bridge":            {"voice/audio"},
	"voice/voicetest":         append([]string{"voice"}, speech...),
	"voice/simnet":            append([]string{"voice/sip", "voice/media", "voice/audio", "voice/vad"}, speech...),
	"voice/audio":             {"voice/audio"},
	"voice/accept":            {},
	"voice/prefetch":          {},
	"voice/tones":             {"voice/audio"},
	"voice/vad":               {"voice/vad", "voice/audio", "voice/prefetch"},
	"voice/echo":              {"voice/echo", "voice/audio", "voice/prefetch"},
	"voice/melody":            {"voice/audio"},
	"voice/sentence":          {},
	"voice/spoken":            {},
	"voice/answerer":          {"voice/sentence"},
	"voice/turn":              {"voice/sentence", "voice/answerer", "voice/turn/evidence"},
	"voice/media":             {"voice/audio", "voice/prefetch"},
	"voice/webrtc":            {"voice/accept", "voice/media", "voice/audio", "voice/prefetch"},
	"voice/webrtc/webrtctest": {},
	"voice/rtp":               {"voice/media", "voice/audio", "voice/prefetch"},
	"voice/sdp":               {"voice/rtp", "voice/media", "voice/audio"},
	"voice/sip/wire":          {"voice/accept", "voice/rtp", "voice/media"},
	"voice/sip":               {"voice/sip", "voice/sdp", "voice/rtp", "voice/media", "voice/audio"},
	"db":                      {"db", "metrics", "health", "traces"},
	"providers":               {"providers", "voice/audio", "traces"},
	"providers/metered":       {"metrics", "providers", "voice/audio", "traces"},
	"providers/fault":         {"providers/fault"},
	"providers/peertest":      {},
	"metrics":                 {},
	"traces":                  {},
	"health":                  {},
	"sdk":                     {},
	"web":                     {"web"},
}

// pure are packages of functions alone, without a clock, a goroutine or I/O, and all that they may import of others.
var pure = map[string][]string{
	"voice/sentence":      {"regexp", "slices", "strings", "unicode", "unicode/utf8"},
	"voice/answerer":      {"strings", "time"},
	"voice/spoken":        {"regexp", "slices", "strconv", "strings", "unicode", "unicode/utf8"},
	"voice/turn":          {"cmp", "maps", "regexp", "slices", "strings", "time", "unicode", "unicode/utf8"},
	"voice/turn/evidence": {"math", "slices", "strings", "time", "unicode", "unicode/utf8"},
}

// TestImports checks the import rule of every package.
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

		folder := strings.TrimPrefix(pkg.ImportPath, module+"/")
		may, found := importRule(folder)
		require.True(t, found, "%s has no import rule", folder)
		for _, imported := range pkg.Imports {
			path, ours := strings.CutPrefix(imported, module+"/")
			if ours && (path != peers || !strings.HasSuffix(folder, "test")) {
				require.True(t, anyBelow(may, path), "%s must not import %s", folder, path)
			} else if only, is := pure[folder]; is {
				require.Contains(t, only, imported, "%s must not import %s", folder, imported)
			}
		}
	}
	require.Greater(t, packages, 20)
}

// TestPureWithoutClock has the packages that are pure take durations from package time, and no more: neither the clock nor
// anything that waits. Nothing in them runs beside something else.
func TestPureWithoutClock(t *testing.T) {
	t.Parallel()

	durations := []string{"Duration", "Hour", "Minute", "Second", "Millisecond", "Microsecond"}
	for folder := range pure {
		paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt:
					require.Fail(t, "not pure", "%s has a %T", path, node)
				case *ast.SelectorExpr:
					if from, ok := node.X.(*ast.Ident); ok && from.Name == "time" {
						require.Contains(t, durations, node.Sel.Name, path)
					}
				}
				return true
			})
		}
	}
}

// importRule returns the rule of the folder, or of the nearest folder above it that has one.
func importRule(folder string) ([]string, bool) {
	for path := folder; ; {
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
