package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// processes are what `docker compose up` runs.
var processes = []string{"api-1", "api-2", "balancer", "grafana", "migrate", "postgres", "prometheus", "secrets", "worker-1",
	"worker-2"}

// checkCompose loads the files as Docker Compose does, alone and together with that for live calls.
func checkCompose(ctx context.Context) error {
	var errs []error
	for _, files := range [][]string{{"compose.yaml"}, {"compose.yaml", "compose.live.yaml"}} {
		project, err := loadCompose(ctx, files)
		if err == nil {
			err = judgeCompose(project, len(files) > 1)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", files, err))
		}
	}
	return errors.Join(append(errs, checkVariables())...)
}

var composeVariable = regexp.MustCompile(`\$\{(\w+)`)

// checkVariables requires that every variable that the files take is one that an operator can read of.
func checkVariables() error {
	var text, pages []byte
	for into, paths := range map[*[]byte][]string{
		&text: {"compose.yaml", "compose.live.yaml"}, &pages: {"docs/install.md", "docs/settings.md"},
	} {
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			*into = append(*into, content...)
		}
	}
	var errs []error
	for _, found := range composeVariable.FindAllSubmatch(text, -1) {
		if !bytes.Contains(pages, []byte("`"+string(found[1])+"`")) {
			errs = append(errs, fmt.Errorf("%s is on no page", found[1]))
		}
	}
	return errors.Join(errs...)
}

func loadCompose(ctx context.Context, files []string) (*types.Project, error) {
	options, err := cli.NewProjectOptions(files, cli.WithWorkingDirectory("."), cli.WithInterpolation(true),
		cli.WithResolvedPaths(true), cli.WithConsistency(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(ctx)
}

func judgeCompose(project *types.Project, live bool) error {
	names := project.ServiceNames()
	slices.Sort(names)
	if !slices.Equal(names, processes) {
		return fmt.Errorf("the services are %v", names)
	}
	var errs []error
	sip := map[string]string{}
	for name, service := range project.Services {
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(volume.Source); err != nil {
				errs = append(errs, fmt.Errorf("%s mounts what there is not: %w", name, err))
			}
		}
		if !strings.HasPrefix(name, "worker-") {
			continue
		}
		if (service.NetworkMode == "host") != live {
			errs = append(errs, fmt.Errorf("%s is on network %q", name, service.NetworkMode))
		}
		if service.StopGracePeriod == nil {
			errs = append(errs, fmt.Errorf("%s has no time to drain", name))
		}
		for _, variable := range []string{"CALLWRIGHT_SIP_LISTEN", "CALLWRIGHT_RTP_PORTS"} {
			if value := service.Environment[variable]; value != nil {
				if other, taken := sip[*value]; taken {
					errs = append(errs, fmt.Errorf("%s and %s both take %s", name, other, *value))
				}
				sip[*value] = name
			}
		}
	}
	if live && len(sip) != 4 {
		errs = append(errs, fmt.Errorf("workers on the host take %v", sip))
	}
	return errors.Join(errs...)
}
