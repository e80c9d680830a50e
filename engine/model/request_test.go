package model_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/tensor"
)

// sent is a request as a case file has it. Bytes makes data of that many zeros; Strings makes BYTES elements;
// Raw is data as it is.
type sent struct {
	ID     string
	Inputs []struct {
		Name    string
		Type    string
		Shape   []int64
		Bytes   int
		Strings []string
		Raw     []byte
	}
	Outputs []struct {
		Name    string
		Classes uint32
	}
}

// Each case of testdata/request is a config, a request and its result.
func TestRequests(t *testing.T) {
	golden.Each(t, "testdata/request", func(t *testing.T, c *golden.Case) {
		c.Want(outcome(t, c.Text(t, "config.pbtxt"), c.Text(t, "request.json")))
	})
}

func outcome(t *testing.T, config, request string) string {
	t.Helper()
	v := loadText(t, config)
	r := parseRequest(t, request)
	var answer strings.Builder
	err := v.Infer(t.Context(), r, func(resp *infer.Response) error {
		answer.WriteString("answered by " + resp.Model + "\n")
		for _, out := range resp.Outputs {
			answer.WriteString(out.Name + " " + out.Type.String() + " " + out.Shape.String() + show(out) + "\n")
		}
		return nil
	})
	if err != nil {
		return infer.CodeOf(err).String() + ": " + err.Error() + "\n"
	}
	return answer.String()
}

// show prints strings, which classification makes.
func show(t tensor.Tensor) string {
	if t.Type != tensor.Bytes {
		return ""
	}
	text := ""
	for rest := t.Data; len(rest) >= 4; {
		n := int(rest[0])
		text += " " + string(rest[4:4+n])
		rest = rest[4+n:]
	}
	return text
}

func loadText(t *testing.T, config string) *model.Version {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "m")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "1", fake.File), "fine")
	write(filepath.Join(dir, "labels.txt"), "zero\n\ntwo\n")
	v, err := load(&fake.Backend{}, model.Source{Name: "m", Dir: dir, ConfigPath: filepath.Join(dir, "config.pbtxt"), ConfigText: []byte(config)})
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func load(b backend.Backend, src model.Source) (*model.Version, error) {
	l := &model.Loader{Backends: map[string]backend.Backend{b.Name(): b}, Log: slog.New(slog.DiscardHandler)}
	definition, err := l.Define(src)
	if err != nil {
		return nil, err
	}
	dir := model.VersionDir{Number: 1, Dir: filepath.Join(src.Dir, "1")}
	return l.Load(context.Background(), definition, dir, func(string) {})
}

func parseRequest(t *testing.T, text string) *infer.Request {
	t.Helper()
	var s sent
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("request: %v", err)
	}
	r := &infer.Request{ID: s.ID, Model: "m", Version: infer.Latest}
	for _, in := range s.Inputs {
		dt, _ := tensor.ParseDataType(in.Type)
		data := append(make([]byte, in.Bytes), in.Raw...)
		for _, text := range in.Strings {
			data = append(append(data, byte(len(text)), 0, 0, 0), text...)
		}
		r.Inputs = append(r.Inputs, tensor.Tensor{Name: in.Name, Type: dt, Shape: in.Shape, Data: data})
	}
	for _, out := range s.Outputs {
		r.Outputs = append(r.Outputs, infer.RequestedOutput{Name: out.Name, Classes: out.Classes})
	}
	return r
}
