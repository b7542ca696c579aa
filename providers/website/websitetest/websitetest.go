// Package websitetest reads pages in the process of a test: it knows no hostile ones.
package websitetest

import (
	"context"

	"github.com/callwright/callwright/providers/website"
)

// Pages is a website.PageReader without a process of its own.
type Pages struct{}

// Read implements website.PageReader.
func (Pages) Read(_ context.Context, page []byte) ([]byte, error) { return website.ReadPage(page) }
