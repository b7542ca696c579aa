package dbtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// templateFormat changes when this package makes templates in another way.
const templateFormat = "1"

// schemaHash names the schema that the migrations in the module's files make. Not their numbers but their text counts,
// because a migration may still be edited before its release. River's are in river.sql.
func schemaHash(files func() (fs.FS, error)) (string, error) {
	module, err := files()
	if err != nil {
		return "", err
	}
	names, err := fs.Glob(module, "db/migrations/*")
	if err != nil || len(names) == 0 {
		return "", fmt.Errorf("find migrations in the module's folder: %w", errors.Join(err, fs.ErrNotExist))
	}
	names = append(names, "db/river.sql", "db/migrate.go")
	slices.Sort(names)
	hash := sha256.New()
	hash.Write([]byte(templateFormat))
	for _, name := range names {
		content, err := fs.ReadFile(module, name)
		if err != nil {
			return "", fmt.Errorf("read schema: %w", err)
		}
		hash.Write(fmt.Appendf(nil, "\n%s %d\n", name, len(content)))
		hash.Write(content)
	}
	return hex.EncodeToString(hash.Sum(nil)[:6]), nil
}

// moduleFiles finds the module from the working directory: `go test` runs every test in its package's folder.
func moduleFiles() (fs.FS, error) {
	start, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find module: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.DirFS(dir), nil
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("find module: no go.mod above %s", start)
		}
	}
}
