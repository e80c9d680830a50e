package shortcut_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"conch/engine/kserve/kservepb"
)

// script is what a client does: two bytes are a step.
type script []byte

// play sends the frames of a script, and reads until all calls have ended. It returns what each call got.
func (s script) play(t *testing.T, to *server) (map[uint32]string, error) {
	r := to.dial(t)
	_ = r.SetDeadline(time.Now().Add(10 * time.Second))
	free := map[uint32]bool{} // calls whose end is not known
	for ; len(s) > 1; s = s[2:] {
		s.step(r, s[0]%16, int(s[1]), free)
	}
	_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 26})
	_ = r.framer.WriteWindowUpdate(0, 1<<28)
	sent := make(chan error, 1)
	go func() { sent <- r.flush() }()
	got := map[uint32]*strings.Builder{}
	left := map[uint32]bool{}
	for id := uint32(1); id < r.next; id += 2 {
		got[id], left[id] = new(strings.Builder), !free[id]
		if free[id] {
			delete(left, id)
		}
	}
	for len(left) > 0 {
		f, err := r.framer.ReadFrame()
		if err != nil {
			return nil, fmt.Errorf("%d calls have not ended: %w", len(left), err)
		}
		if id := f.Header().StreamID; left[id] && describe(got[id], f) {
			delete(left, id)
		}
	}
	out := map[uint32]string{}
	for id, text := range got {
		if !free[id] {
			out[id] = text.String()
		}
	}
	_ = r.Close()
	<-sent
	return out, nil
}

// describe writes what a call got, and reports whether it is the end.
func describe(to *strings.Builder, f http2.Frame) (ended bool) {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		fields := make([]string, 0, len(f.Fields))
		for _, h := range f.Fields {
			fields = append(fields, h.Name+": "+h.Value)
		}
		sort.Strings(fields)
		fmt.Fprintf(to, "%q %v\n", fields, f.StreamEnded())
		return f.StreamEnded()
	case *http2.DataFrame:
		to.Write(f.Data())
	case *http2.RSTStreamFrame:
		fmt.Fprintf(to, "reset %v", f.ErrCode)
		return true
	}
	return false
}

// step adds the frames of a step.
func (script) step(r *rawClient, kind byte, n int, free map[uint32]bool) {
	switch kind {
	case 0:
		r.call("m", n)
	case 1, 10:
		id, rest := r.headers(inferPath, false), message("m", "parts", 1000*n)
		for size := min(1+n*n, 16<<10); len(rest) > size; rest = rest[size:] {
			_ = r.framer.WriteData(id, false, rest[:size])
		}
		r.data(id, rest, true)
	case 2:
		id := r.headers("/inference.GRPCInferenceService/ServerLive", false)
		r.data(id, make([]byte, 5), true)
	case 3:
		id := r.headers(inferPath, false)
		_ = r.framer.WriteDataPadded(id, true, message("m", "padded", n), make([]byte, n))
	case 4:
		more := [][]string{{"grpc-encoding", "identity"}, {"x-more", strings.Repeat("y", n)}, {"grpc-timeout", "20S"}, {"a-bin", "AAAA"}, {"host", "x"}, {"grpc-timeout", "x"}}
		r.data(r.headers(inferPath, false, more[n%len(more)]...), message("m", "seen", n), true)
	case 5:
		r.call("fail", n)
	case 6:
		_ = r.framer.WriteWindowUpdate(0, uint32(n)+1)
	case 7:
		_ = r.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(n * n)}, http2.Setting{ID: http2.SettingHeaderTableSize, Val: uint32(n)})
	case 9:
		id := r.headers("/inference.GRPCInferenceService/ModelStreamInfer", false)
		for range n % 4 {
			r.data(id, message("m", "stream", 300*n), false)
		}
		r.data(id, nil, true)
	case 11:
		text := message("m", "cut", n)
		r.data(r.headers(inferPath, false), text[:len(text)/2], true)
	case 12:
		id := r.call("m", n)
		free[id] = true
		_ = r.framer.WriteRSTStream(id, http2.ErrCodeCancel)
	case 13:
		id, block := r.next, r.fields(inferPath, "x-long", strings.Repeat("z", n))
		r.next += 2
		_ = r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:len(block)/2], Priority: http2.PriorityParam{Weight: 3}, PadLength: uint8(n)})
		_ = r.framer.WriteContinuation(id, true, block[len(block)/2:])
		r.data(id, message("m", "continued", n), true)
	case 14:
		_ = r.framer.WriteRawFrame(http2.FrameType(100+n%100), 0, uint32(n), make([]byte, n))
	case 15:
		r.headers(inferPath, true)
	}
}

var scripts = []string{
	"\x00\x01", "\x00\x01\x00\x02\x00\x03", "\x01\x05\x02\x00\x01\x40", "\x03\xff\x00\x00\x03\x00", "\x04\x00\x04\x01\x04\x02\x04\x03\x04\x04\x04\x05",
	"\x05\x01\x00\x01", "\x07\x00\x00\xff\x06\x01\x00\x01", "\x09\x03\x00\x10\x09\x02", "\x0a\xc8\x00\x01\x0a\xff\x02\x01", "\x0b\x01\x00\x01", "\x0c\x01\x00\x01",
	"\x0d\x10\x00\x02\x0d\xff", "\x0e\x01\x00\x03", "\x0f\x00\x00\x04", "\x07\x10\x09\xff\x0a\x30\x09\xff\x00\xff\x07\x01\x09\xff", "\x0a\xff\x0a\xff\x09\x03\x0a\xff",
}

// A client cannot see who serves its calls: on the same frames, both servers give each call the same.
func TestSame(t *testing.T) {
	for _, s := range scripts {
		compare(t, script(s))
	}
}

func FuzzSame(f *testing.F) {
	for _, s := range scripts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) <= 60 {
			compare(t, script(text))
		}
	})
}

func compare(t *testing.T, s script) {
	t.Helper()
	with, without := start(t, usual), start(t, nil)
	want, err := s.play(t, without)
	if err != nil {
		return // such as calls whose windows never open
	}
	got, err := s.play(t, with)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	for id := range want {
		if want[id] != got[id] {
			t.Errorf("%q: call %d got\n%.500s\nwithout a shortcut\n%.500s", s, id, got[id], want[id])
		}
	}
	with.emptied(t)
}

// Any bytes behind a connection's beginning, in one piece or byte by byte, neither harm the server nor leave anything behind.
func FuzzFrames(f *testing.F) {
	r := newRaw(nil)
	r.text.Reset()
	for _, s := range scripts {
		for b := script(s); len(b) > 1; b = b[2:] {
			b.step(r, b[0]%16, int(b[1]), map[uint32]bool{})
		}
		if r.text.Len() < 100_000 {
			f.Add(bytes.Clone(r.text.Bytes()), false)
			f.Add(bytes.Clone(r.text.Bytes()), true)
		}
		r = newRaw(nil)
		r.text.Reset()
	}
	f.Fuzz(func(t *testing.T, text []byte, slowly bool) {
		s := start(t, usual)
		r := s.dial(t)
		_ = r.SetDeadline(time.Now().Add(10 * time.Second))
		go func() { _, _ = io.Copy(io.Discard, r) }()
		_ = r.flush()
		for slowly && len(text) > 0 && len(text) < 2000 {
			_, _ = r.Write(text[:1])
			text = text[1:]
		}
		_, err := r.Write(text)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("the server does not read any more")
		}
		_ = r.Close()
		s.emptied(t)
		if _, err := s.client(t).ServerLive(t.Context(), &kservepb.ServerLiveRequest{}); err != nil {
			t.Fatal(err)
		}
	})
}

func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("after ten seconds: " + what)
		}
	}
}
