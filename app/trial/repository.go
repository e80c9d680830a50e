package trial

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
)

// writeRepository makes the repository of a trial: a config, and links to the files of one version and to what else lies in the model's folder.
func writeRepository(root string, o Order) error {
	dir := filepath.Join(root, o.Config.Name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(o.Dir)
	if err != nil {
		return fmt.Errorf("read the folder of %s: %w", o.Config.Name, err)
	}
	version := folder.VersionDir(o.Version)
	for _, e := range entries {
		_, isVersion := folder.Version(e.Name())
		if e.Name() == folder.ConfigName || folder.Reserved(e.Name()) || isVersion && e.Name() != version {
			continue
		}
		if err := os.Symlink(filepath.Join(o.Dir, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("link the files of %s for the comparison: %w", o.Config.Name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, version)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("version %s of %s has no folder %s any more", version, o.Config.Name, filepath.Join(o.Dir, version))
	}
	text := modelconfig.PrintText(o.Provider.config(o.Config, o.Version, o.GPUs))
	return os.WriteFile(filepath.Join(dir, folder.ConfigName), text, 0o600)
}
