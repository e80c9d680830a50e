package pack

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// activate is what Triton reads with bash before it starts the model's Python. That Python looks for pyvenv.cfg beside the first
// python3 of PATH. VERSION is that of the environment.
const activate = `# Read by Triton's Python backend, in bash. Made by conch export.
VIRTUAL_ENV=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Where this machine has its Python in another place than the images of Triton, the environment follows it. Several programs may
# do this at once, so each writes a file of its own and moves it into place.
python=$(readlink -f "$(command -v pythonVERSION)")
if [ -n "$python" ] && [ "${python%/*}" != /usr/bin ]; then
  ln -s "$python" "$VIRTUAL_ENV/bin/python3.$$" && mv -fT "$VIRTUAL_ENV/bin/python3.$$" "$VIRTUAL_ENV/bin/python3"
  printf 'home = %s\nversion = VERSION\n' "${python%/*}" >"$VIRTUAL_ENV/pyvenv.cfg.$$" &&
    mv -f "$VIRTUAL_ENV/pyvenv.cfg.$$" "$VIRTUAL_ENV/pyvenv.cfg"
fi
PATH=$VIRTUAL_ENV/bin:$PATH
export VIRTUAL_ENV PATH
unset PYTHONHOME
`

// home is where the images of Triton, which are Ubuntu, have their Python.
const home = "/usr/bin"

// made is the time of all that is in an archive, so that the same environment gives the same archive.
var made = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// archive is one that is written.
type archive struct {
	out *tar.Writer
	walk
}

// write writes the archive of the packages in a folder, for a version of Python such as 3.12.
func write(ctx context.Context, to, packages, python string) (err error) {
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	zipped := gzip.NewWriter(file)
	a := archive{tar.NewWriter(zipped), walk{ctx: ctx}}
	if err := a.frame(python); err != nil {
		return err
	}
	if err := a.tree(packages, "lib/python"+python+"/site-packages"); err != nil {
		return err
	}
	return errors.Join(a.out.Close(), zipped.Close())
}

// frame is what makes an environment of a folder with packages.
func (a *archive) frame(python string) error {
	settings := fmt.Sprintf("home = %s\nversion = %s\n", home, python)
	return errors.Join(
		a.text("pyvenv.cfg", settings), a.text("bin/activate", strings.ReplaceAll(activate, "VERSION", python)),
		a.link("bin/python3", home+"/python"+python), a.link("bin/python", "python3"),
	)
}

func (a *archive) text(name, text string) error {
	if err := a.out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), ModTime: made}); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, text)
	return err
}

func (a *archive) link(name, to string) error {
	return a.out.WriteHeader(&tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeSymlink, Mode: 0o777, ModTime: made})
}

// tree adds the files of a folder, in order. What a link leads to is added in its place.
func (a *archive) tree(dir, as string) error {
	return a.folder(dir, func() error {
		entries, err := os.ReadDir(dir)
		for _, entry := range entries {
			if err := a.next(); err != nil {
				return err
			}
			if entry.IsDir() && entry.Name() == "__pycache__" {
				continue
			}
			if err := a.file(filepath.Join(dir, entry.Name()), path.Join(as, entry.Name())); err != nil {
				return err
			}
		}
		return err
	})
}

func (a *archive) file(file, name string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return a.tree(file, name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file: it cannot be packed", file)
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	mode := int64(info.Mode().Perm()&0o111 | 0o644)
	if err := a.out.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: info.Size(), ModTime: made}); err != nil {
		return err
	}
	_, err = io.CopyN(a.out, in, info.Size())
	return err
}
