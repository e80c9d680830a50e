package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"conch/engine/infer"
	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

// many is a body with so many entries, each made from its number.
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

// A long list of anything takes time in proportion to its length: 80,000 inputs took 11 s when each was compared
// with each.
func TestLongListsTakeTheirLength(t *testing.T) {
	const count = 80_000
	for name, body := range map[string]string{
		"inputs":      many(count, `{"inputs":[`, `{"name":"i%d","shape":[1],"datatype":"INT8","data":[1]}`, `]}`),
		"outputs":     many(count, `{"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[1]}],"outputs":[`, `{"name":"o%d"}`, `]}`),
		"one output":  many(count, `{"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[1]}],"outputs":[`, `{"name":"OUT","parameters":{"n":%d}}`, `]}`),
		"parameters":  many(count, `{"parameters":{`, `"p%d":1`, `},"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[1]}]}`),
		"extents":     many(count, `{"inputs":[{"name":"IN","shape":[`, `1,%d`, `],"datatype":"INT8","data":[1]}]}`),
		"rows":        many(count, `{"inputs":[{"name":"IN","shape":[1],"datatype":"INT8","data":[`, `[%d]`, `]}]}`),
		"other names": many(count, `{`, `"m%d":{"a":[1,{}]}`, `}`),
	} {
		began := time.Now()
		post(httpapi.New(kservetest.Identity(), httpapi.Options{}), strings.NewReader(body))
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%d %s took %s", count, name, took)
		}
	}
}

// A request is read no further when its client has gone; what a model has begun goes on.
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
