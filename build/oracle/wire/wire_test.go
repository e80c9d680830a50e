package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestDifferencesAreWritten: docs/triton/differences.md names the cases in which Conch answers otherwise, and no others.
func TestDifferencesAreWritten(t *testing.T) {
	if err := CheckList(root); err != nil {
		t.Error(err)
	}
}

// The list is told what it lacks, and what it has too much.
func TestListIsCompared(t *testing.T) {
	cases := []*Case{
		{Name: "infer/same", Steps: []Step{{Triton: "1\n"}}},
		{Name: "infer/other", Steps: []Step{{Triton: "1\n"}, {Triton: "2\n", Conch: "3\n"}}},
	}
	if err := compare(cases, []string{"infer/other"}); err != nil {
		t.Error(err)
	}
	for listed, want := range map[string]string{
		"":                       "infer/other has a section",
		"infer/other infer/same": "lists infer/same",
		"infer/other infer/gone": "lists infer/gone, which is not a case",
	} {
		if err := compare(cases, strings.Fields(listed)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", listed, err, want)
		}
	}
}

// Every case has the real server's answers, but for those of the engine that say nothing about a whole server.
func TestCasesAreRecorded(t *testing.T) {
	played, err := Cases(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range played {
		for _, s := range c.Steps {
			word, _, _ := strings.Cut(s.Request, " ")
			if s.Triton == "" && word != "memory" && word != "file" {
				t.Errorf("%s%s has no section %q: run make wire", c.Name, s.number, ofTriton)
			}
		}
	}
	var all []*Case
	for _, folder := range Folders[:2] {
		cases, err := Read(root + "/" + folder)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, cases...)
	}
	for name := range elsewhere {
		at := slices.IndexFunc(all, func(c *Case) bool { return c.Name == name })
		if at < 0 || all[at].Steps[0].Triton != "" {
			t.Errorf("%s is not played on a whole server, but it is no case, or it is recorded", name)
		}
	}
}

// What counts as wrong depends on whose answer it is.
func TestJudge(t *testing.T) {
	same, other := Step{Triton: "1\n"}, Step{Triton: "1\n", Conch: "2\n"}
	conch, real, somebody := &Run{}, &Run{Program: Program{Real: true}}, &Run{At: &Server{}}
	for _, c := range []struct {
		run    *Run
		step   Step
		answer string
		wrong  bool
	}{
		{conch, same, "1\n", false}, {conch, same, "2\n", true},
		{conch, other, "2\n", false}, {conch, other, "1\n", true}, {conch, other, "3\n", true},
		{real, other, "1\n", false}, {real, other, "2\n", true},
		{somebody, other, "1\n", false}, {somebody, other, "2\n", false}, {somebody, other, "3\n", true},
		{conch, Step{}, "1\n", true},
	} {
		if got := c.run.judge(&c.step, c.answer); got.wrong != c.wrong {
			t.Errorf("%+v on %+v: %s", c.step, c.run.Program, got.words)
		}
	}
}

// A request is sent as it is written, and the answer is read behind one that only says that it will come.
func TestRequestsAreSentAsWritten(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	sent := make(chan []byte, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		text := make([]byte, 4096)
		n, _ := io.ReadAtLeast(conn, text, 1)
		sent <- text[:n]
		_, _ = conn.Write([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nx\x01"))
	}()
	request := "POST /v2 HTTP/1.0\nHost: -\nx-a: 1\n\n\\x00b\n"
	got, err := overHTTP(context.Background(), listener.Addr().String(), request, false)
	if err != nil || got != "200\nContent-Type: a/b\n\nx\\x01\n" {
		t.Errorf("%v %q", err, got)
	}
	want := []byte("POST /v2 HTTP/1.0\r\nx-a: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n\x00b")
	if got := <-sent; !bytes.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// What differs from run to run does not count; a 0 does.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		`{"count":2,"ns":0},{"count":0,"ns":0}`:  `{"count":2,"ns":N},{"count":0,"ns":0}`,
		`{"count":"2","ns":"77"},{"count":"2"}`:  `{"count":"2","ns":N},{"count":"2","ns":N}`,
		`"last_inference":0,"lastInference":"5"`: `"last_inference":0,"lastInference":N`,
		`"version":"2.51.0","extensions":[]`:     `"version":"VERSION","extensions":[]`,
		`At: /a/b/loaded/1/model.py(3)`:          `At: REPOSITORY/loaded/1/model.py(3)`,
	} {
		if got := plain(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	for line, want := range map[string]string{
		`nv_inference_count{model="m"} 3`:                       `nv_inference_count{model="m"} 3`,
		`nv_inference_queue_duration_us{model="m"} 12`:          `nv_inference_queue_duration_us{model="m"} N`,
		`nv_first_ms_bucket{model="m",le="100"} 1`:              `nv_first_ms_bucket{model="m",le="100"} N`,
		`nv_first_ms_count{model="m"} 1`:                        `nv_first_ms_count{model="m"} 1`,
		`nv_cpu_utilization 0.25`:                               `nv_cpu_utilization N`,
		`nv_inference_request_summary_us{quantile="0.5"} 1e+16`: `nv_inference_request_summary_us{quantile="0.5"} N`,
		`nv_inference_request_summary_us{quantile="0.5"} Nan`:   `nv_inference_request_summary_us{quantile="0.5"} Nan`,
		`nv_inference_request_summary_us_count{model="m"} 0`:    `nv_inference_request_summary_us_count{model="m"} 0`,
	} {
		if got := steady(line); got != want {
			t.Errorf("%s became %s, want %s", line, got, want)
		}
	}
}
