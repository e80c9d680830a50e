package runtimes

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a wheel. The largest wheel of ONNX Runtime has 400 files.
const (
	mostFiles = 20_000
	mostText  = 16 << 20 // of RECORD and of METADATA
)

// library is what is taken of a package: the library and its execution providers. The part that is for Python is not.
var library = regexp.MustCompile(`^(lib)?onnxruntime(_providers_[a-z0-9_]+)?(\.[0-9.]*[0-9])?\.(so(\.[0-9.]*[0-9])?|dylib|dll)$`)

// openVINOs are what is taken of a package besides: OpenVINO, the libraries that it needs, and the file that it reads.
var openVINOs = regexp.MustCompile(`^lib(openvino|tbb|hwloc)[a-z0-9_]*\.so(\.[0-9]+)*$|^cache\.json$`)

// windows are what the providers DirectML and WebGPU need on that system, which has older ones.
var windows = regexp.MustCompile(`^(DirectML|dxcompiler|dxil)\.dll$`)

// wanted reports whether a file is taken by its name.
func wanted(name string) bool {
	return library.MatchString(name) || openVINOs.MatchString(name) || windows.MatchString(name)
}

// mainLibrary is ONNX Runtime itself, under any version's name.
var mainLibrary = regexp.MustCompile(`^(lib)?onnxruntime(\.[0-9.]*[0-9])?\.(so(\.[0-9.]*[0-9])?|dylib|dll)$`)

// notices are the files beside the libraries that have to be kept with them.
var notices = map[string]bool{"LICENSE": true, "ThirdPartyNotices.txt": true, "Privacy.md": true, "third-party-programs.txt": true}

// wheel is an opened wheel.
type wheel struct {
	path    string
	zip     *zip.ReadCloser
	record  map[string]recorded
	Package string // "onnxruntime-gpu"
	Version string
}

// recorded is what RECORD says of a file.
type recorded struct {
	sum  string // SHA-256, as RECORD writes it
	size int64
}

// openWheel opens a wheel, checks the names and sizes of all that is in it, and takes the room that it unpacks to.
func openWheel(file string, left *room) (*wheel, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s is not a whole wheel: %w", file, unread(err))
	}
	w := &wheel{path: file, zip: z}
	for _, look := range []func() error{func() error { return w.checkNames(left) }, w.readRecord, w.readMetadata} {
		if err := look(); err != nil {
			_ = z.Close()
			return nil, fmt.Errorf("%s is not taken: %w", file, err)
		}
	}
	return w, nil
}

func (w *wheel) close() { _ = w.zip.Close() }

// checkNames refuses a wheel with names that lead out of its folder, links, and more than the bounds.
func (w *wheel) checkNames(left *room) error {
	if len(w.zip.File) > mostFiles {
		return fmt.Errorf("it has %d files; %d are the most", len(w.zip.File), mostFiles)
	}
	seen := map[string]bool{}
	for _, f := range w.zip.File {
		name := strings.TrimSuffix(f.Name, "/")
		switch {
		case !filepath.IsLocal(name) || path.Clean(name) != name || strings.ContainsAny(name, "\\:\x00"):
			return fmt.Errorf("it has a file with the path %q, which leads out of its folder", f.Name)
		case !f.Mode().IsRegular() && !f.Mode().IsDir():
			return fmt.Errorf("%q in it is a link or a special file", f.Name)
		case seen[name]:
			return fmt.Errorf("it has the file %q twice", f.Name)
		}
		seen[name] = true
		if !left.take(f.UncompressedSize64) {
			return fmt.Errorf("the build would unpack to more than %s", mostBytesText())
		}
	}
	return nil
}

// info returns the text of a file in the folder .dist-info.
func (w *wheel) info(name string) (string, error) {
	for _, f := range w.zip.File {
		dir, base := path.Split(f.Name)
		if base != name || !strings.HasSuffix(dir, ".dist-info/") || strings.Count(dir, "/") != 1 {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Close() }()
		text, err := io.ReadAll(io.LimitReader(r, mostText+1))
		if err == nil && len(text) > mostText {
			err = errors.New("it is too long")
		}
		if err != nil {
			return "", fmt.Errorf("read %s: %w", f.Name, err)
		}
		return string(text), nil
	}
	return "", fmt.Errorf("it has no file %s, so it is not a wheel", name)
}

func (w *wheel) readRecord() error {
	text, err := w.info("RECORD")
	if err != nil {
		return err
	}
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return fmt.Errorf("read RECORD: %w", err)
	}
	w.record = map[string]recorded{}
	for _, line := range lines {
		if len(line) != 3 {
			return fmt.Errorf("read RECORD: a line has %d parts, not 3", len(line))
		}
		sum, is := strings.CutPrefix(line[1], "sha256=")
		size, err := strconv.ParseInt(line[2], 10, 64)
		if is && err == nil && size >= 0 {
			w.record[line[0]] = recorded{sum, size}
		}
	}
	return nil
}

func (w *wheel) readMetadata() error {
	text, err := w.info("METADATA")
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() && lines.Text() != "" {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch key {
		case "Name":
			w.Package = strings.ToLower(separators.ReplaceAllString(strings.TrimSpace(value), "-"))
		case "Version":
			w.Version = strings.TrimSpace(value)
		}
	}
	if w.Package == "" {
		return errors.New("its METADATA has no name of the package")
	}
	return nil
}

// separators are one and the same in the name of a package, as package indexes take it (PEP 503).
var separators = regexp.MustCompile(`[-_.]+`)

// unpack writes the libraries and notices into a folder, each under the last part of its path.
func (w *wheel) unpack(dir string) error {
	placed := map[string]string{}
	for _, f := range w.zip.File {
		name := path.Base(f.Name)
		if f.Mode().IsDir() || !wanted(name) && !(notices[name] && strings.Count(f.Name, "/") == 1) {
			continue
		}
		to := placeName(name)
		if before, there := placed[to]; there {
			return w.double(to, before, f.Name)
		}
		placed[to] = f.Name
		err := w.unpackFile(f, filepath.Join(dir, to))
		if errors.Is(err, os.ErrExist) {
			err = errors.New("the other wheel of this build has it too")
		}
		if err != nil {
			return fmt.Errorf("unpack %s of %s: %w", f.Name, w.path, err)
		}
	}
	return nil
}

// double refuses a wheel in which two files have one place: which of them ONNX Runtime would open is not known.
func (w *wheel) double(to, one, other string) error {
	what := to + " twice"
	if to == LibraryName() {
		what = "more than one ONNX Runtime"
	}
	return fmt.Errorf("%s is not taken: it has %s, %s and %s. Published wheels have one: get the wheel from where you trust it", w.path, what, one, other)
}

// placeName is the name that a file gets in a build: that of the library has no version, so that it is found.
func placeName(name string) string {
	if mainLibrary.MatchString(name) {
		return LibraryName()
	}
	return name
}

// unpackFile writes one file, which has to be as long as RECORD says, and to have its hash.
func (w *wheel) unpackFile(f *zip.File, to string) error {
	want, there := w.record[f.Name]
	switch {
	case !there:
		return errors.New("RECORD of the wheel has no hash of it")
	case f.UncompressedSize64 != uint64(want.size):
		return fmt.Errorf("it has %d bytes, and by RECORD of the wheel %d", f.UncompressedSize64, want.size)
	}
	from, err := f.Open()
	if err != nil {
		return unread(err)
	}
	defer func() { _ = from.Close() }()
	hash := sha256.New()
	if err := writeFile(to, io.TeeReader(from, hash), want.size); err != nil {
		return unread(err)
	}
	if got := base64.RawURLEncoding.EncodeToString(hash.Sum(nil)); got != want.sum {
		return fmt.Errorf("it has the SHA-256 %s, and by RECORD of the wheel %s: the wheel is damaged or was changed", got, want.sum)
	}
	return nil
}

// unread adds what to do to an error of what the wheel holds. Others are the disk's.
func unread(err error) error {
	damaged := slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, zip.ErrFormat, zip.ErrAlgorithm, zip.ErrChecksum}, func(one error) bool { return errors.Is(err, one) })
	if corrupt := flate.CorruptInputError(0); damaged || errors.As(err, &corrupt) {
		return fmt.Errorf("%w: the wheel is damaged, copy or download it again", err)
	}
	return err
}

// writeFile writes a new file of this size, and no byte more.
func writeFile(to string, from io.Reader, size int64) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(from, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("it does not have the %d bytes that it should have", size)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// checkSum compares a file with its published SHA-256, where that is known. The name is the file's for people.
func checkSum(file, name, want string) error {
	if want == "" {
		return nil
	}
	got, err := sumOf(file)
	if err == nil && got != want {
		err = fmt.Errorf("%s has the SHA-256 %s, and the published one %s: it is damaged or was changed", name, got, want)
	}
	return err
}

// sumOf is the SHA-256 of a file.
func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
