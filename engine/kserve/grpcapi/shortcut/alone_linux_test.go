package shortcut_test

import (
	"bytes"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// await reads until a call has ended.
func (r *rawClient) await(t *testing.T, id uint32) {
	t.Helper()
	_ = r.SetReadDeadline(time.Now().Add(30 * time.Second)) // a broken connection gives an error
	for {
		f, err := r.framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := f.(*http2.MetaHeadersFrame); ok && h.StreamID == id && h.StreamEnded() {
			return
		}
	}
}

func (r *rawClient) send(t *testing.T) {
	t.Helper()
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
}

// oneByOne makes calls of a model that could run several at once.
func (r *rawClient) oneByOne(t *testing.T, count int) {
	t.Helper()
	for range count {
		id := r.call("slow", 1)
		r.send(t)
		r.await(t, id)
	}
}

// The reader serves the calls of a client that waits for each of them, also when the model could run several at once. When the client
// begins another one meanwhile, that goes to another goroutine; its pings are no calls.
func TestAlone(t *testing.T) {
	s := onTCP(t, usual)
	r := s.dial(t)
	oneByOne := func(count int) { r.oneByOne(t, count) }
	oneByOne(100)
	readers, _ := s.callers()
	if readers == 0 {
		t.Error("the reader has served none of 100 calls")
	}
	// meanwhile has the client send what waits in its buffer when the next call is served.
	meanwhile := func() {
		text := bytes.Clone(r.text.Bytes())
		r.text.Reset()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.during = func() { _, _ = r.Write(text) } // a broken connection answers nothing
	}
	// A busy machine makes a call take long, which counts as company as well: so it is tried some times.
	alone := false
	for range 5 {
		oneByOne(40)                              // what may have counted before is over
		_ = r.framer.WritePing(false, [8]byte{1}) // a buffer never fails
		meanwhile()
		oneByOne(1)
		before, _ := s.callers()
		oneByOne(20)
		if after, _ := s.callers(); after > before {
			alone = true
			break
		}
	}
	if !alone {
		t.Error("the reader has served none of 20 calls, because of a ping")
	}
	_, others := s.callers()

	first := r.call("slow", 1)
	text := bytes.Clone(r.text.Bytes())
	r.text.Reset()
	second := r.call("slow", 1)
	meanwhile()
	r.text.Write(text)
	r.send(t)
	r.await(t, first)
	r.await(t, second)
	if _, now := s.callers(); now == others {
		t.Error("the reader has served both of two calls")
	}
}

// A call that took too long for the reader, while another one waited behind it, counts as company.
func TestLongCallIsCompany(t *testing.T) {
	s := onTCP(t, usual)
	r := s.dial(t)
	r.oneByOne(t, 100)
	inside, goOn := make(chan struct{}), make(chan struct{})
	s.mu.Lock()
	s.during = func() {
		close(inside)
		<-goOn
	}
	s.mu.Unlock()
	long := r.call("slow", 1)
	r.send(t)
	<-inside
	r.oneByOne(t, 1) // another goroutine reads on
	close(goOn)
	r.await(t, long)
	before, _ := s.callers()
	r.oneByOne(t, 25)
	if readers, _ := s.callers(); readers != before {
		t.Errorf("the reader has served %d of the next 25 calls", readers-before)
	}
}

// Calls whose time is not known are not the reader's.
func TestUnknownCallsAreNotAlone(t *testing.T) {
	s := onTCP(t, usual)
	s.changing = true // as of a client that asks for two versions by turns
	r := s.dial(t)
	r.oneByOne(t, 20)
	if readers, _ := s.callers(); readers > 0 {
		t.Errorf("the reader has served %d of 20 calls", readers)
	}
}

// A client that is alone is read on at once, and keeps no other waiting.
func TestAloneBesideOthers(t *testing.T) {
	s := onTCP(t, usual)
	r := s.dial(t)
	_ = r.framer.WriteWindowUpdate(0, 1<<28) // a fast machine uses the usual window up; a buffer never fails
	over, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-stop:
				return
			default:
				r.oneByOne(t, 20)
			}
		}
	}()
	for range 20 {
		s.dial(t).oneByOne(t, 3)
		time.Sleep(5 * time.Millisecond) // the first one is alone again
	}
	close(stop)
	<-over
}
