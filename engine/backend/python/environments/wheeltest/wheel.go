// Package wheeltest writes wheels, so that tests install packages without a network.
package wheeltest

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Index is a folder of wheels.
type Index struct{ Dir string }

// New makes a folder of wheels, and has pip and uv take packages from there alone.
func New(t testing.TB) Index {
	t.Helper()
	i := Index{t.TempDir()}
	for name, value := range map[string]string{
		"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": i.Dir, "PIP_CONFIG_FILE": os.DevNull, "PIP_INDEX_URL": "", "PIP_EXTRA_INDEX_URL": "", "PIP_CACHE_DIR": filepath.Join(i.Dir, "cache"),
		"UV_OFFLINE": "1", "UV_FIND_LINKS": i.Dir, "UV_CACHE_DIR": filepath.Join(i.Dir, "cache"),
	} {
		t.Setenv(name, value)
	}
	return i
}

// Add writes a wheel. files are by their paths in site-packages; metadata are further lines of METADATA.
func (i Index) Add(t testing.TB, name, version string, files map[string]string, metadata ...string) {
	t.Helper()
	info := name + "-" + version + ".dist-info/"
	all := maps.Clone(files)
	if all == nil {
		all = map[string]string{}
	}
	all[info+"METADATA"] = fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\n", name, version, strings.Join(metadata, "\n"))
	all[info+"WHEEL"] = "Wheel-Version: 1.0\nGenerator: conch\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
	record := ""
	for _, path := range slices.Sorted(maps.Keys(all)) {
		sum := sha256.Sum256([]byte(all[path]))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", path, base64.RawURLEncoding.EncodeToString(sum[:]), len(all[path]))
	}
	all[info+"RECORD"] = record + info + "RECORD,,\n"
	f, err := os.Create(filepath.Join(i.Dir, name+"-"+version+"-py3-none-any.whl"))
	if err != nil {
		t.Fatal(err)
	}
	zipped := zip.NewWriter(f)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		w, err := zipped.Create(path)
		if err == nil {
			_, err = w.Write([]byte(all[path]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// AddNumPy writes a wheel called numpy, by which an environment finds the NumPy of another interpreter's site-packages; "" for an
// empty one.
func (i Index) AddNumPy(t testing.TB, sitePackages string) {
	t.Helper()
	i.Add(t, "numpy", "2.0", map[string]string{"other_numpy.pth": sitePackages + "\n"})
}
