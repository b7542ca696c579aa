package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const passable = 0o755

// MakeFolder makes the folder at path and those above it that are missing, which others than its owner may pass through. What
// root makes belongs to whom the folder above belongs to: an operator's command is often the first that runs, and the service
// comes after it, as a user of its own.
func MakeFolder(path string, mode fs.FileMode) error {
	above := filepath.Clean(path)
	for filepath.Dir(above) != above {
		if _, err := os.Stat(above); err == nil {
			break
		}
		above = filepath.Dir(above)
	}
	root, err := os.OpenRoot(above)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(above, path)
	if err == nil {
		err = MakeFoldersIn(root, filepath.Dir(name), passable)
	}
	if err == nil {
		err = MakeFoldersIn(root, name, mode)
	}
	return errors.Join(err, root.Close())
}

// MakeFoldersIn is MakeFolder below root.
func MakeFoldersIn(root *os.Root, name string, mode fs.FileMode) error {
	if name == "." {
		return nil
	}
	err := root.Mkdir(name, mode)
	if errors.Is(err, fs.ErrNotExist) {
		if err := MakeFoldersIn(root, filepath.Dir(name), mode); err != nil {
			return err
		}
		err = root.Mkdir(name, mode)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	adopt(root, name)
	return nil
}
