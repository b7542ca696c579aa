package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// checkRelease has GoReleaser read its configuration, which refuses what it does not know, and holds that a release has checksums
// and bills of material, and that the files which it names are there. All of GoReleaser would take minutes to build.
func checkRelease(context.Context) error {
	r, err := config.Load(".goreleaser.yaml")
	if err != nil {
		return err
	}
	if r.Version != 2 || r.Checksum.Algorithm != "sha256" || len(r.SBOMs) == 0 || len(r.Builds) == 0 {
		return errors.New("a release has builds, checksums and bills of material")
	}
	for _, build := range r.Builds {
		if _, err := os.Stat(build.Main); err != nil {
			return err
		}
	}
	for _, archive := range r.Archives {
		for _, file := range archive.Files {
			if found, err := filepath.Glob(file.Source); err != nil || len(found) == 0 {
				return fmt.Errorf("an archive names %s, which there is not", file.Source)
			}
		}
	}
	return nil
}
