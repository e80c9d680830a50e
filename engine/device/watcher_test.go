package device

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// script is a library that does what a test says.
type script struct {
	mu            sync.Mutex
	opens, closes int // successful
	openErr       error
	readErr       error
	onceErr       error // of the next read alone
	gpus          int
	lost          []int         // by the driver
	energy        float64       // grows by 100 with each answer
	hang          chan struct{} // read waits for it; nil does not wait
}

// set changes what the library does.
func (s *script) set(openErr, readErr error, gpus int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openErr, s.readErr, s.gpus = openErr, readErr, gpus
}

// once has the next read fail.
func (s *script) once(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onceErr = err
}

func (s *script) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.openErr == nil {
		s.opens++
	}
	return s.openErr
}

func (s *script) read() (Snapshot, error) {
	if s.hang != nil {
		<-s.hang
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.energy += 100
	gpus := make([]GPU, s.gpus)
	for i := range gpus {
		gpus[i].Energy = s.energy
	}
	err := cmp.Or(s.onceErr, s.readErr)
	s.onceErr = nil
	return Snapshot{GPUs: gpus, Lost: s.lost, Driver: "1"}, err
}

func (s *script) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closes++
}

// counts returns how often the library was opened and closed.
func (s *script) counts() (opens, closes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opens, s.closes
}

func begin(t *testing.T, s *script) *Watcher {
	ctx, cancel := context.WithCancel(t.Context())
	w := watch(ctx, s, 2*time.Second, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		cancel()
		synctest.Wait()
		if opens, closes := s.counts(); closes != opens {
			t.Errorf("opened %d times and closed %d times", opens, closes)
		}
	})
	synctest.Wait()
	return w
}

func TestMachineWithoutADriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{openErr: errAbsent}
		w := begin(t, s)
		if got := w.Snapshot(); got.Trouble != "" || got.GPUs != nil || got.At.IsZero() {
			t.Errorf("%+v", got)
		}
		s.set(nil, nil, 1) // the driver is installed
		time.Sleep(tryAgain + time.Second)
		if got := w.Snapshot(); len(got.GPUs) != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestDriverThatFailsComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 2}
		w := begin(t, s)
		s.set(nil, errors.New("reach GPU 0: ERROR_GPU_IS_LOST"), 2)
		time.Sleep(3 * time.Second)
		if got := w.Snapshot(); got.GPUs != nil || got.Trouble != "The GPUs of this machine cannot be read: reach GPU 0: ERROR_GPU_IS_LOST. Conch tries again every 30 s." {
			t.Errorf("%+v", got)
		}
		s.set(nil, nil, 1)
		time.Sleep(tryAgain)
		if got := w.Snapshot(); len(got.GPUs) != 1 || got.Trouble != "" {
			t.Errorf("%+v", got)
		}
	})
}

// One answer that fails is asked for again at once: without GPUs, models that are loaded meanwhile would run on the CPU.
func TestDriverThatFailsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 2}
		w := begin(t, s)
		s.once(errors.New("reach GPU 1: ERROR_TIMEOUT"))
		time.Sleep(3 * time.Second)
		if got := w.Snapshot(); len(got.GPUs) != 2 || got.Trouble != "" {
			t.Errorf("%+v", got)
		}
		if opens, _ := s.counts(); opens != 2 {
			t.Errorf("opened %d times", opens)
		}
	})
}

func TestDriverThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 1, hang: make(chan struct{})}
		var told bytes.Buffer
		w := watch(t.Context(), s, 2*time.Second, slog.New(slog.NewTextHandler(&told, nil)))
		synctest.Wait()
		if got := w.Snapshot(); got.Trouble != "" {
			t.Errorf("%+v", got)
		}
		time.Sleep(12 * time.Second)
		first := w.Snapshot()
		if !strings.HasPrefix(first.Trouble, "The GPU driver does not answer.") {
			t.Errorf("%+v", first)
		}
		time.Sleep(5 * time.Second)
		if got := w.Snapshot(); got.Trouble != first.Trouble { // everybody would be told again, every second
			t.Errorf("%q, and later %q", first.Trouble, got.Trouble)
		}
		synctest.Wait()
		if got := told.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "The GPU driver does not answer") {
			t.Errorf("the log says %q", got)
		}
		close(s.hang)
		synctest.Wait()
		if got := w.Snapshot(); got.Trouble != "" || len(got.GPUs) != 1 {
			t.Errorf("%+v", got)
		}
	})
}

func TestEnergyIsCountedFromTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := begin(t, &script{gpus: 1, energy: 5000})
		for _, want := range []float64{0, 100, 200} {
			if got := w.Snapshot().GPUs[0].Energy; got != want {
				t.Errorf("energy = %v, want %v", got, want)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
	})
}

// A reading that is asked for is newer than the question, and nobody waits for a driver that hangs.
func TestFreshReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 1}
		w := begin(t, s)
		s.set(nil, nil, 3)
		if n := len(w.Known().GPUs); n != 1 {
			t.Errorf("%d GPUs are known before they are read again", n)
		}
		began := time.Now()
		if n := len(w.Fresh().GPUs); n != 3 || time.Since(began) > 0 {
			t.Errorf("%d GPUs after %v", n, time.Since(began))
		}
	})
}

func TestFirstReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 2, hang: make(chan struct{})}
		w := begin(t, s)
		go func() {
			time.Sleep(3 * time.Second)
			close(s.hang)
		}()
		if n := len(w.Known().GPUs); n != 2 {
			t.Errorf("%d GPUs", n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := &script{gpus: 2, hang: make(chan struct{})}
		w := begin(t, s)
		began := time.Now()
		got := w.Known()
		if took := time.Since(began); took != tooLong || !strings.HasPrefix(got.Trouble, "The GPU driver does not answer") {
			t.Errorf("after %v: %+v", took, got)
		}
		if w.Known(); time.Since(began) != tooLong { // each load of a model asks
			t.Errorf("once more it waits, %v since the first time", time.Since(began))
		}
		close(s.hang)
	})
}

// After the end nobody waits for a reading.
func TestReadingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := watch(ctx, &script{gpus: 1}, 2*time.Second, slog.New(slog.DiscardHandler))
		synctest.Wait()
		cancel()
		synctest.Wait()
		began := time.Now()
		if n := len(w.Fresh().GPUs); n != 1 || time.Since(began) > 0 {
			t.Errorf("%d GPUs after %v", n, time.Since(began))
		}
	})
}

// When no GPU is left, the library is closed between the attempts, so that the driver can be reset.
func TestNoGPULeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{lost: []int{0}}
		w := begin(t, s)
		if got := w.Snapshot(); !slices.Equal(got.Lost, s.lost) || got.Trouble != "" {
			t.Errorf("%+v", got)
		}
		if opens, closes := s.counts(); opens != 1 || closes != 1 {
			t.Errorf("opened %d times, closed %d times", opens, closes)
		}
		s.set(nil, nil, 1)
		time.Sleep(tryAgain)
		synctest.Wait()
		if got := w.Snapshot(); len(got.GPUs) != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// A GPU that is lost while others are left is told once, and the others are not found again.
func TestLostGPUIsLoggedOnce(t *testing.T) {
	var log strings.Builder
	w := &Watcher{log: slog.New(slog.NewTextHandler(&log, nil))}
	two := Snapshot{GPUs: []GPU{{UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b"}}}
	one := Snapshot{GPUs: two.GPUs[:1], Lost: []int{1}}
	w.tell(&Snapshot{}, &two)
	w.tell(&two, &one)
	w.tell(&one, &one)
	if text := log.String(); strings.Count(text, "found a GPU") != 2 || strings.Count(text, "GPU 1 is lost") != 1 || !strings.Contains(text, "get it back\" gpu=1") {
		t.Errorf("the log says\n%s", text)
	}
	w.tell(&one, &two)
	if text := log.String(); strings.Count(text, "found a GPU") != 3 {
		t.Errorf("the GPU is back, and the log says\n%s", text)
	}
	if text := log.String(); strings.Contains(text, "count") {
		t.Errorf("a lost GPU is told twice:\n%s", text)
	}
}

// A driver that counts no GPUs, or fewer than before without an error, is told once.
func TestGPUsThatAreCountedNoMore(t *testing.T) {
	var log strings.Builder
	w := &Watcher{log: slog.New(slog.NewTextHandler(&log, nil))}
	none := Snapshot{At: time.Unix(1, 0), Driver: "580"}
	two := Snapshot{At: time.Unix(1, 0), GPUs: []GPU{{UUID: "GPU-a"}, {Index: 1, UUID: "GPU-b"}}}
	one := Snapshot{At: time.Unix(1, 0), GPUs: two.GPUs[1:]}
	for _, s := range [][2]*Snapshot{{{}, &none}, {&none, &none}, {&none, &two}, {&two, &one}, {&one, &one}, {&one, &none}, {&none, &none}} {
		w.tell(s[0], s[1])
	}
	var said []string
	for line := range strings.Lines(log.String()) {
		if _, text, _ := strings.Cut(strings.TrimSpace(line), "level="); !strings.Contains(text, "found a GPU") {
			said = append(said, text)
		}
	}
	const gone = `WARN msg="the GPU driver does not count a GPU any more that it told of before" gpu=`
	want := []string{`INFO msg="the GPU driver counts no GPUs" driver=580`, gone + `0 name="" uuid=GPU-a left=1`, gone + `1 name="" uuid=GPU-b left=0`}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}
