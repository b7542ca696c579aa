//go:build unix

package embedded

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func archive(t *testing.T, headers ...tar.Header) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "package.tgz")
	file, err := os.Create(path)
	require.NoError(t, err)
	plain := gzip.NewWriter(file)
	files := tar.NewWriter(plain)
	for _, header := range headers {
		content := header.Linkname
		if header.Typeflag == tar.TypeReg {
			header.Linkname = ""
			header.Size = int64(len(content))
		}
		require.NoError(t, files.WriteHeader(&header))
		if header.Typeflag == tar.TypeReg {
			_, err := files.Write([]byte(content))
			require.NoError(t, err)
		}
	}
	require.NoError(t, files.Close())
	require.NoError(t, plain.Close())
	require.NoError(t, file.Close())
	return path
}

// packed is a file of an archive; its content travels in Linkname.
func packed(name, content string, mode int64) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Linkname: content, Mode: mode}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, unpack(archive(t,
		packed("package/package.json", "{}", 0o644),
		packed("package/scripts/evil.js", "", 0o755),
		packed("package/native/bin/postgres", "binary", 0o755),
		packed("package/native/lib/libpq.so.5.18", "library", 0o600),
		packed("package/native/pg-symlinks.json", `[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so.5"}]`, 0o644),
	), dir))

	through, err := os.ReadFile(filepath.Join(dir, "lib", "libpq.so.5"))
	require.NoError(t, err)
	require.Equal(t, "library", string(through))
	for name, mode := range map[string]os.FileMode{"bin": 0o755, "bin/postgres": 0o755, "lib/libpq.so.5.18": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
	require.NoDirExists(t, filepath.Join(dir, "scripts"))
	require.NoFileExists(t, filepath.Join(dir, "package.json"))
}

func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	links := func(list string) []tar.Header {
		return []tar.Header{packed("package/native/lib/a", "", 0o644), packed("package/native/pg-symlinks.json", list, 0o644)}
	}
	for name, headers := range map[string][]tar.Header{
		"a path upwards":       {packed("package/native/../../out", "x", 0o644)},
		"a deep path upwards":  {packed("package/native/lib/../../../out", "x", 0o644)},
		"an absolute path":     {packed("package/native//out", "x", 0o644)},
		"a file twice":         {packed("package/native/a", "x", 0o644), packed("package/native/a", "y", 0o644)},
		"a link":               {{Typeflag: tar.TypeSymlink, Name: "package/native/lib/a", Linkname: "/etc/passwd"}},
		"a hard link":          {{Typeflag: tar.TypeLink, Name: "package/native/lib/a", Linkname: "/etc/passwd"}},
		"a device":             {{Typeflag: tar.TypeChar, Name: "package/native/lib/a"}},
		"a link upwards":       links(`[{"source":"../../etc/passwd","target":"native/lib/b"}]`),
		"a link from outside":  links(`[{"source":"/etc/passwd","target":"/etc/b"}]`),
		"a link out of native": links(`[{"source":"native/../../x","target":"native/../../b"}]`),
		"links that are none":  links(`{`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "folder", "new")
			require.NoError(t, os.Mkdir(filepath.Dir(dir), 0o755))
			require.Error(t, unpack(archive(t, headers...), dir))
			require.NoFileExists(t, filepath.Join(parent, "out"))
			require.NoFileExists(t, filepath.Join(parent, "folder", "out"))
		})
	}
}
