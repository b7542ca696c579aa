package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLicenses(t *testing.T) {
	t.Parallel()

	all := works()
	require.Len(t, all, 1+strings.Count(licensesTSV, "\n")+len(otherWorks), "a line of licenses.tsv has not three fields")
	require.Greater(t, len(all), 60)
	for _, one := range all {
		require.NotEmpty(t, one.Name)
		require.NotEmpty(t, one.License, one.Name)
		require.NotContains(t, one.License, "GPL", one.Name)
	}
	output, status := runOnce(t, nil, "licenses")
	require.Zero(t, status, output)
	require.Regexp(t, `github.com/jackc/pgx/v5 +v5\.\S+ +MIT`, output)
}
