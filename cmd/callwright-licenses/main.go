// Command callwright-licenses prints the modules that callwright is linked from, on any system, with their versions and licences:
// a line for each, its fields separated by tabs. It fails where a licence is missing, unknown to it or not one that the product
// may use.
//
// It knows the words of common licences. The program holds what it printed: cmd/callwright/licenses.tsv.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// systems are those that releases are built for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

type module struct{ Path, Version, Dir string }

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "callwright-licenses:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer) error {
	modules := map[string]module{}
	for _, system := range systems {
		if err := list(ctx, system, modules); err != nil {
			return err
		}
	}
	var wrong []error
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		module := modules[path]
		licence, err := licenceOf(module.Dir)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %s: %w", path, module.Version, err))
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", path, module.Version, licence); err != nil {
			return err
		}
	}
	return errors.Join(wrong...)
}

// list adds the modules that the program has on a system.
func list(ctx context.Context, system string, modules map[string]module) error {
	name, machine, _ := strings.Cut(system, "/")
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "./cmd/callwright")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+name, "GOARCH="+machine)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list packages for %s: %w", system, err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var listed struct{ Module *module }
		switch err := decoder.Decode(&listed); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("list packages for %s: %w", system, err)
		}
		if m := listed.Module; m != nil && m.Version != "" { // ours has none
			modules[m.Path] = *m
		}
	}
}

// licenceOf reads the licence in a module's folder.
func licenceOf(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		name := strings.ToLower(entry.Name())
		if !entry.Type().IsRegular() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") &&
			!strings.HasPrefix(name, "unlicense") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return "", err
		}
		if licence := classify(string(text)); licence != "" {
			return licence, nil
		}
	}
	return "", fmt.Errorf("no licence that we know: %w", fs.ErrNotExist)
}

// classify returns the SPDX identifier of a licence that the product may use, "" for any other.
func classify(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case strings.HasPrefix(strings.TrimLeft(text, "# "), "mozilla public license version 2.0"): // it names the GNU licences
		return "MPL-2.0"
	case has("gnu general public license"), has("gnu affero"), has("gnu lesser"), has("business source license"):
		return ""
	case has("apache license version 2.0"):
		return "Apache-2.0"
	case has("permission is hereby granted, free of charge"):
		return "MIT"
	case has("permission to use, copy, modify, and/or distribute this software for any purpose"),
		has("permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	case has("redistribution and use in source and binary forms") && has("neither the name"):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("cc0 1.0 universal"):
		return "CC0-1.0"
	case has("this is free and unencumbered software"):
		return "Unlicense"
	}
	return ""
}
