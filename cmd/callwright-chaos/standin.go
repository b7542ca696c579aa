//go:build unix

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// standIn is a migration that the next version has in an upgrade besides its own. It does to each table what a migration may do
// at most, so an upgrade between two versions of one schema proves something too.
const standIn = "9999_everything_grows"

//go:embed everything_grows.sql
var everythingGrows []byte

// overlay is the file by which `go build` sees the migration among those of the product.
func (h *harness) overlay(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/callwright/callwright").Output()
	if err != nil {
		return "", fmt.Errorf("find module: %w", err)
	}
	file, list := filepath.Join(h.dir, standIn+".sql"), filepath.Join(h.dir, "overlay.json")
	text, err := json.Marshal(map[string]any{
		"Replace": map[string]string{filepath.Join(strings.TrimSpace(string(root)), "db", "migrations", standIn+".sql"): file},
	})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, everythingGrows, 0o600); err != nil {
		return "", err
	}
	return list, os.WriteFile(list, text, 0o600)
}
