package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

// many returns a body with count entries, each made from its number.
func many(count int, before, entry, after string) string {
	var b strings.Builder
	b.WriteString(before)
	for i := range count {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, entry, i)
	}
	b.WriteString(after)
	return b.String()
}

// Any long list takes time in proportion to its length. 80,000 inputs took 11 s when each was compared with all
// others.
func TestLongListsTakeTheirLength(t *testing.T) {
	const before = `{"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[1]}],`
	for name, parts := range map[string][3]string{
		"inputs":      {`{"inputs":[`, `{"name":"i%d","shape":[1],"datatype":"INT8","data":[1]}`, `]}`},
		"outputs":     {before + `"outputs":[`, `{"name":"o%d"}`, `]}`},
		"one output":  {before + `"outputs":[`, `{"name":"OUT","parameters":{"n":%d}}`, `]}`},
		"parameters":  {before + `"parameters":{`, `"p%d":1`, `}}`},
		"extents":     {`{"inputs":[{"name":"IN","shape":[`, `1,%d`, `],"datatype":"INT8","data":[1]}]}`},
		"rows":        {`{"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[`, `[%d]`, `]}]}`},
		"other names": {`{`, `"m%d":{"a":[1,{}]}`, `}`},
	} {
		handler := httpapi.New(kservetest.Identity(), httpapi.Options{})
		kservetest.Linear(t, name, 10_000, func(count int) func() {
			body := many(count, parts[0], parts[1], parts[2])
			return func() { post(handler, strings.NewReader(body)) }
		})
	}
}

// Reading a request stops when its client has left. A model's execution goes on.
func TestReadingEndsWithTheConnection(t *testing.T) {
	svc := kservetest.Identity()
	svc.InferFunc = func(context.Context, *infer.Request, infer.Sink) error {
		t.Error("a request without a client reached the engine")
		return nil
	}
	handler := httpapi.New(svc, httpapi.Options{})
	for _, body := range []string{
		many(10_000, `{"inputs":[`, `{"name":"i%d","shape":[1],"datatype":"INT8","data":[1]}`, `]}`),
		many(10_000, `{"inputs":[],"outputs":[`, `{"name":"o%d"}`, `]}`),
	} {
		ctx, hangUp := context.WithCancel(t.Context())
		hangUp()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v2/models/m/infer", strings.NewReader(body)))
		if !strings.Contains(w.Body.String(), "the client closed the connection") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}
