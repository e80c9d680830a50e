package httpapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
	"conch/engine/tensor"
)

const binaryHead = `{"inputs":[{"name":"IN","shape":[%d],"datatype":"UINT8","parameters":{"binary_data_size":%d}}],` +
	`"outputs":[{"name":"OUT","parameters":{"binary_data":true}}]}`

// binary returns a request of the given size with its header.
func binary(size int) (body, length string) {
	head := fmt.Sprintf(binaryHead, size, size)
	return head + strings.Repeat("x", size), strconv.Itoa(len(head))
}

// All memory of a request is counted, in every form, and is free when the request has been answered. A request that
// can never fit is refused as too large, with an error that names the way out.
func TestMemoryOfARequest(t *testing.T) {
	const limit = 4 << 20
	zip := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text) // a buffer never fails
		_ = w.Close()
		return b.String()
	}
	large, length := binary(5 << 20)
	half, halfLength := binary(1 << 20)
	elements, elementsLength := binary(1 << 20)
	elements = strings.Replace(strings.ReplaceAll(elements, "x", "\x00"), `"UINT8"`, `"BYTES"`, 1)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"fits":                      {half, []string{"Inference-Header-Content-Length", halfLength}, 200},
		"too large":                 {large, []string{"Inference-Header-Content-Length", length}, 400},
		"strings of elements":       {elements, []string{"Inference-Header-Content-Length", elementsLength}, 400},
		"inflated":                  {zip(`{"inputs":[` + strings.Repeat(" ", 5<<20)), []string{"Content-Encoding", "gzip"}, 400},
		"members of a document":     {`{"a":{` + strings.Repeat(`"":0,`, 100_000) + `"":0}}`, nil, 400},
		"objects of a document":     {`{"a":[` + strings.Repeat(`{},`, 100_000) + `1]}`, nil, 400},
		"values as numbers":         {`{"inputs":[{"name":"IN","datatype":"FP64","shape":[500000],"data":[` + strings.Repeat("1,", 499_999) + `1]}]}`, nil, 400},
		"strings":                   {`{"inputs":[{"name":"IN","datatype":"BYTES","shape":[500000],"data":[` + strings.Repeat(`"",`, 499_999) + `""]}]}`, nil, 400},
		"many inputs":               {many(30_000, `{"inputs":[`, `{"name":"i%d","shape":[1],"datatype":"INT8","data":[1]}`, `]}`), nil, 400},
		"many outputs":              {many(30_000, `{"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[1]}],"outputs":[`, `{"name":"o%d"}`, `]}`), nil, 400},
		"an answer that is a large": {`{"inputs":[{"name":"IN","datatype":"FP64","shape":[100000],"data":[` + strings.Repeat("1e100,", 99_999) + `1]}]}`, nil, 200},
	} {
		memory := budget.Of(limit)
		handler := httpapi.New(kservetest.Identity(), httpapi.Options{Options: kserve.Options{Memory: memory}})
		w := post(handler, strings.NewReader(c.body), c.headers...)
		if w.Code != c.status || (c.status != 200 && !strings.Contains(w.Body.String(), "Use --request-memory-limit to increase the limit.")) {
			t.Errorf("%s: %d %.300s", name, w.Code, w.Body)
		}
		if memory.Used() != 0 {
			t.Errorf("%s: %d bytes are held after the answer", name, memory.Used())
		}
	}
}

// A request is refused, as from a full queue, while others hold all the memory, at any step.
func TestMemoryBesideOthers(t *testing.T) {
	body, length := binary(100_000)
	for taken := int64(0); ; taken += 50_000 {
		memory := budget.Of(1 << 20)
		others := memory.Open()
		others.Force(taken)
		w := post(httpapi.New(kservetest.Identity(), httpapi.Options{Options: kserve.Options{Memory: memory}}), strings.NewReader(body), "Inference-Header-Content-Length", length)
		if taken == 0 && w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if w.Code != http.StatusOK && (w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "raise --request-memory-limit")) {
			t.Errorf("beside %d: %d %s", taken, w.Code, w.Body)
		}
		if memory.Used() != taken {
			t.Errorf("beside %d: %d are held at the end", taken, memory.Used())
		}
		if taken > 1<<20 {
			return
		}
	}
}

// An answer is counted until its client has received it, and so is its request.
func TestAnswersAreCountedUntilTheyAreSent(t *testing.T) {
	memory := budget.Of(64 << 20)
	svc := kservetest.Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, sink infer.Sink) error {
		if !r.Counted {
			t.Error("the request is counted twice")
		}
		return sink(&infer.Response{Model: "m", Version: 1, Final: true, Outputs: []tensor.Tensor{
			{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{32 << 20}, Data: make([]byte, 32<<20)},
		}})
	}
	handler := httpapi.New(svc, httpapi.Options{Options: kserve.Options{Memory: memory}})
	w := &watching{ResponseRecorder: httptest.NewRecorder(), memory: memory}
	r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", strings.NewReader(strings.Replace(addOne, `{"inputs"`, `{"parameters":{"binary_data_output":true},"inputs"`, 1)))
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.held < 32<<20 || memory.Used() != 0 {
		t.Errorf("%d, %d bytes were held while it was sent, and %d after", w.Code, w.held, memory.Used())
	}
}

// watching records how much memory is held when an answer is written.
type watching struct {
	*httptest.ResponseRecorder
	memory *budget.Budget
	held   int64
}

func (w *watching) Write(b []byte) (int, error) {
	w.held = max(w.held, w.memory.Used())
	return w.ResponseRecorder.Write(b)
}

// A request that is refused in the middle of its body holds no memory any more, even while its client goes on
// sending.
func TestARefusedRequestHoldsNothing(t *testing.T) {
	onBothRoads(t, func(t *testing.T, serve func(*http.Server) string) {
		memory := budget.Of(1 << 20)
		c, err := net.Dial("tcp", serve(httpapi.NewServer(kservetest.Identity(), httpapi.Options{Options: kserve.Options{Memory: memory}})))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		head := "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n"
		if _, err := io.WriteString(c, head+strings.Repeat(" ", 2<<20)); err != nil {
			t.Fatal(err)
		}
		reply, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || reply.StatusCode != http.StatusBadRequest {
			t.Fatalf("%v, %v", reply, err)
		}
		for end := time.Now().Add(10 * time.Second); memory.Used() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d bytes are held while the rest of the body is waited for", memory.Used())
			}
		}
	})
}

// A client that stops in the middle of its request gets an error, and its connection is closed. A slow client may go
// on while bytes come. An execution may take longer.
func TestPatience(t *testing.T) { onBothRoads(t, testPatience) }

func testPatience(t *testing.T, serve func(*http.Server) string) {
	const patience = time.Second
	svc := kservetest.Identity()
	answer := svc.InferFunc
	svc.InferFunc = func(ctx context.Context, r *infer.Request, sink infer.Sink) error {
		time.Sleep(2 * patience) // a slow model
		if err := ctx.Err(); err != nil {
			t.Error(err)
		}
		return answer(ctx, r, sink)
	}
	address := serve(httpapi.NewServer(svc, httpapi.Options{Options: kserve.Options{Patience: patience}}))
	dial := func(text string) net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		return c
	}
	head := fmt.Sprintf("POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", len(addOne))
	for name, begun := range map[string]string{"nothing": "", "half a header": "POST /v2", "no body": head, "a byte": head + "{"} {
		c := dial(begun)
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("after %s: the connection is held: %v", name, err)
		}
		c.Close()
	}
	c := dial(head)
	defer c.Close()
	for i := range 10 {
		time.Sleep(patience / 7) // a slow client: in all it takes longer than it may pause
		if _, err := io.WriteString(c, addOne[i*len(addOne)/10:(i+1)*len(addOne)/10]); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	reply, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("a slow client: %v, %v", reply, err)
	}
}
