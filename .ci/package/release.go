package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// checkRelease has GoReleaser read its configuration, which refuses what it does not know, and holds that a release has checksums
// and bills of material, and that the files which it names are there. All of GoReleaser would take minutes to build.
func checkRelease(ctx context.Context) error {
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
		if err := holdsMounts(ctx, archive.Files); err != nil {
			return err
		}
	}
	return nil
}

// holdsMounts holds that compose.yaml of an archive finds beside it what it mounts.
func holdsMounts(ctx context.Context, files []config.File) error {
	project, err := loadCompose(ctx, []string{"compose.yaml", "compose.live.yaml"})
	if err != nil {
		return err
	}
	for name, service := range project.Services {
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			source, err := filepath.Rel(project.WorkingDir, volume.Source)
			if err != nil {
				return err
			}
			held := slices.ContainsFunc(files, func(f config.File) bool {
				folder, all := strings.CutSuffix(f.Source, "/**/*")
				return f.Source == source || all && strings.HasPrefix(source+"/", folder+"/")
			})
			if !held {
				return fmt.Errorf("an archive has compose.yaml without %s, which %s mounts", source, name)
			}
		}
	}
	return nil
}
