package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// release is what is looked at of GoReleaser's configuration; the rest is GoReleaser's own to judge, which is too large for a check.
type release struct {
	Version int
	Builds  []struct {
		Main    string
		Targets []string
	}
	Archives []struct{ Files []string }
	Checksum struct{ Algorithm string }
	SBOMs    []struct{ Artifacts string }
}

// checkRelease holds that a release has checksums and bills of material, and that the files which it names are there.
func checkRelease(context.Context) error {
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		return err
	}
	var r release
	if err := yaml.Unmarshal(text, &r); err != nil {
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
		for _, pattern := range archive.Files {
			if found, err := filepath.Glob(pattern); err != nil || len(found) == 0 {
				return fmt.Errorf("an archive names %s, which there is not", pattern)
			}
		}
	}
	return nil
}
