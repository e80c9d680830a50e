package runtimes_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/build/fulldisk"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/filelock"
)

// aServer is a package index with one wheel, which breaks each download off after so many bytes.
type aServer struct {
	mu      sync.RWMutex // guards the wheel and its hash
	wheel   []byte
	sum     string
	breaks  atomic.Int64
	ranges  atomic.Pointer[[]string]      // that were asked for, "" for none
	ignores atomic.Bool                   // the server knows no ranges
	half    atomic.Pointer[chan struct{}] // the second half of a download waits for it; nil does not wait
}

// serve gives the index another wheel, and the hash that it names.
func (s *aServer) serve(wheel []byte, sum string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wheel, s.sum = wheel, sum
}

// serveFile gives it the wheel of a file.
func (s *aServer) serveFile(t *testing.T, path string) {
	t.Helper()
	wheel, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := runtimes.SumOf(path)
	if err != nil {
		t.Fatal(err)
	}
	s.serve(wheel, sum)
}

func (s *aServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	wheel, sum := s.wheel, s.sum
	s.mu.RUnlock()
	const name = "onnxruntime-1.30.0-py3-none-any.whl"
	switch {
	case r.URL.Path == "/simple/onnxruntime/":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="/files/%s#sha256=%s">%s</a>`, name, sum, name)
	case r.URL.Path == "/files/"+name:
		list := append(*s.ranges.Load(), r.Header.Get("Range"))
		s.ranges.Store(&list)
		if s.ignores.Load() {
			r.Header.Del("Range")
		}
		if half := s.half.Load(); half != nil {
			w.Header().Set("Content-Length", fmt.Sprint(len(wheel)))
			_, _ = w.Write(wheel[:len(wheel)/2])
			w.(http.Flusher).Flush()
			select {
			case <-*half:
			case <-r.Context().Done():
			}
			_, _ = w.Write(wheel[len(wheel)/2:])
			return
		}
		http.ServeContent(&broken{w, s.breaks.Load()}, r, name, time.Time{}, bytes.NewReader(wheel))
	default:
		http.NotFound(w, r)
	}
}

// broken ends a connection after so many bytes.
type broken struct {
	http.ResponseWriter
	left int64
}

func (b *broken) Write(p []byte) (int, error) {
	if int64(len(p)) <= b.left {
		b.left -= int64(len(p))
		return b.ResponseWriter.Write(p)
	}
	_, _ = b.ResponseWriter.Write(p[:b.left])
	b.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func anIndex(t *testing.T) *aServer {
	t.Helper()
	file := writeWheel(t, aWheel(part{name: "onnxruntime/capi/libonnxruntime_providers_cuda.so", content: noise(64 << 10)}))
	s := &aServer{}
	s.serveFile(t, file)
	s.breaks.Store(1 << 40)
	s.ranges.Store(&[]string{})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Setenv("PIP_INDEX_URL", server.URL+"/simple")
	t.Setenv("PIP_CONFIG_FILE", os.DevNull)
	t.Setenv("PIP_FIND_LINKS", "")
	t.Setenv("PIP_CACHE_DIR", t.TempDir())
	return s
}

// noise is text that does not become smaller in a wheel.
func noise(size int) string {
	text, n := make([]byte, size), uint32(1)
	for i := range text {
		n = n*1664525 + 1013904223
		text[i] = byte(n >> 24)
	}
	return string(text)
}

// A download that breaks off goes on where it ended: at once, and in the next install after a cancel or a kill.
func TestDownloadGoesOn(t *testing.T) {
	index := anIndex(t)
	s := storeIn(t.TempDir(), probeQuick)
	index.breaks.Store(30_000)
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(string) {}}
	done, err := s.Install(t.Context(), w)
	if err != nil || done.Build.ID != "cpu-1.30.0" {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := fmt.Sprint(*index.ranges.Load()); got != "[ bytes=30000- bytes=60000-]" {
		t.Errorf("asked for %s", got)
	}
	nothingLeft(t, s, 1)
	noParts(t, s)
	if _, err := s.Remove(t.Context(), "cpu"); err != nil {
		t.Fatal(err)
	}

	// It is cancelled when its first part has come.
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	go func() {
		for sizeOfParts(s) == 0 {
			select {
			case <-t.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
		cancel(enough)
	}()
	index.breaks.Store(10_000)
	if _, err := s.Install(ctx, w); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	begun := sizeOfParts(s)
	if begun == 0 || begun >= int64(len(index.wheel)) || s.Come(w.Offer) != begun {
		t.Fatalf("%d bytes of it are kept, not %d", begun, s.Come(w.Offer))
	}
	index.breaks.Store(1 << 40)
	index.ranges.Store(&[]string{})
	told := ""
	w.Tell = func(text string) { told += text + "\n" }
	if _, err := s.Install(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(*index.ranges.Load()), fmt.Sprintf("[bytes=%d-]", begun); got != want || !strings.Contains(told, "going on with the download") {
		t.Errorf("asked for %s, want %s; told\n%s", got, want, told)
	}
	nothingLeft(t, s, 1)
	noParts(t, s)
}

// How much has come is told of this download alone, and not of others of which parts are kept.
func TestProgressOfOneDownload(t *testing.T) {
	index, half := anIndex(t), make(chan struct{})
	file := writeWheel(t, aWheel(part{name: "onnxruntime/capi/libonnxruntime_providers_cuda.so", content: noise(1 << 20)}))
	index.serveFile(t, file)
	index.half.Store(&half)
	s := storeIn(t.TempDir(), probeQuick)
	parts := filepath.Join(s.Dir, "parts")
	other := filepath.Join(parts, strings.Repeat("a", len(index.sum)))
	if err := errors.Join(os.MkdirAll(parts, 0o700), os.WriteFile(other, make([]byte, len(index.wheel)), 0o600)); err != nil {
		t.Fatal(err)
	}
	var first int64
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(string) {}, Progress: func(bytes int64) {
		if first == 0 && bytes > 0 {
			first = bytes
			close(half)
		}
	}}
	if _, err := s.Install(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if first >= int64(len(index.wheel)) {
		t.Errorf("%d bytes have come when half of %d had", first, len(index.wheel))
	}
}

// An install that is stopped when all has come keeps that too: the next one downloads nothing.
func TestWholeDownloadIsKept(t *testing.T) {
	index := anIndex(t)
	s := storeIn(t.TempDir(), probeQuick)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(text string) {
		if text == "unpacking and checking" {
			cancel(enough)
		}
	}}
	if _, err := s.Install(ctx, w); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	nothingLeft(t, s, 0)
	if got := s.Come(w.Offer); got != int64(len(index.wheel)) {
		t.Errorf("%d bytes of %d are kept", got, len(index.wheel))
	}
	index.ranges.Store(&[]string{})
	w.Tell = func(string) {}
	if done, err := s.Install(t.Context(), w); err != nil || done.Build.Doubt() != "" || len(*index.ranges.Load()) > 0 {
		t.Errorf("%+v, %v, asked for %q", done, err, *index.ranges.Load())
	}
	noParts(t, s)
}

// The index names the hash of a wheel, and may name anything: a path in its place is no file of Conch's, and what is there stays as it is.
func TestHashThatIsAPath(t *testing.T) {
	index := anIndex(t)
	s := storeIn(t.TempDir(), probeQuick)
	file := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, "../../outside"} {
		index.serve(index.wheel, path)
		w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", ""), Tell: func(string) {}}
		if done, err := s.Install(t.Context(), w); err == nil {
			t.Errorf("%s: %+v is installed", path, done.Build)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file has %d bytes now, %v", len(text), err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.Dir), "outside")); err == nil {
		t.Error("a file was made outside the folder of parts")
	}
	noParts(t, s)
}

// A library that is asked what it is by a process that is killed, as where memory runs out, is no reason to download it again.
func TestDownloadOutlivesAKilledProbe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process that was stopped looks there like one that failed")
	}
	index, dir := anIndex(t), t.TempDir()
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(string) {}}
	if _, err := storeIn(dir, probeKilled).Install(t.Context(), w); err == nil || !strings.Contains(err.Error(), "was stopped before it could say what that is") {
		t.Fatal(err)
	}
	s := storeIn(dir, probeQuick)
	if got := s.Come(w.Offer); got != int64(len(index.wheel)) {
		t.Errorf("%d bytes of %d are kept", got, len(index.wheel))
	}
	index.ranges.Store(&[]string{})
	if _, err := s.Install(t.Context(), w); err != nil || len(*index.ranges.Load()) > 0 {
		t.Errorf("asked for %q of what was whole, %v", *index.ranges.Load(), err)
	}
	noParts(t, s)
}

// What is kept is never trusted: what has another hash than the index tells is removed, and a server without ranges sends all.
func TestPartsAreChecked(t *testing.T) {
	index := anIndex(t)
	s := storeIn(t.TempDir(), probeQuick)
	w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(string) {}}
	keep := func(text string) {
		t.Helper()
		dir := filepath.Join(s.Dir, "parts")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, index.sum), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	keep("something else")
	if _, err := s.Install(t.Context(), w); err == nil || !strings.Contains(err.Error(), "it is damaged or was changed") {
		t.Error(err)
	}
	nothingLeft(t, s, 0)
	noParts(t, s)
	index.ranges.Store(&[]string{})
	keep(string(index.wheel))
	if _, err := s.Install(t.Context(), w); err != nil || len(*index.ranges.Load()) > 0 {
		t.Errorf("asked for %q of what was whole, %v", *index.ranges.Load(), err)
	}
	if _, err := s.Remove(t.Context(), "cpu"); err != nil {
		t.Fatal(err)
	}
	keep("of another download")
	held, err := os.OpenFile(filepath.Join(s.Dir, "parts", index.sum), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if locked, err := filelock.Try(held); locked || err != nil {
		t.Fatal(locked, err)
	}
	_, failed := s.Install(t.Context(), w) // by pip, which finds no whole wheel
	if text, err := os.ReadFile(held.Name()); string(text) != "of another download" || failed == nil || !strings.Contains(failed.Error(), "pip failed") {
		t.Errorf("%q, %v, %v", text, err, failed)
	}
	_ = held.Close()
	keep(noise(len(index.wheel) + 10)) // more than there is
	if _, err := s.Install(t.Context(), w); err != nil {
		t.Error(err)
	}
	if _, err := s.Remove(t.Context(), "cpu"); err != nil {
		t.Fatal(err)
	}
	index.ignores.Store(true)
	keep("something else")
	if _, err := s.Install(t.Context(), w); err != nil {
		t.Error(err)
	}
	noParts(t, s)

	old := filepath.Join(s.Dir, "parts", strings.Repeat("0", 64))
	if err := errors.Join(os.WriteFile(old, []byte("part"), 0o600), os.Chtimes(old, time.Time{}, time.Now().Add(-8*24*time.Hour))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Install(t.Context(), w); err != nil {
		t.Error(err)
	}
	noParts(t, s)

	w.Offer = runtimes.OfferFor("other", "onnxruntime", "1.30.0", strings.Repeat("0", 64))
	const wheel, told = "onnxruntime-1.30.0-py3-none-any.whl has the SHA-256 ", ": it is damaged or was changed"
	if _, err := s.Install(t.Context(), w); err == nil || err.Error() != wheel+index.sum+", and the published one "+strings.Repeat("0", 64)+told {
		t.Error(err)
	}

	other := sha256.Sum256(nil)
	published := hex.EncodeToString(other[:]) // the index names this hash, and has another wheel
	index.serve(append(slices.Clone(index.wheel), 0), published)
	w.Offer = runtimes.OfferFor("other", "onnxruntime", "1.30.0", published)
	served := sha256.Sum256(index.wheel)
	if _, err := s.Install(t.Context(), w); err == nil || err.Error() != wheel+hex.EncodeToString(served[:])+", and the published one "+published+told {
		t.Error(err)
	}
	noParts(t, s)
}

// A folder that was carried to a machine without a network may hold the wheel itself.
func TestFolderWithAWheel(t *testing.T) {
	s := storeIn(t.TempDir(), probeQuick)
	w := quiet(filepath.Dir(writeWheel(t, aWheel())))
	if done, err := s.Install(t.Context(), w); err != nil || done.Build.ID != "mine-1.30.0" {
		t.Errorf("%+v, %v", done, err)
	}
}

func noParts(t *testing.T, s *runtimes.Store) {
	t.Helper()
	if entries, _ := os.ReadDir(filepath.Join(s.Dir, "parts")); len(entries) > 0 {
		t.Errorf("parts are left: %v", entries)
	}
}

func sizeOfParts(s *runtimes.Store) (sum int64) {
	entries, _ := os.ReadDir(filepath.Join(s.Dir, "parts"))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// On a full disk nothing of a download is left, and nobody tries again and again.
func TestDownloadOnAFullDisk(t *testing.T) {
	index := anIndex(t)
	fulldisk.Run(t, 8<<20, func(t *testing.T, disk *fulldisk.Disk) {
		s := storeIn(filepath.Join(disk.Dir, "onnxruntime"), probeQuick)
		if _, err := s.Install(t.Context(), quiet(writeWheel(t, aWheel()))); err != nil {
			t.Fatal(err)
		}
		disk.Fill(t)
		w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(string) {}}
		if _, err := s.Install(t.Context(), w); err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Error(err)
		}
		noParts(t, s)
	})
}

// A download that is whole when the disk is full stays, and the next install takes it. The reason names no folder that is gone.
func TestDownloadIsKeptWhereItCannotBeUnpacked(t *testing.T) {
	zeros := writeWheel(t, aWheel(part{name: "onnxruntime/capi/libonnxruntime_providers_cuda.so", content: strings.Repeat("x", 9<<20)}))
	index := anIndex(t)
	index.serveFile(t, zeros)
	fulldisk.Run(t, 8<<20, func(t *testing.T, disk *fulldisk.Disk) {
		s := storeIn(filepath.Join(disk.Dir, "onnxruntime"), probeQuick)
		w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", index.sum), Tell: func(string) {}}
		_, err := s.Install(t.Context(), w)
		if err == nil || err.Error() != "the disk is full: nothing was installed in "+s.Dir+". Make room there and try again" {
			t.Error(err)
		}
		nothingLeft(t, s, 0)
		if got := s.Come(w.Offer); got != int64(len(index.wheel)) {
			t.Errorf("%d of %d bytes are kept", got, len(index.wheel))
		}
	})
}
