//go:build !race

// A year's history takes minutes under the race detector, which slows SQLite down: `make test-go` runs the package without it too.

package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"conch/app/store"
)

// tidyDir makes the test binary a process that opens the history in this folder, adds a sample, and
// tidies until nothing is due. It prints a line after each part.
const tidyDir = "CONCH_STORE_TEST_TIDY_DIR"

func init() { children[tidyDir] = tidyAll }

func tidyAll(dir string) {
	s, err := openYear(context.Background(), dir)
	for more := true; err == nil && more; {
		fmt.Println("part")
		more = s.TidyMore(context.Background())
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// openYear opens a history and writes one sample, as the first second of a run does.
func openYear(ctx context.Context, dir string) (*store.Store, error) {
	s, err := store.Open(ctx, store.Options{Dir: dir})
	if err == nil {
		s.AddSample(store.Sample{Repository: "/r", Time: time.Now(), Covered: time.Second})
		err = s.Flush(ctx)
	}
	return s, err
}

// In a year's history, series 2 has this many requests in each row of a second.
const yearRate = 3

// unrolled is the length of the newest time in seconds.
const unrolled = 8 * 3600

// fillYear makes a history of a year with ten series. The newest seconds are not rolled up, and what is
// older than its limit was not deleted.
func fillYear(t *testing.T, dir string) (now int64) {
	t.Helper()
	s := open(t, store.Options{Dir: dir})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	now = time.Now().Unix() / 3600 * 3600
	rows := func(step, from, to int64, series int) string {
		return fmt.Sprintf(`WITH RECURSIVE place(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM place WHERE n + 1 < %d)
			INSERT INTO metric (step, series, time, covered_ms, requests, failures, inferences, executions, request_ns,
				queue_ns, input_ns, infer_ns, output_ns, cpu_ms, memory, latency)
			SELECT %d, id, n * %d, %d000, %d, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, x'A00103'
			FROM series, place WHERE id <= %d`, from/step, to/step, step, step, step, yearRate*step, series)
	}
	const day = 24 * 3600
	for _, statement := range []string{
		`INSERT INTO series (id, repository, model) SELECT value, '/r', CASE value WHEN 1 THEN '' ELSE 'm' || value END
			FROM json_each('[1,2,3,4,5,6,7,8,9,10]')`,
		rows(3600, now-365*day, now-40*day, 10),
		rows(300, now-45*day, now-3*day, 5), // 35 days are kept
		rows(10, now-9*day, now-8*day, 5),   // three days are kept
		rows(1, now-unrolled, now, 3),
	} {
		execute(t, filepath.Join(dir, store.FileName), statement)
	}
	return now
}

// A large history that is far behind is tidied in small parts. The process may be killed at any point,
// and the next one continues.
func TestYearIsTidiedInPartsAcrossKills(t *testing.T) {
	dir := t.TempDir()
	now := fillYear(t, dir)
	requests := func(s *store.Store, from int64, step time.Duration) uint64 {
		t.Helper()
		series, err := s.Metrics(t.Context(), store.Query{Repository: "/r", Model: "m2", From: time.Unix(from, 0), To: time.Unix(now, 0), Step: step})
		if err != nil {
			t.Fatal(err)
		}
		return total(series)
	}
	parts, killed := 0, 0
	for kill := 5; killed < 4; kill += 13 {
		n, ended := tidyUntil(t, dir, kill)
		parts += n
		if ended {
			break
		}
		killed++
		s := open(t, store.Options{Dir: dir})
		if got := requests(s, now-unrolled, time.Minute); got != yearRate*unrolled {
			t.Errorf("after %d kills, %d requests", killed, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	n, ended := tidyUntil(t, dir, 100_000)
	if !ended || killed < 4 || parts+n < 100 {
		t.Errorf("ended %v after %d kills and %d parts", ended, killed, parts+n)
	}
	s := open(t, store.Options{Dir: dir})
	for _, step := range []int64{10, 300, 3600} {
		got := count(t, s, fmt.Sprintf(`SELECT sum(requests) FROM metric WHERE step = %d AND series = 2 AND time >= %d AND time < %d`, step, now-unrolled, now))
		if got != yearRate*unrolled {
			t.Errorf("%d requests in rows of %d s", got, step)
		}
	}
	if left := count(t, s, fmt.Sprintf(`SELECT count(*) FROM metric WHERE step = 10 AND time < %d OR step = 300 AND time < %d`, now-4*24*3600, now-36*24*3600)); left != 0 {
		t.Errorf("%d old rows are left", left)
	}
}

// tidyUntil runs a process that tidies, and kills it after some parts. ended is true when it came to its
// end before. The write-ahead log must stay small.
func tidyUntil(t *testing.T, dir string, kill int) (parts int, ended bool) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), tidyDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for parts < kill && lines.Scan() {
		if text := lines.Text(); text != "part" {
			t.Fatal(text)
		}
		parts++
		if info, err := os.Stat(filepath.Join(dir, store.FileName+"-wal")); err == nil && info.Size() > 16<<20 {
			t.Errorf("after %d parts the write-ahead log has %d MB", parts, info.Size()>>20)
		}
	}
	ended = parts < kill
	if !ended {
		_ = child.Process.Kill()
	}
	if err := child.Wait(); ended && err != nil {
		t.Fatal(err)
	}
	return parts, ended
}

// The first second writes its sample and a part, no more. The rest is done in the background.
func TestYearIsUsableAtOnce(t *testing.T) {
	dir := t.TempDir()
	fillYear(t, dir)
	all := func(s *store.Store) int { return count(t, s, `SELECT count(*) FROM metric`) }
	s := open(t, store.Options{Dir: dir})
	before := all(s)
	first, err := openYear(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	if made := all(s) - before; made < 1 || made > 1000 {
		t.Errorf("the first second made %d rows", made)
	}
	for old := 1; old > 0; {
		old = count(t, s, fmt.Sprintf(`SELECT count(*) FROM metric WHERE step = 10 AND time < %d`, time.Now().Unix()-4*24*3600))
	}
}
