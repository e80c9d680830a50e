package handover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine/backend/python/environments/wheeltest"
)

// TestListsRunNoCode: no list of a stranger and no file beside it has pip run what the repository brings.
func TestListsRunNoCode(t *testing.T) {
	index := wheeltest.New(t)
	index.Add(t, "numpy", "1.0", map[string]string{"numpy/__init__.py": ""})
	for list, want := range map[string]string{
		"./evil":                            "may be no wheel",
		"-e ./evil":                         "is no option",
		"--no-binary :all:\nnumpy":          "is no option",
		"--no-b=:all:\nnumpy":               "is no option",
		"evil @ file://MODEL/evil":          "may be no wheel",
		"evil @ file://MODEL/evil.whl":      "may be no wheel",
		"./evil.whl":                        "may be no wheel",
		"evil.tar.gz":                       "may be no wheel",
		"evil.zip ; python_version > '3'":   "may be no wheel",
		"evil @ git+https://localhost/evil": "may be no wheel",
		"${HOME}/evil":                      "may be no wheel",
		"-r more.txt":                       "more.txt: \"./evil\" may be no wheel",
		"-c more.txt":                       "more.txt: \"./evil\" may be no wheel",
		"./ev\\\nil":                        "may be no wheel",
		"# coding: utf-7\n+AC4ALw-evil":     "may be no wheel",
		"numpy":                             "",
	} {
		p := newPacking(t, "3.12", "24.12")
		model, mark := filepath.Join(p.opts.Roots[0], "doubles"), filepath.Join(p.dir, "ran")
		if err := os.RemoveAll(filepath.Join(model, ".venv")); err != nil {
			t.Fatal(err)
		}
		program := "import pathlib\npathlib.Path(r'" + mark + "').write_text('x')\nraise SystemExit(1)\n"
		write(t, filepath.Join(model, "requirements.txt"), strings.ReplaceAll(list, "MODEL", model)+"\n")
		write(t, filepath.Join(model, "more.txt"), "./evil\n")
		for _, folder := range []string{"evil", "evil.whl"} {
			write(t, filepath.Join(model, folder, "pyproject.toml"), "[build-system]\nrequires=[]\nbuild-backend=\"backend\"\nbackend-path=[\".\"]\n")
			write(t, filepath.Join(model, folder, "backend.py"), program)
		}
		write(t, filepath.Join(model, "pip.py"), program)
		if _, err := p.run(t); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", list, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("%q: the repository's code ran", list)
		}
	}
}

// TestLinksOutOfTheRepositoryAreNotPacked: a copy holds no file of the person's that a stranger's repository links to, unless it is wanted.
func TestLinksOutOfTheRepositoryAreNotPacked(t *testing.T) {
	for _, at := range []string{"1/notes", ".venv/lib/python3.12/site-packages/notes"} {
		p := newPacking(t, "3.12", "24.12")
		write(t, filepath.Join(p.dir, "private", "key"), "secret")
		link := filepath.Join(p.opts.Roots[0], "doubles", at)
		if err := os.Symlink(filepath.Join(p.dir, "private"), link); err != nil {
			t.Fatal(err)
		}
		told, err := p.run(t)
		if err == nil || !strings.Contains(told, "the link leads out of the repository") {
			t.Errorf("%s: %v\n%s", at, err, told)
		}
		if _, err := os.Stat(p.out); err == nil {
			t.Errorf("%s: something was written", at)
		}
	}
}

// TestLinksInACircle: links that lead round and round end in words, and not in a full disk.
func TestLinksInACircle(t *testing.T) {
	for _, at := range []string{"1", ".venv/lib/python3.12/site-packages"} {
		p := newPacking(t, "3.12", "24.12")
		dir := filepath.Join(p.opts.Roots[0], "doubles", at)
		for _, name := range []string{"a", "b"} {
			write(t, filepath.Join(dir, name, "file"), "x")
		}
		for link, to := range map[string]string{"a/x": "../b", "b/y": "../a"} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.run(t); err == nil || !strings.Contains(err.Error(), "leads to a folder that it lies in") {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestOnlyCopiesAreReplaced: a folder of a person stays, also where an earlier export without a copy wrote the files beside it.
func TestOnlyCopiesAreReplaced(t *testing.T) {
	p := newPacking(t, "3.12", "24.12")
	packed := p.opts.Pack
	p.opts.Pack = ""
	if err := os.RemoveAll(filepath.Join(p.opts.Roots[0], "doubles", ".venv")); err != nil {
		t.Fatal(err)
	}
	if told, err := p.run(t); err != nil {
		t.Fatal(err, told)
	}
	mine := filepath.Join(packed, "mine")
	write(t, mine, "mine")
	p.opts.Pack = packed
	if _, err := p.run(t); err == nil || !strings.Contains(err.Error(), "no export wrote it") {
		t.Error(err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestFoldersBesideTheCopyStay: a copy is made in a new folder, whatever a person's folder beside it is called, and nothing of that is left.
func TestFoldersBesideTheCopyStay(t *testing.T) {
	p := newPacking(t, "3.12", "24.12")
	if err := os.RemoveAll(filepath.Join(p.opts.Roots[0], "doubles", ".venv")); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(p.opts.Pack+".conch-new", "mine")
	write(t, mine, "mine")
	if told, err := p.run(t); err != nil {
		t.Fatal(err, told)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(p.opts.Pack + ".conch*"); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
