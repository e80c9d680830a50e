package shortcut_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"conch/engine/kserve/grpcapi/shortcut"
)

// whole tests that a call got an answer of a size with its own content.
func whole(t *testing.T, got string, size int) {
	t.Helper()
	if strings.Count(got, "x") != size || strings.Contains(got, "?") || !strings.Contains(got, "grpc-status: 0") {
		t.Errorf("%d bytes of an answer of %d, %d of them spoiled", strings.Count(got, "x"), size, strings.Count(got, "?"))
	}
}

// widely lets a client's answers come in full, but for what it has not read.
func (r *rawClient) widely() {
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 26})
	_ = r.framer.WriteWindowUpdate(0, 1<<30)
}

// Large answers keep their content until they are written, and their memory is given back then, whatever windows the client gives.
func TestLargeAnswers(t *testing.T) {
	s := start(t, usual)
	for _, step := range []uint32{1, 1000, 5000, 20_000, 1 << 20} {
		r := s.dial(t)
		_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 7})
		_ = r.framer.WriteWindowUpdate(0, 1<<28)
		size := int(min(100*step, 3<<20))
		first, second := r.call("m", size), r.call("slow", size)
		for sent := uint32(0); sent < 101*step+1000; sent += step {
			_ = r.framer.WriteWindowUpdate(first, step)
			_ = r.framer.WriteWindowUpdate(second, step)
		}
		r.inBackground()
		got := r.all(t, first, second)
		whole(t, got[first], size)
		whole(t, got[second], size)
		s.emptied(t)
	}
}

// A client that reads slowly gets its large answers unspoiled, though other calls are given up meanwhile.
func TestLargeAnswersOfASlowClient(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	r.widely()
	const size, count = 2 << 20, 12
	ids := make([]uint32, count)
	for i := range ids {
		ids[i] = r.call("m", size)
	}
	r.inBackground()
	await(t, "calls are served", func() bool { return s.served() == count })
	for i := 0; i < count; i += 2 {
		_ = r.framer.WriteRSTStream(ids[i], http2.ErrCodeCancel)
	}
	r.inBackground()
	var kept []uint32
	for i := 1; i < count; i += 2 {
		kept = append(kept, ids[i])
	}
	for _, got := range r.all(t, kept...) {
		whole(t, got, size)
	}
	s.emptied(t)
}

// An answer that is given up in its middle is given back, and the connection goes on.
func TestLargeAnswerThatIsGivenUp(t *testing.T) {
	s := start(t, usual)
	r := s.dial(t)
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 50_000})
	id := r.call("m", 1<<20)
	r.inBackground()
	data := 0
	r.framesUntil(t, func(f http2.Frame) bool {
		if d, ok := f.(*http2.DataFrame); ok {
			data += len(d.Data())
		}
		return data == 50_000
	})
	_ = r.framer.WriteRSTStream(id, http2.ErrCodeCancel)
	next := r.call("m", 1000)
	r.inBackground()
	whole(t, r.until(t, next), 1000)
	s.emptied(t)
}

// A connection that ends while its answers are written gives their memory back.
func TestEndAmongLargeAnswers(t *testing.T) {
	for _, during := range []string{"writing", "waiting"} {
		s := start(t, usual)
		r := s.dial(t)
		if during == "writing" {
			r.widely()
		}
		const count = 8
		for range count {
			r.call("m", 4<<20)
		}
		r.inBackground()
		await(t, "calls are served", func() bool { return s.served() == count })
		time.Sleep(20 * time.Millisecond)
		if s.codec.inUse.Load() == 0 {
			t.Errorf("%s: the client has taken all", during)
		}
		_ = r.Close()
		s.emptied(t)
	}
}

// A client that reads nothing is sent away while memory is short, also when all its answers lie before the system, where their own
// memory is still in use.
func TestLentAnswersCountForTheDeaf(t *testing.T) {
	s := onTCP(t, func(o *shortcut.Options) { o.Patience = 100 * time.Millisecond })
	r := s.dial(t)
	r.widely()
	r.answered(t)
	for calls := 1; s.road.Unfreed() == 0; calls++ {
		r.call("m", 100_000)
		if err := r.flush(); err != nil {
			t.Fatal(err)
		}
		await(t, "it is served", func() bool { return s.served() == calls })
		for until := time.Now().Add(20 * time.Millisecond); s.road.Unfreed() > 0 && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
	}
	if unsent, _ := s.road.Going(); unsent > 0 {
		t.Fatalf("%d answers wait", unsent)
	}
	account := s.memory.Open()
	defer account.Close()
	if err := account.Grow(s.memory.Limit()/2 + 1); err != nil {
		t.Fatal(err)
	}
	await(t, "its answers are given back", func() bool { return s.codec.inUse.Load() == 0 })
}
