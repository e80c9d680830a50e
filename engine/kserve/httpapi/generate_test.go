package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/httpapi/shortcut"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/refusals"
	"conch/engine/kserve/tracing"
	"conch/engine/metrics/own"
	"conch/engine/tensor"
)

// numbered is the answer of "stream" with one value.
func numbered(n byte) *infer.Response {
	return &infer.Response{Model: "stream", Version: 1, Outputs: []tensor.Tensor{
		{Name: "N", Type: tensor.Int32, Shape: tensor.Shape{1}, Data: []byte{n, 0, 0, 0}},
	}}
}

// streaming serves a decoupled model over a connection.
func streaming(t *testing.T, infers func(ctx context.Context, sink infer.Sink) error, o kserve.Options) string {
	t.Helper()
	svc := kservetest.Identity()
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		r.Accepted = true
		return infers(ctx, sink)
	}
	return "http://" + listen(t, shortcut.Over(httpapi.NewServer(svc, httpapi.Options{Options: o}), nil)) + "/v2/models/stream/"
}

func ask(ctx context.Context, t *testing.T, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"N":9}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// An event reaches the client before the model makes the next one.
func TestEventsArriveAsTheyCome(t *testing.T) {
	read := make(chan struct{})
	url := streaming(t, func(_ context.Context, sink infer.Sink) error {
		for n := range byte(3) {
			if err := sink(numbered(n)); err != nil {
				return err
			}
			<-read
		}
		return sink(&infer.Response{Final: true})
	}, kserve.Options{})
	answer := ask(t.Context(), t, url+"generate_stream")
	lines := bufio.NewReader(answer.Body)
	for n := range 3 {
		line, err := lines.ReadString('\n')
		blank, _ := lines.ReadString('\n')
		if want := `data: {"N":` + string('0'+rune(n)) + `,"model_name":"stream","model_version":"1"}` + "\n"; line != want || blank != "\n" || err != nil {
			t.Fatalf("event %d is %q, %q, %v", n, line, blank, err)
		}
		read <- struct{}{}
	}
	if rest, err := io.ReadAll(lines); len(rest) > 0 || err != nil {
		t.Errorf("after the last event: %q, %v", rest, err)
	}
}

// An output whose name the answer has already is left out, as in Triton: generate has no other place for the facts of the
// answer. A parameter of the answer comes before an output.
func TestOutputsNamedAsFacts(t *testing.T) {
	answer := &infer.Response{Model: "stream", Version: 1, Final: true, Parameters: map[string]any{"P": int64(7), "model_version": "p"}}
	for _, name := range []string{"model_name", "id", "P", "model_version", "Q"} {
		answer.Outputs = append(answer.Outputs, tensor.Tensor{Name: name, Type: tensor.Int32, Shape: tensor.Shape{1}, Data: []byte{5, 0, 0, 0}})
	}
	url := streaming(t, func(_ context.Context, sink infer.Sink) error { return sink(answer) }, kserve.Options{})
	for sent, want := range map[string]string{
		`{"N":9,"id":"x"}`: `{"P":7,"Q":5,"id":"x","model_name":"stream","model_version":"1"}`,
		`{"N":9}`:          `{"P":7,"Q":5,"id":5,"model_name":"stream","model_version":"1"}`,
	} {
		got, err := http.Post(url+"generate", "application/json", strings.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		if body, _ := io.ReadAll(got.Body); string(body) != want {
			t.Errorf("%s: %s, want %s", sent, body, want)
		}
	}
}

// The first answer decides the status. Errors between answers are events, and others follow.
func TestErrorsAmongEvents(t *testing.T) {
	boom := &infer.Response{Err: infer.Errorf(infer.Unavailable, "boom")}
	const event = `data: {"N":1,"model_name":"stream","model_version":"1"}` + "\n\n"
	const failure = `data: {"error":"boom"}` + "\n\n"
	final := &infer.Response{Final: true}
	for name, c := range map[string]struct {
		answers []*infer.Response
		err     error
		status  int
		body    string
		whole   string // what generate answers
	}{
		"first":    {[]*infer.Response{boom, numbered(1), final}, nil, 400, failure + event, "produce exactly 1 response"},
		"between":  {[]*infer.Response{numbered(1), boom, numbered(1), final}, nil, 200, event + failure + event, "produce exactly 1 response"},
		"only":     {[]*infer.Response{boom, final}, nil, 400, failure, `{"error":"boom"}`},
		"failed":   {nil, boom.Err, 400, failure, `{"error":"boom"}`},
		"at last":  {[]*infer.Response{numbered(1)}, boom.Err, 200, event + failure, "produce exactly 1 response"},
		"turned":   {nil, &infer.Error{Code: infer.Unavailable, Message: "full", Fate: infer.TurnedAway}, 503, `{"error":"full"}`, `{"error":"full"}`},
		"internal": {nil, infer.Errorf(infer.Internal, "boom"), 400, failure, `{"error":"boom"}`},
	} {
		t.Run(name, func(t *testing.T) {
			url := streaming(t, func(_ context.Context, sink infer.Sink) error {
				for _, r := range c.answers {
					if err := sink(r); err != nil {
						return err
					}
				}
				return c.err
			}, kserve.Options{})
			stream := ask(t.Context(), t, url+"generate_stream")
			if body, err := io.ReadAll(stream.Body); stream.StatusCode != c.status || string(body) != c.body || err != nil {
				t.Errorf("stream: %d %q, %v", stream.StatusCode, body, err)
			}
			one := ask(t.Context(), t, url+"generate")
			if body, _ := io.ReadAll(one.Body); one.StatusCode != c.status || !strings.Contains(string(body), c.whole) {
				t.Errorf("generate: %d %q", one.StatusCode, body)
			}
		})
	}
}

// A request is kept among the refusals once, with what its client got, however many answers failed; and as one that ran where
// the failures of its model count it: an error among answers that go on is none of them.
func TestGenerationsAreRefusedOnce(t *testing.T) {
	boom := &infer.Response{Err: infer.Errorf(infer.Unavailable, "boom")}
	final := &infer.Response{Final: true}
	for name, c := range map[string]struct {
		answers    []*infer.Response
		err        error
		one, event string // what is kept of generate and of generate_stream
		ran        bool
	}{
		"answered":      {answers: []*infer.Response{numbered(1), final}},
		"two errors":    {answers: []*infer.Response{boom, boom, final}, one: "produce exactly 1 response", event: "boom"},
		"three answers": {answers: []*infer.Response{numbered(1), numbered(1), numbered(1), final}, one: "produce exactly 1 response"},
		"failed":        {err: boom.Err, one: "boom", event: "boom", ran: true},
		"at last":       {answers: []*infer.Response{numbered(1)}, err: boom.Err, one: "produce exactly 1 response", event: "boom", ran: true},
	} {
		t.Run(name, func(t *testing.T) {
			var log refusals.Log
			url := streaming(t, func(_ context.Context, sink infer.Sink) error {
				for _, r := range c.answers {
					if err := sink(r); err != nil {
						return err
					}
				}
				return c.err
			}, kserve.Options{Refusals: &log})
			for kind, want := range map[string]string{"generate": c.one, "generate_stream": c.event} {
				reader := log.Read()
				reader.Next()
				answer := ask(t.Context(), t, url+kind)
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					t.Fatal(err)
				}
				groups := reader.Next().Groups
				switch {
				case want == "" && len(groups) == 0:
				case want == "" || len(groups) != 1 || groups[0].Count != 1 || !strings.Contains(groups[0].Reason, want) || groups[0].Ran != c.ran:
					t.Errorf("%s is kept as %+v", kind, groups)
				}
			}
		})
	}
}

// A client that leaves ends its request, and nothing of it stays counted.
func TestLeavingEndsAGeneration(t *testing.T) {
	for _, kind := range []string{"generate", "generate_stream"} {
		t.Run(kind, func(t *testing.T) {
			memory := budget.Of(64 << 20)
			begun, ended := make(chan struct{}), make(chan error, 1)
			url := streaming(t, func(ctx context.Context, sink infer.Sink) error {
				err := sink(numbered(1))
				close(begun)
				<-ctx.Done()
				ended <- err
				return ctx.Err()
			}, kserve.Options{Memory: memory})
			ctx, leave := context.WithCancel(t.Context())
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, url+kind, strings.NewReader(`{"N":9}`))
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				if answer, err := http.DefaultClient.Do(r); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
			}()
			<-begun
			leave()
			<-gone
			if err := <-ended; err != nil {
				t.Errorf("the first answer: %v", err)
			}
			if !eventually(t, func() bool { return memory.Used() == 0 }) {
				t.Errorf("%d bytes stay counted", memory.Used())
			}
		})
	}
}

// eventually waits until something holds that happens after a test could hear of it.
func eventually(t *testing.T, holds func() bool) bool {
	t.Helper()
	for range 10_000_000 {
		if holds() {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// Answers are counted until they are sent, and no longer: an endless stream needs the memory of one answer.
func TestEventsAreCountedOneByOne(t *testing.T) {
	memory := budget.Of(1 << 20)
	const many = 200
	large := func() *infer.Response {
		r := numbered(0)
		r.Outputs[0].Shape, r.Outputs[0].Data = tensor.Shape{1 << 14}, make([]byte, 4<<14)
		return r
	}
	url := streaming(t, func(_ context.Context, sink infer.Sink) error {
		for range many {
			if err := sink(large()); err != nil {
				return err
			}
		}
		return sink(&infer.Response{Final: true})
	}, kserve.Options{Memory: memory})
	body, err := io.ReadAll(ask(t.Context(), t, url+"generate_stream").Body)
	if got := strings.Count(string(body), "data: {\"N\":[0,0,"); got != many || err != nil {
		t.Errorf("%d events, %v", got, err)
	}
}

// loaded is a service with metrics of a language model.
type loaded struct {
	*kservetest.Service
	readings []own.Reading
}

func (l loaded) OwnMetrics() []own.Reading { return l.readings }

// The load report is sent to those who ask for it, when the models tell of their cache.
func TestLoadReport(t *testing.T) {
	block := func(kind string, value float64) own.Reading {
		return own.Reading{Name: "nv_trt_llm_kv_cache_block_metrics", Labels: map[string]string{"kv_cache_block_type": kind, "model": "llm"}, Value: value}
	}
	whole := []own.Reading{block("used", 3), block("max", 4), block("tokens_per", 64), block("free", 1)}
	for _, c := range []struct {
		format   string
		readings []own.Reading
		want     string
	}{
		{"text", whole, "TEXT named_metrics.kv_cache_utilization=0.750000, named_metrics.max_token_capacity=256"},
		{"json", whole, `JSON {"named_metrics":{"kv_cache_utilization":0.75,"max_token_capacity":256}}`},
		{"", whole, ""}, {"TEXT", whole, ""}, {"text", whole[:2], ""}, {"text", nil, ""},
	} {
		for _, kind := range []string{"generate", "generate_stream"} {
			svc := loaded{kservetest.Identity(), c.readings}
			r := httptest.NewRequest(http.MethodPost, "/v2/models/m/"+kind, strings.NewReader(`{"IN":[1,2,3]}`))
			r.Header.Set("endpoint-load-metrics-format", c.format)
			w := httptest.NewRecorder()
			httpapi.New(svc, httpapi.Options{}).ServeHTTP(w, r)
			if got := w.Header().Get("endpoint-load-metrics"); got != c.want || w.Code != http.StatusOK {
				t.Errorf("%s, %q: %d %q, want %q", kind, c.format, w.Code, got, c.want)
			}
		}
	}
}

// Each event of a stream has times of its own in a trace, as in Triton.
func TestEventsHaveTheirOwnTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	tracer := tracing.New(tracing.Setting{Level: tracing.Timestamps, Rate: 1, Count: -1, File: path}, slog.New(slog.DiscardHandler), func(string) bool { return true })
	svc := kservetest.Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, sink infer.Sink) error {
		r.Trace.Begin("stream", 1, r)
		for _, n := range []byte{3, 2, 1} {
			if err := sink(numbered(n)); err != nil {
				return err
			}
		}
		return sink(&infer.Response{Model: "stream", Version: 1, Final: true})
	}
	r := httptest.NewRequest(http.MethodPost, "/v2/models/stream/generate_stream", strings.NewReader(`{"N":3}`))
	w := httptest.NewRecorder()
	httpapi.New(svc, httpapi.Options{Options: kserve.Options{Tracer: tracer}}).ServeHTTP(w, r)
	tracer.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	events := strings.Count(w.Body.String(), "data: ")
	if sent := strings.Count(string(text), `"HTTP_SEND_START"`); events != 3 || sent != events {
		t.Errorf("%d events, and times of %d:\n%s", events, sent, text)
	}
}
