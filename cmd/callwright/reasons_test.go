package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api"
	"github.com/callwright/callwright/db/callstate"
	"github.com/callwright/callwright/voice/turn"
)

// TestEveryReasonIsGiven finds each reason for the end of a call where something gives it: a reason that nothing gives is
// a promise that is not kept.
func TestEveryReasonIsGiven(t *testing.T) {
	t.Parallel()

	root := filepath.Join("..", "..")
	names := map[string]string{}
	for _, path := range []string{filepath.Join("db", "callstate", "reason.go"), filepath.Join("voice", "turn", "reason.go")} {
		constants, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, 0)
		require.NoError(t, err)
		ast.Inspect(constants, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				if text, ok := textOf(spec.Values[0]); ok {
					names[spec.Names[0].Name] = text
				}
			}
			return true
		})
	}
	require.GreaterOrEqual(t, len(names), len(callstate.Reasons()))

	given := map[string]bool{}
	for _, code := range []int{0, 401, 403, 404, 407, 408, 410, 480, 484, 486, 487, 488, 503, 600, 603, 604, 606, 607} {
		given[callstate.ReasonOfSIP(code)] = true
	}
	for _, folder := range []string{"api", "jobs", "voice", "worker"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "reason.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if name, ok := node.(*ast.Ident); ok {
					given[names[name.Name]] = true
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	for _, reason := range callstate.Reasons() {
		require.True(t, given[reason], "nothing ends a call with %s", reason)
	}
}

// TestReasonsOfConversations: package turn, which may not import callstate, spells the reasons for which conversations end
// and their faults again.
func TestReasonsOfConversations(t *testing.T) {
	t.Parallel()

	for _, reason := range turn.Reasons() {
		require.Contains(t, callstate.Reasons(), string(reason))
		require.Equal(t, callstate.FaultOf(string(reason)), string(reason.Fault()), reason)
	}
}

// TestWordsOfTheContract: the enumerations of the API are tags, which cannot name constants.
func TestWordsOfTheContract(t *testing.T) {
	t.Parallel()

	schema, ok := reflect.TypeFor[api.Call]().FieldByName("CallStatus")
	require.True(t, ok)
	require.Equal(t, strings.Join(callstate.Statuses(), ","), schema.Tag.Get("enum"))
	schema, ok = reflect.TypeFor[api.Call]().FieldByName("EndedFault")
	require.True(t, ok)
	require.Equal(t, strings.Join(callstate.Faults(), ","), schema.Tag.Get("enum"))
}

func textOf(expression ast.Expr) (string, bool) {
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}
