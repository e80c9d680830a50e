package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// listener is a test whose failures are heard.
type listener struct {
	testing.TB
	said strings.Builder
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, args ...any) { fmt.Fprintf(&l.said, format+"\n", args...) }

func (l *listener) Fatal(args ...any) { l.Fatalf("%s", fmt.Sprint(args...)) }

func (l *listener) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	runtime.Goexit()
}

// heard returns what f says to its test.
func heard(t *testing.T, f func(t testing.TB)) string {
	l := &listener{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(l)
	}()
	<-done
	return l.said.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const example = "About.\n-- a --\none\n-- want --\nONE\n-- want more --\nx\n\\ No newline at end of file\n"

func TestRead(t *testing.T) {
	c := Read(t, write(t, "x.txtar", example+"-- b --\n\r\nb\n\\ No newline at end of file\n"))
	if c.Name != "x" || c.About != "About.\n" || c.Text(t, "a") != "one\n" || c.Wanted() != "ONE\n" {
		t.Errorf("%+v", c)
	}
	if files := c.Files(); len(files) != 2 || files["b"] != "\r\nb" {
		t.Errorf("%q", files)
	}
	for text, want := range map[string]string{
		"-- a --\n-- a --\n": `two sections called "a"`,
		"-- b --\n":          `has no section "a"`,
	} {
		path := write(t, "x.txtar", text)
		if said := heard(t, func(t testing.TB) { Read(t, path).Text(t, "a") }); !strings.Contains(said, want) {
			t.Errorf("%q: %s", text, said)
		}
	}
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		give func(c *Case)
		want string
	}{
		"the same":           {func(c *Case) { c.Want("ONE\n"); c.WantPart("more", "x") }, ""},
		"another text":       {func(c *Case) { c.Want("TWO\n"); c.WantPart("more", "x") }, "TWO"},
		"a line break":       {func(c *Case) { c.Want("ONE\n"); c.WantPart("more", "x\n") }, "No newline at end of file"},
		"a part less":        {func(c *Case) { c.Want("ONE\n") }, "want more"},
		"a part more":        {func(c *Case) { c.Want("ONE\n"); c.WantPart("more", "x"); c.WantPart("z", "") }, "want z"},
		"nothing":            {func(*Case) {}, "nothing to compare"},
		"a line of a marker": {func(c *Case) { c.Want("ONE\n-- b --\n") }, "begins a section"},
	} {
		t.Run(name, func(t *testing.T) {
			read := Read(t, write(t, "x.txtar", example))
			c.give(read)
			if said := heard(t, read.compare); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("it says %q, want %q", said, c.want)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	defer func(was bool) { *update = was }(*update)
	*update = true
	c := Read(t, write(t, "x.txtar", example+"-- b --\nlast\n"))
	c.Want("TWO\n")
	c.WantPart("other", "y")
	if said := heard(t, c.compare); !strings.Contains(said, "run again without -update") {
		t.Errorf("it says %q", said)
	}
	text, err := os.ReadFile(c.Path)
	const want = "About.\n-- a --\none\n-- b --\nlast\n-- want --\nTWO\n" +
		"-- want other --\ny\n\\ No newline at end of file\n"
	if err != nil || string(text) != want {
		t.Errorf("%v, it wrote\n%s", err, text)
	}
	if said := heard(t, c.compare); said != "" {
		t.Errorf("what is right already was written: %s", said)
	}
}

// TestCasesAreAlone: a file that no test reads does not go unseen.
func TestCasesAreAlone(t *testing.T) {
	path := write(t, "x.txtar", example)
	if said := heard(t, func(t testing.TB) { Cases(t, filepath.Dir(path)) }); said != "" {
		t.Errorf("it says %q", said)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "y.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if said := heard(t, func(t testing.TB) { Cases(t, filepath.Dir(path)) }); !strings.Contains(said, "y.txt is no case") {
		t.Errorf("it says %q", said)
	}
	if said := heard(t, func(tb testing.TB) { Cases(tb, t.TempDir()) }); !strings.Contains(said, "holds no cases") {
		t.Errorf("it says %q", said)
	}
}

func TestFile(t *testing.T) {
	path := write(t, "x", "one\n")
	if said := heard(t, func(t testing.TB) { File(t, path, "one\n") }); said != "" {
		t.Errorf("it says %q", said)
	}
	if said := heard(t, func(t testing.TB) { File(t, path, "two\n") }); !strings.Contains(said, "differs") {
		t.Errorf("it says %q", said)
	}
	if said := heard(t, func(t testing.TB) { File(t, path+".none", "two\n") }); !strings.Contains(said, "-update") {
		t.Errorf("it says %q", said)
	}
}
