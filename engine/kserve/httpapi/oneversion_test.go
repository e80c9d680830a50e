package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"conch/engine/kserve/httpapi"
	"conch/engine/kserve/kservetest"
)

// A raw body is read by the config of the version that runs it, even when the model changes while the body comes in.
// No version is entered while a client sends its request or reads its answer.
func TestRawRequestIsReadByTheVersionThatRunsIt(t *testing.T) {
	svc := kservetest.NewChanging()
	handler := httpapi.New(svc, httpapi.Options{})
	for range 20 {
		body := &slowBody{svc: svc, rest: bytes.NewReader(make([]byte, 16))}
		w := post(handler, body, "Inference-Header-Content-Length", "0")
		if w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if body.inside != 0 || svc.Inside.Load() != 0 {
			t.Errorf("%d inside while the body came in, %d after the answer", body.inside, svc.Inside.Load())
		}
	}
	if n := svc.Wrong.Load(); n != 0 {
		t.Errorf("%d of 20 requests were read by another version than ran them", n)
	}
	if w := post(handler, bytes.NewReader([]byte("{"))); w.Code == http.StatusOK || svc.Inside.Load() != 0 {
		t.Errorf("after a body that cannot be read: %d, %d inside", w.Code, svc.Inside.Load())
	}
}

// slowBody lets the model change at each read, a byte at a time.
type slowBody struct {
	svc    *kservetest.Changing
	rest   io.Reader
	reads  int
	inside int64
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.reads++; b.reads%2 == 0 {
		_, _ = b.svc.Config("m", 1)
	}
	b.inside = max(b.inside, b.svc.Inside.Load())
	return b.rest.Read(p[:min(len(p), 1)])
}
