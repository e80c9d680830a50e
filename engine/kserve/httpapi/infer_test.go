package httpapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
	"conch/engine/tensor"
)

const addOne = `{"inputs":[{"name":"IN","shape":[1,3],"datatype":"INT32","data":[1,2,3]}]}`

func post(handler http.Handler, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func inflate(t *testing.T, encoding string, body []byte) string {
	var (
		r   io.Reader = bytes.NewReader(body)
		err error
	)
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "deflate":
		r, err = zlib.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The choices are those of Triton 2.51.0, except that Triton skips a q with a blank before it.
func TestReplyEncoding(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "deflate": "deflate", "gzip, deflate": "gzip", "deflate, gzip": "deflate",
		"gzip;q=0.5, deflate;q=0.6": "deflate", "identity, gzip": "", "gzip;q=0": "", "*": "", "GZIP": "",
		"br, gzip": "gzip", "gzip;q=x": "", "identity;q=0.5,gzip;q=0.4": "", "gzip; q=0.3": "gzip",
	} {
		w := post(handler, strings.NewReader(addOne), "Accept-Encoding", accept)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q gives %q, want %q", accept, got, want)
		}
		if text := inflate(t, want, w.Body.Bytes()); !strings.Contains(text, `"data":[1,2,3]`) {
			t.Errorf("Accept-Encoding %q gives %s", accept, text)
		}
	}
}

func TestCompressedRequest(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{MaxInput: 1 << 16})
	squeeze := func(text, encoding string) io.Reader {
		var out bytes.Buffer
		var w io.WriteCloser = gzip.NewWriter(&out)
		if encoding == "deflate" {
			w = zlib.NewWriter(&out)
		}
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return &out
	}
	for _, encoding := range []string{"gzip", "deflate"} {
		if w := post(handler, squeeze(addOne, encoding), "Content-Encoding", encoding); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
		bomb := `{"x":"` + strings.Repeat("a", 1<<20) + `"}`
		w := post(handler, squeeze(bomb, encoding), "Content-Encoding", encoding)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "exceeds the maximum") {
			t.Errorf("%s of too much: %d %s", encoding, w.Code, w.Body)
		}
	}
}

// unread fails the test when it is read before the answer is sent.
type unread struct {
	t *testing.T
	w *httptest.ResponseRecorder
}

func (u unread) Read([]byte) (int, error) {
	if u.w.Body.Len() == 0 {
		u.t.Error("the body was read")
	}
	return 0, io.EOF
}

func TestTooLargeIsRefusedUnread(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{MaxInput: 100, MaxBody: 1000})
	for name, header := range map[string]string{"JSON": "", "binary tail": "50", "JSON part": "200"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/v2/models/m/infer", unread{t, w})
		r.ContentLength = 2000
		if name == "JSON part" {
			r.ContentLength = 900
		}
		if header != "" {
			r.Header.Set("Inference-Header-Content-Length", header)
		}
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// A client that sends everything before it reads gets the error text, not a broken connection.
func TestRefusalReachesAClientThatSends(t *testing.T) {
	onBothRoads(t, testRefusalReachesAClientThatSends)
}

func testRefusalReachesAClientThatSends(t *testing.T, serve func(*http.Server) string) {
	address := serve(httpapi.NewServer(kservetest.Identity(), httpapi.Options{MaxInput: 100, MaxBody: 1000}))
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	const size = 20 << 20
	fmt.Fprintf(connection, "POST /v2/models/m/infer HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", size)
	if _, err := io.Copy(connection, io.LimitReader(zeros{}, size)); err != nil {
		t.Fatalf("sending: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "exceeds the maximum allowed input size of 100 bytes") {
		t.Errorf("%s %s", answer.Status, text)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestBrokenConnectionWhileReading(t *testing.T) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	w := post(handler, io.MultiReader(strings.NewReader(addOne[:20]), errReader{}))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "failed to read the request body") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestModelThatDoesNotAnswer(t *testing.T) {
	svc := kservetest.Identity()
	svc.InferFunc = func(context.Context, *infer.Request, infer.Sink) error { return nil }
	if w := post(httpapi.New(svc, httpapi.Options{}), strings.NewReader(addOne)); w.Code != http.StatusInternalServerError {
		t.Errorf("no answer: %d %s", w.Code, w.Body)
	}
}

// All parts of a request reach the engine.
func TestRequestReachesEngine(t *testing.T) {
	var got infer.Request
	svc := kservetest.Identity()
	svc.InferFunc = func(_ context.Context, r *infer.Request, _ infer.Sink) error {
		got = *r
		return infer.Errorf(infer.Unavailable, "queue full")
	}
	w := post(httpapi.New(svc, httpapi.Options{}), strings.NewReader(`{"id":"7","parameters":{"sequence_id":5,"sequence_end":true,
		"priority":3,"timeout":1500,"custom":1.5},"inputs":[{"name":"S","shape":[2],"datatype":"BYTES","data":["a",["bc"]]}],
		"outputs":[{"name":"A","parameters":{"classification":3}},{"name":"B"}]}`))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got.ID != "7" || got.Model != "m" || got.Version != infer.Latest || got.Priority != 3 || got.Timeout.Microseconds() != 1500 {
		t.Errorf("request %+v", got)
	}
	if got.Sequence != (infer.Sequence{ID: 5, End: true}) || got.Parameters["custom"] != 1.5 || got.Received.IsZero() {
		t.Errorf("sequence %+v, parameters %v", got.Sequence, got.Parameters)
	}
	if len(got.Outputs) != 2 || got.Outputs[0] != (infer.RequestedOutput{Name: "A", Classes: 3}) {
		t.Errorf("outputs %+v", got.Outputs)
	}
	in := got.Input("S")
	if in == nil || in.Type != tensor.Bytes || string(in.Data) != "\x01\x00\x00\x00a\x02\x00\x00\x00bc" {
		t.Errorf("input %+v", in)
	}
}

// No body of /infer may cause a crash or an answer that is not JSON.
func FuzzInfer(f *testing.F) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{MaxInput: 1 << 16})
	f.Add([]byte(addOne), "", "")
	f.Add([]byte(`{"inputs":[{"name":"IN","shape":[1,3],"datatype":"INT32","parameters":{"binary_data_size":4}}]}abcd`), "95", "")
	f.Add([]byte("\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00"), "0", "")
	f.Add([]byte(`{"inputs":[{"name":"IN","shape":[99999999999,99999999999],"datatype":"FP64","data":[NaN,[],{}]}]}`), "", "gzip")
	f.Fuzz(func(t *testing.T, body []byte, length, encoding string) {
		w := post(handler, bytes.NewReader(body), "Inference-Header-Content-Length", length, "Content-Encoding", encoding)
		if w.Code == http.StatusOK {
			return
		}
		var reply struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil || reply.Error == "" {
			t.Fatalf("%d %q: %v", w.Code, w.Body, err)
		}
	})
}

func BenchmarkInferJSON(b *testing.B) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	values := strings.Repeat("0.12345678,", 99999) + "1"
	benchmark(b, handler, `{"inputs":[{"name":"IN","shape":[1,100000],"datatype":"FP32","data":[`+values+`]}]}`)
}

func BenchmarkInferBinary(b *testing.B) {
	handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
	head := `{"inputs":[{"name":"IN","shape":[1,100000],"datatype":"FP32","parameters":{"binary_data_size":400000}}],` +
		`"outputs":[{"name":"OUT","parameters":{"binary_data":true}}]}`
	benchmark(b, handler, head+strings.Repeat("\x00", 400000), "Inference-Header-Content-Length", strconv.Itoa(len(head)))
}

func BenchmarkInferSmall(b *testing.B) {
	benchmark(b, httpapi.New(kservetest.Identity(), httpapi.Options{}), addOne)
}

func benchmark(b *testing.B, handler http.Handler, body string, headers ...string) {
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if w := post(handler, strings.NewReader(body), headers...); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
