package pack

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

// Image is what an image of Triton has for Python models.
type Image struct {
	// Python is its version, such as 3.12; "" where it is not known.
	Python string
	// NumPy2: its Python backend takes arrays of NumPy 2.
	NumPy2 bool
}

// tooNew says which NumPy of a folder of packages the image cannot use; "" for none.
func (i Image) tooNew(packages string) string {
	for _, info := range within(packages, "numpy-*.dist-info") {
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(info), "numpy-"), ".dist-info")
		major, _, _ := strings.Cut(version, ".")
		if n, err := strconv.Atoi(major); err == nil && n >= 2 && !i.NumPy2 {
			return fmt.Sprintf("it has NumPy %s, with which the Python backend of this release gives outputs without bytes; ask for numpy<2, or choose release 24.11 or a newer one", version)
		}
	}
	return ""
}

// Source is what an environment is made from.
type Source struct {
	// Dir is the model's folder.
	Dir string
	// Folder is the environment; "" where it is made from List.
	Folder string
	// List is the list of packages; "" where Folder is packed.
	List string
	// Other is another list, of another version and with another text; "" for none.
	Other string
	// Python is the version of the environment, such as 3.12; "" where it is not known, or there is a list.
	Python string
}

// Find returns what the environment of a model is made from; false where it brings none.
func Find(dir string) (Source, bool) {
	own := filepath.Join(dir, Folder)
	if info, err := os.Stat(own); err == nil && info.IsDir() {
		return Source{Dir: dir, Folder: own, Python: versionOf(own)}, true
	}
	lists := listsOf(dir)
	if len(lists) == 0 {
		return Source{}, false
	}
	found := Source{Dir: dir, List: lists[0]}
	first, _ := os.ReadFile(lists[0])
	for _, file := range lists[1:] {
		if text, _ := os.ReadFile(file); !bytes.Equal(text, first) {
			found.Other = file
		}
	}
	return found, true
}

// listsOf returns the lists of packages of a model and of its versions.
func listsOf(dir string) (files []string) {
	for _, pattern := range []string{List, "[0-9]*/" + List} {
		for _, file := range within(dir, pattern) {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				files = append(files, file)
			}
		}
	}
	return files
}

// within returns the files below a folder that match a pattern. The folder's own name may have any characters.
func within(dir, pattern string) (files []string) {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for _, name := range names {
		files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return files
}

// versionOf reads the version of an environment: the packages are in lib/python3.12/site-packages.
func versionOf(folder string) string {
	found := within(folder, "lib/python3.*/site-packages")
	if len(found) != 1 {
		return ""
	}
	return version.FindString(strings.TrimPrefix(filepath.Base(filepath.Dir(found[0])), "python"))
}

// Of is what the environment is made from, as the model's folder has it.
func (s Source) Of() string {
	file := s.Folder + s.List // one of them is empty
	if below, err := filepath.Rel(s.Dir, file); err == nil {
		return filepath.ToSlash(below)
	}
	return file
}

// version is one of Python. It is written into a script.
var version = regexp.MustCompile(`^3\.[0-9]+$`)

func (s Source) packages() string {
	return filepath.Join(s.Folder, "lib", "python"+s.Python, "site-packages")
}

// Trouble says why the environment would not run in an image; "" where it would.
func (s Source) Trouble(image Image) string {
	wanted := image.Python
	switch {
	case s.List != "" && wanted == "":
		return "it is not known which Python the image of this release has, so no packages can be chosen for it; choose another release"
	case s.Other != "":
		return fmt.Sprintf("%s and %s list other packages, and Triton has one environment for all versions of a model; keep one list in the model's folder", s.List, s.Other)
	case s.List != "":
		return ""
	case s.Python == "":
		return fmt.Sprintf("%s is no environment of Python: it has no lib/python3.*/site-packages", s.Folder)
	case wanted != "" && s.Python != wanted:
		return fmt.Sprintf("the packages in %s are for Python %s, and the image has Python %s; make it with that Python, or write %s in place of it, of which Conch takes the packages for Python %s",
			Folder, s.Python, wanted, List, wanted)
	}
	if trouble := image.tooNew(s.packages()); trouble != "" {
		return trouble
	}
	return s.outside()
}

// outside finds packages that lie elsewhere and are only named in the environment.
func (s Source) outside() string {
	for _, file := range within(s.packages(), "*.pth") {
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
