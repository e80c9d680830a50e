//go:build unix

package environments_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"conch/engine/backend/python/environments"
)

// People see each package that pip would install, whatever a list does to hide it.
func TestWhatPeopleSee(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "other.txt"), "hidden\n")
	write(t, filepath.Join(dir, "file:other.txt"), "nothing\n")
	for text, want := range map[string][]string{
		"shells>=1 # of the sea\n\n \t# nothing\n": {"shells>=1"},
		"shells \\\n  >=1\nmore\n":                 {"shells   >=1", "more"},
		"# a remark \\\nhidden\n":                  {"hidden"},
		"shells \\\n# a remark \\\nhidden\n":       {"shells", "hidden"},
		"# a remark\fhidden\n":                     {"hidden"},
		"# a remark\rhidden\n":                     {"hidden"},
		"# a remark\u2028hidden\n":                 {"hidden"},
		"# \\\n-r other.txt\n":                     {"hidden"},
		"\ufeff-r other.txt\n":                     {"hidden"},
		"-rother.txt":                              {"hidden"},
		"--requirement=other.txt":                  {"hidden"},
		"--constraint 'other.txt'":                 {"hidden"},
		"-r https://a.b/c.txt":                     {"-r https://a.b/c.txt"},
		"--index-url \"https://a.b/c\" --pre":      {"--index-url \"https://a.b/c\" --pre"},
		"shells --hash=sha256:0 -c x":              {"shells --hash=sha256:0 -c x"},
	} {
		write(t, filepath.Join(dir, "requirements.txt"), text)
		r, err := environments.Read(filepath.Join(dir, "requirements.txt"))
		if got := r.Lines(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is shown as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"--pre -r other.txt", "--requirem other.txt", "--const=other.txt", "-Zr other.txt", "-r other.txt -c more.txt", "--pre \"-r\" other.txt",
		"-\"r\" other.txt", "--pre \\-r other.txt", "-r \"other\".txt", "-r=other.txt", "-r file:other.txt", "-r File:other.txt", "-r",
		"shells # a remark \\\nhidden", "# coding: utf-7\nshells", "# a\r# coding: cp037\nshells", "shells\x00", "\xff\xfes\x00",
	} {
		write(t, filepath.Join(dir, "requirements.txt"), text)
		if r, err := environments.Read(filepath.Join(dir, "requirements.txt")); err == nil {
			t.Errorf("%q is shown as %q", text, r.Lines())
		}
	}
}

// A list that names a file of its folder is another one elsewhere, and when the file was built again.
func TestLocalPackages(t *testing.T) {
	b := newBench(t)
	for _, line := range []string{
		"wheels/helper-1.0-py3-none-any.whl", "./wheels/helper-1.0-py3-none-any.whl[all] ; python_version > '3'", "helper @ wheels/helper-1.0-py3-none-any.whl",
		"wheels/helper-1.0-py3-none-any.whl --hash=sha256:0", "-f wheels", "-fwheels", "--find-links=./wheels", "-e ./wheels", "file:wheels/helper-1.0-py3-none-any.whl",
	} {
		dir := t.TempDir()
		file, wheel := filepath.Join(dir, "requirements.txt"), filepath.Join(dir, "wheels", "helper-1.0-py3-none-any.whl")
		if err := os.Mkdir(filepath.Dir(wheel), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, file, line)
		write(t, wheel, "one")
		first := idOf(t, b.Store, wanted(t, file))
		if first != idOf(t, b.Store, wanted(t, file)) {
			t.Errorf("%q: another environment without a change", line)
		}
		if first == idOf(t, b.Store, list(t, line)) {
			t.Errorf("%q: lists in two folders share an environment", line)
		}
		write(t, wheel, "two")
		if err := os.Chtimes(wheel, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if first == idOf(t, b.Store, wanted(t, file)) {
			t.Errorf("%q: a wheel that was built again changes nothing", line)
		}
	}
	const line = "shells @ https://a.b/c.whl"
	here, there := idOf(t, b.Store, list(t, line)), idOf(t, b.Store, list(t, line))
	if here != there {
		t.Error("the place of a list without files counts")
	}
}
