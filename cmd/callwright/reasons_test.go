package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/voice"
)

// TestEveryReasonIsGiven finds each reason for the end of a call where something gives it: a reason that nothing gives is
// a promise that is not kept.
func TestEveryReasonIsGiven(t *testing.T) {
	t.Parallel()

	given := map[voice.Reason]bool{}
	names := map[string]voice.Reason{}
	for _, code := range []int{0, 401, 403, 404, 407, 408, 410, 480, 484, 486, 487, 488, 503, 600, 603, 604, 606, 607} {
		given[voice.ReasonOfSIP(code)] = true
	}
	root := filepath.Join("..", "..")
	constants, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "voice", "reasons.go"), nil, 0)
	require.NoError(t, err)
	ast.Inspect(constants, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if text, ok := textOf(spec.Values[0]); ok {
				names[spec.Names[0].Name] = voice.Reason(text)
			}
		}
		return true
	})
	require.GreaterOrEqual(t, len(names), len(voice.Reasons()))

	for _, room := range []string{"api", "jobs", "voice", "worker"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "reasons.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if name, ok := node.(*ast.Ident); ok && names[name.Name] != "" {
					given[names[name.Name]] = true
				}
				if expression, ok := node.(ast.Expr); ok {
					if text, ok := textOf(expression); ok {
						given[voice.Reason(text)] = true
					}
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	queries, err := filepath.Glob(filepath.Join(root, "queries", "*.sql"))
	require.NoError(t, err)
	for _, path := range queries {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for i, piece := range strings.Split(string(text), "'") {
			if i%2 == 1 {
				given[voice.Reason(piece)] = true
			}
		}
	}
	for _, reason := range voice.Reasons() {
		require.True(t, given[reason], "nothing ends a call with %s", reason)
		require.NotEmpty(t, reason.Meaning())
	}
}

func textOf(expression ast.Expr) (string, bool) {
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}
