// Command package checks what an installation is made of, where no Docker daemon and no cluster run: compose files, the chart and
// what it makes with several settings, and the configuration of releases. It reads the repository in the folder that it is given.
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: package REPOSITORY")
		os.Exit(2)
	}
	if err := os.Chdir(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := 0
	for _, check := range []struct {
		name string
		run  func(context.Context) error
	}{{"compose", checkCompose}, {"chart", checkChart}, {"release", checkRelease}} {
		if err := check.run(context.Background()); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", check.name, err)
			status = 1
			continue
		}
		fmt.Printf("%s: ok\n", check.name)
	}
	os.Exit(status)
}
