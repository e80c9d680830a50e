package modelfile_test

import (
	"bytes"
	"strings"
	"testing"

	"conch/configedit/check/checktest"
	"conch/configedit/modelfile"
)

func TestReadPlan(t *testing.T) {
	good := checktest.Plan("plan 10.3.0.26")
	p, err := modelfile.ReadPlan(bytes.NewReader(good), int64(len(good)))
	if err != nil || p.Version != "10.3.0.26" {
		t.Errorf("%+v, %v", p, err)
	}
	good[4] = 9 // a form that is not known
	if p, err := modelfile.ReadPlan(bytes.NewReader(good), int64(len(good))); err != nil || p.Format != 9 || p.Version != "" {
		t.Errorf("%+v, %v", p, err)
	}
	onnx := "\x08\x08\x3a\x00" // an IR version and an empty graph
	for content, want := range map[string]string{
		"": "empty", "ftrt and": "cut off", "\x00\x00\x00\x00": "does not begin", onnx: "an ONNX model",
		"PK\x03\x04": "an archive", "version https://git-lfs.github.com/spec/v1\noid": "git lfs pull",
	} {
		_, err := modelfile.ReadPlan(strings.NewReader(content), int64(len(content)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
	if _, err := modelfile.ReadPlan(strings.NewReader("ft"), 40); err == nil {
		t.Error("cut while it was read: no error")
	}
}

func FuzzReadPlan(f *testing.F) {
	f.Add(checktest.Plan("plan 8.6.1.6"))
	f.Add([]byte("ftrt"))
	f.Add([]byte("\x08\x08\x3a\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := modelfile.ReadPlan(bytes.NewReader(data), int64(len(data)))
		if (p == nil) == (err == nil) {
			t.Fatalf("plan %v, error %v", p, err)
		}
	})
}
