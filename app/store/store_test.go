package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/app/store"
	"conch/build/fulldisk"
)

func open(t *testing.T, opts store.Options) *store.Store {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	s, err := store.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestSettingsMerge(t *testing.T) {
	s := open(t, store.Options{})
	for _, values := range []map[string]string{{"theme": `"dark"`, "gone": "1"}, {"pane": "420", "gone": ""}} {
		if err := s.SetSettings(t.Context(), values); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got["theme"] != `"dark"` || got["pane"] != "420" {
		t.Errorf("settings are %v", got)
	}
}

func TestRecentNewestFirst(t *testing.T) {
	clock := newClock()
	s := open(t, store.Options{Now: clock.now})
	for _, path := range []string{"/a", "/b", "/a"} {
		clock.advance(time.Second)
		if err := s.AddRecent(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.ListRecent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Path != "/a" || list[1].Path != "/b" {
		t.Errorf("recent are %v", list)
	}
}

func TestRequestsSurviveReopening(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	id := s.AddRequest(store.Request{Repository: "/r", Time: time.UnixMilli(1700000000123), Model: "digits", OK: true, Took: 3 * time.Millisecond, RequestBody: []byte("in"), ResponseBody: []byte("out")})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, store.Options{Dir: dir})
	got, err := s.Request(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got.Model != "digits" || string(got.ResponseBody) != "out" || got.Time.UnixMilli() != 1700000000123 || got.Took != 3*time.Millisecond {
		t.Errorf("read back %+v", got)
	}
	if _, err := s.Request(t.Context(), id+1); err != store.ErrNotFound {
		t.Errorf("an unknown request gives %v", err)
	}
	list, err := s.Requests(t.Context(), "/r", "other", 10)
	if err != nil || len(list) != 0 {
		t.Errorf("requests of another model: %v, %v", list, err)
	}
}

func TestUnusableFilesAreMovedAside(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(t *testing.T, path string)
		aside string
	}{
		"random bytes": {func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("not a database ", 999))) }, "damaged"},
		"torn pages": {func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 4096; i < len(data); i++ {
				data[i] ^= 0x5a
			}
			write(t, path, data)
		}, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, err := store.Open(t.Context(), store.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			test.spoil(t, first.Path())
			s := open(t, store.Options{Dir: dir})
			if err := s.SetSettings(t.Context(), map[string]string{"a": "1"}); err != nil {
				t.Fatal(err)
			}
			aside, _ := filepath.Glob(filepath.Join(dir, "conch.db."+test.aside+"-*"))
			if len(aside) != 1 {
				t.Errorf("moved aside: %v", aside)
			}
			told := s.Trouble()
			if !strings.Contains(told, "moved to conch.db."+test.aside) {
				t.Errorf("told %q", told)
			}
			if again := s.Trouble(); again != "" {
				t.Errorf("told again %q", again)
			}
		})
	}
}

func TestDamageWhileRunning(t *testing.T) {
	dir := t.TempDir()
	s := open(t, store.Options{Dir: dir})
	s.AddEvent(store.Event{Repository: "/r", Time: time.Now(), Text: "before"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, s.Path(), `PRAGMA wal_checkpoint(TRUNCATE)`)
	write(t, s.Path(), []byte(strings.Repeat("overwritten ", 5000)))
	s.AddEvent(store.Event{Repository: "/r", Time: time.Now(), Text: "after"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told := s.Trouble(); told == "" {
		t.Error("nothing was told")
	}
	now := time.Now()
	events, err := s.Events(t.Context(), store.Query{Repository: "/r", From: now.Add(-time.Hour), To: now.Add(time.Hour)})
	if err != nil || len(events) != 1 || events[0].Text != "after" {
		t.Errorf("events are %v, %v", events, err)
	}
}

func TestTwoStoresOnOneFile(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 2 {
		all.Go(func() {
			s, err := store.Open(t.Context(), store.Options{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			for range 50 {
				s.AddRequest(store.Request{Repository: "/r", Time: time.Now(), Model: fmt.Sprint(i)})
				if err := s.Flush(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := open(t, store.Options{Dir: dir}).Requests(t.Context(), "/r", "", 1000)
	if err != nil || len(list) != 100 {
		t.Errorf("%d requests, %v", len(list), err)
	}
}

// childDir makes the test binary a process that writes until it is killed.
const childDir = "CONCH_STORE_TEST_CHILD_DIR"

// children are what the test binary does as a process of its own, by the variable that names its folder.
var children = map[string]func(dir string){childDir: writeForever}

func TestMain(m *testing.M) {
	for variable, run := range children {
		if dir := os.Getenv(variable); dir != "" {
			run(dir)
		}
	}
	fulldisk.WithoutTestLog()
	os.Exit(m.Run())
}

func writeForever(dir string) {
	s, err := store.Open(context.Background(), store.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		s.AddRequest(store.Request{Repository: "/r", Time: time.Now(), Model: "m", RequestBody: make([]byte, 5000)})
		if err := s.Flush(context.Background()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func TestKilledProcessLosesNothingWritten(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	written := -1
	for written < 40 {
		if _, err := fmt.Fscanln(out, &written); err != nil {
			t.Fatal(err)
		}
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	s := open(t, store.Options{Dir: dir})
	list, err := s.Requests(t.Context(), "/r", "m", 1000)
	if err != nil || len(list) < written+1 {
		t.Errorf("%d of %d requests survived, %v", len(list), written+1, err)
	}
	if told := s.Trouble(); told != "" {
		t.Errorf("told %q", told)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// clock is a clock that the test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Unix(1_800_000_000, 0)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func count(t *testing.T, s *store.Store, statement string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow(statement).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTroublesAreTold: a trouble is reported, also when another one happens before anybody has asked.
func TestTroublesAreTold(t *testing.T) {
	s := open(t, store.Options{})
	for _, text := range []string{"It was damaged.", "It is full.", "It is full."} {
		s.AddTrouble(text)
	}
	if told := s.Trouble(); told != "It was damaged. It is full." {
		t.Errorf("told %q", told)
	}
}

// TestEventIsListedBeforeItIsWritten: a person who was told something finds it in the list at once, once, and in its place.
func TestEventIsListedBeforeItIsWritten(t *testing.T) {
	c := newClock()
	s := open(t, store.Options{Now: c.now})
	add := func(model, text string) {
		s.AddEvent(store.Event{Repository: "/r", Time: c.now(), Model: model, Text: text})
		c.advance(time.Second)
	}
	add("m", "written")
	flush(t, s)
	add("m", "waits")
	add("other", "of another model")
	add("", "of the engine")
	list, err := s.Events(t.Context(), store.Query{Repository: "/r", Model: "m", From: c.now().Add(-time.Minute), To: c.now()})
	var texts []string
	for _, e := range list {
		texts = append(texts, e.Text)
	}
	if want := []string{"written", "waits", "of the engine"}; err != nil || !slices.Equal(texts, want) {
		t.Errorf("%q, %v, want %q", texts, err, want)
	}
}
