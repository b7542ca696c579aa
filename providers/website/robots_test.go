package website

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRobots(t *testing.T) {
	t.Parallel()
	const file = "\ufeffUser-agent: *\r\nDisallow: /\r\n\r\n# a comment\nUser-Agent: other\nUSER-AGENT: callwright/1.0\n" +
		"Disallow: /shop # as of today\nAllow: /shop/open\nDisallow: /*.php$\nDisallow: /*/print/*all\nDisallow: privé\nDisallow:\n" +
		"Allow: /both\nDisallow: /both\nDisallow: *?sort=\nnothing here\nSitemap: https://site.invalid/map.xml\n\n" +
		"User-agent: third\nDisallow: /third\n\nUser-agent: Callwright\nDisallow: /again\n"
	rules := readRobots([]byte(file), "Callwright")
	for path, allowed := range map[string]bool{
		"/": true, "/shop": false, "/shopping": false, "/shop/open/late": true, "/a.php": false, "/a.php5": true, "/.php/b.php": false,
		"/a/print/b/all/c": false, "/a/print/b": true, "/priv%C3%A9": false, "/prive": true, "/both": true, "/x?sort=up": false,
		"/third": true, "/again": false,
	} {
		require.Equal(t, allowed, rules.allows(path), path)
	}
	require.Equal(t, []string{"https://site.invalid/map.xml"}, rules.sitemaps)
	require.False(t, readRobots([]byte(file), "Unnamed").allows("/anything"))
	require.True(t, readRobots([]byte("<html>Disallow: /</html>"), "Callwright").allows("/"), "a page is no robots.txt")
	require.False(t, readRobots([]byte("User-agent: callwright\n\nUser-agent: x\nDisallow: /"), "Callwright").allows("/a"))
}

// TestHostileRobots has files whose wildcards, made into regular expressions, take hours or hundreds of megabytes.
func TestHostileRobots(t *testing.T) {
	t.Parallel()
	path := "/" + strings.Repeat("ab", maxLink/2)
	for name, rules := range map[string]string{
		"many":  strings.Repeat("Disallow: /*a*b*c\n", maxRobots/18),
		"wide":  "Disallow: /" + strings.Repeat("*a", maxRobots/2-20) + "*c",
		"stars": "Disallow: /" + strings.Repeat("*", maxRobots-30) + "c",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := readRobots([]byte("User-agent: *\n"+rules), "Callwright")
			require.NotEmpty(t, read.rules)
			require.LessOrEqual(t, len(read.rules), maxRules)
			for i := range maxLinks {
				require.True(t, read.allows(fmt.Sprint(path, i)))
			}
		})
	}
}
