package pack

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	// Folder is the environment in a model's folder that Conch uses and Triton does not.
	Folder = ".venv"
	// List is the list of packages that Conch installs and Triton does not.
	List = "requirements.txt"
	// Name is that of the archive in the model's folder.
	Name = "environment.tar.gz"
)

// Source is what an environment is made from.
type Source struct {
	// Dir is the model's folder.
	Dir string
	// Folder is the environment; "" where it is made from List.
	Folder string
	// List is the list of packages; "" where Folder is packed.
	List string
	// Python is the version of the environment, such as 3.12; "" where it is not known, or there is a list.
	Python string
}

// Find returns what the environment of a model is made from; false where it brings none.
func Find(dir string) (Source, bool) {
	own := filepath.Join(dir, Folder)
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return Source{Dir: dir, Folder: own, Python: versionOf(own)}, true
	}
	list := filepath.Join(dir, List)
	if info, err := os.Stat(list); err == nil && info.Mode().IsRegular() {
		return Source{Dir: dir, List: list}, true
	}
	return Source{}, false
}

// versionOf reads the version of an environment: the packages are in lib/python3.12/site-packages.
func versionOf(folder string) string {
	found, _ := filepath.Glob(filepath.Join(folder, "lib", "python3.*", "site-packages"))
	if len(found) != 1 {
		return ""
	}
	return strings.TrimPrefix(filepath.Base(filepath.Dir(found[0])), "python")
}

func (s Source) packages() string {
	return filepath.Join(s.Folder, "lib", "python"+s.Python, "site-packages")
}

// Trouble says why the environment would not run with the Python of an image; "" where it would. wanted is "" where that is not
// known.
func (s Source) Trouble(wanted string) string {
	switch {
	case s.List != "" && wanted == "":
		return "it is not known which Python the image of this release has, so no packages can be chosen for it; choose another release"
	case s.List != "":
		return ""
	case s.Python == "":
		return fmt.Sprintf("%s is no environment of Python: it has no lib/python3.*/site-packages", s.Folder)
	case wanted != "" && s.Python != wanted:
		return fmt.Sprintf("the packages in %s are for Python %s, and the image has Python %s; make it with that Python, or write %s in place of it, of which Conch takes the packages for Python %s",
			Folder, s.Python, wanted, List, wanted)
	}
	return s.outside()
}

// outside finds packages that lie elsewhere and are only named in the environment.
func (s Source) outside() string {
	links, _ := filepath.Glob(filepath.Join(s.packages(), "*.pth"))
	for _, file := range links {
		text, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); filepath.IsAbs(line) {
				return fmt.Sprintf("%s names %s, which is a path of this machine (an editable install?); install that package into the environment", file, line)
			}
		}
	}
	return ""
}

// Size is about what the packages take, in bytes; 0 where they are not there yet.
func (s Source) Size() (sum int64) {
	if s.Folder == "" {
		return 0
	}
	_ = filepath.WalkDir(s.packages(), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
