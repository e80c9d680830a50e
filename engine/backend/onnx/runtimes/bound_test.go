package runtimes_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"conch/engine/backend/onnx/runtimes"
	"conch/engine/backend/python/environments/wheeltest"
)

// claims has each file of a wheel say in the wheel's directory that it unpacks to so many bytes.
func claims(t *testing.T, file string, size uint32) {
	t.Helper()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for next := 0; ; {
		found := bytes.Index(whole[next:], []byte("PK\x01\x02")) // at 24 behind it is the unpacked size
		if found < 0 {
			break
		}
		binary.LittleEndian.PutUint32(whole[next+found+24:], size)
		next += found + 4
	}
	if err := os.WriteFile(file, whole, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What two wheels of a build unpack to is bounded together: none of them is too large alone.
func TestWheelsAreBoundedTogether(t *testing.T) {
	index := wheeltest.New(t)
	index.Add(t, "onnxruntime", "1.30.0", map[string]string{mainPart: "library"})
	index.Add(t, "onnxruntime_ep_openvino", "1.8.1", map[string]string{"onnxruntime_ep_openvino/libopenvino.so.2641": "OpenVINO"})
	claims(t, filepath.Join(index.Dir, "onnxruntime_ep_openvino-1.8.1-py3-none-any.whl"), (4<<30)/4) // of its four files
	refused(t, storeIn(t.TempDir(), probeQuick), quiet(index.Dir), "onnxruntime_ep_openvino-1.8.1", "would unpack to more than 4.0 GiB")
}

// large is a package index with a small wheel and one that says that it has so many bytes.
type large struct {
	wheel []byte // the small one
	sum   string
	says  int64
	asked atomic.Int64
}

const (
	smallName = "onnxruntime-1.30.0-py3-none-any.whl"
	largeName = "onnxruntime_ep_openvino-1.8.1-py3-none-any.whl"
)

func (l *large) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/simple/onnxruntime/":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="/files/%s#sha256=%s">%s</a>`, smallName, l.sum, smallName)
	case "/simple/onnxruntime-ep-openvino/":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="/files/%s#sha256=%s">%s</a>`, largeName, strings.Repeat("0", 64), largeName)
	case "/files/" + smallName:
		_, _ = w.Write(l.wheel)
	case "/files/" + largeName:
		l.asked.Add(1)
		w.Header().Set("Content-Length", fmt.Sprint(l.says))
		_, _ = w.Write(make([]byte, 1000))
	}
}

// What two packages of a build download is bounded together, by what the server says before they come.
func TestDownloadsAreBoundedTogether(t *testing.T) {
	anIndex(t)
	file := writeWheel(t, aWheel())
	wheel, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := runtimes.SumOf(file)
	if err != nil {
		t.Fatal(err)
	}
	index := &large{wheel: wheel, sum: sum, says: (4 << 30) - int64(len(wheel)) + 1}
	server := httptest.NewServer(index)
	t.Cleanup(server.Close)
	t.Setenv("PIP_INDEX_URL", server.URL+"/simple")
	s := storeIn(t.TempDir(), probeQuick)
	second := runtimes.OfferFor("", "onnxruntime-ep-openvino", "1.8.1", "")
	w := runtimes.Wanted{Offer: runtimes.OfferFor("openvino", "onnxruntime", "1.30.0", "").With(second), Tell: func(string) {}}
	refused(t, s, w, "download onnxruntime-ep-openvino 1.8.1: the whole build would download more than 4.0 GiB, which is refused")
	noParts(t, s)
	if asked := index.asked.Load(); asked != 1 {
		t.Errorf("the server was asked %d times", asked)
	}
}

// pip tells no size beforehand: it is ended when more than that lies there, and what it has brought is measured.
func TestPipIsBounded(t *testing.T) {
	for name, does := range map[string]string{
		"while it downloads": `truncate -s 9G "$TMPDIR/part"; exec sleep 600`,
		"afterwards":         `truncate -s 5G wheel/onnxruntime-1.30.0-py3-none-any.whl`,
	} {
		pip := filepath.Join(t.TempDir(), "python")
		script := "#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; *find_best_candidate*) exit 3;; esac\n" + does + "\n"
		if err := os.WriteFile(pip, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv(runtimes.PythonVariable, pip)
		w := runtimes.Wanted{Offer: runtimes.OfferFor("cpu", "onnxruntime", "1.30.0", ""), Tell: func(string) {}}
		t.Log(name)
		refused(t, storeIn(t.TempDir(), probeQuick), w, "download onnxruntime 1.30.0: the whole build would download more than 4.0 GiB")
	}
}

// Where the size of a download is not known beforehand, the bound is told before it begins.
func TestBoundIsTold(t *testing.T) {
	offer, err := runtimes.OfferOf("cpu")
	if err != nil {
		t.Fatal(err)
	}
	if weight, err := offer.At("1.99.0").Weight(); err != nil || !strings.HasSuffix(weight, ", and more than 4.0 GiB is refused") {
		t.Errorf("%q, %v", weight, err)
	}
}

// A folder is measured before it is copied, and the copy ends when it is stopped.
func TestFoldersAreBounded(t *testing.T) {
	from := folderOf(t, "library")
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("it was stopped"))
	if _, err := storeIn(t.TempDir(), probeQuick).Install(stopped, quiet(from)); err == nil || !strings.Contains(err.Error(), "it was stopped") {
		t.Errorf("a copy that is stopped: %v", err)
	}
	file, err := os.Create(filepath.Join(from, "libonnxruntime_providers_cuda.so"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(5_000_000_000), file.Close()); err != nil {
		t.Fatal(err)
	}
	s := storeIn(t.TempDir(), probeQuick)
	refused(t, s, quiet(from), "have more than 4.0 GiB")
	noParts(t, s)
}

// What is neither a wheel nor a folder is not read: a pipe would never end.
func TestOtherKindsOfFiles(t *testing.T) {
	refused(t, storeIn(t.TempDir(), probeQuick), quiet(os.DevNull), "is neither a wheel nor a folder")
}
