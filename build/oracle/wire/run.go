package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folders are where cases are, from the root of the tree. Those of the engine are also played without a network, by the
// tests of the parts that speak HTTP.
var Folders = []string{
	"engine/kserve/testdata/http", "engine/kserve/testdata/settings", "build/oracle/wire/testdata/transport",
	"build/oracle/wire/testdata/infer", "build/oracle/wire/testdata/grpc", "build/oracle/wire/testdata/repository",
	"build/oracle/wire/testdata/memory", "build/oracle/wire/testdata/metrics", "build/oracle/wire/testdata/flags",
}

// elsewhere are cases of the engine that say nothing about a whole server, and why.
var elsewhere = map[string]string{
	"http/binary_header_beyond_limit": "its server has a limit of 4 KB",
	"http/generate_too_large":         "its server has a limit of 4 KB",
	"http/json_too_large":             "its server has a limit of 4 KB",
	"http/logging_off":                "only a part of a server has no log",
	"http/trace_off":                  "only a part of a server has no tracer",
	"http/trace_model_off":            "only a part of a server has no tracer",
	"http/index":                      "its models are of the test; repository/index is played",
	"http/index_named_repository":     "its models are of the test; repository/index is played",
	"http/index_ready":                "its models are of the test; repository/index is played",
	"http/stats_all":                  "its counts are of the test; metrics/statistics is played",
	"http/stats_model":                "its counts are of the test; metrics/statistics is played",
	"http/load":                       "other cases need the model; repository/load is played",
	"http/load_config":                "other cases need the model; repository/load_config is played",
	"http/unload":                     "other cases need the model; repository/unload is played",
	"http/unload_bad_json":            "other cases need the model; repository/unload_bad_json is played",
	"http/unload_dependents":          "other cases need the model; repository/unload_dependents is played",
}

// afresh puts the settings of a server back after a case that changes them.
var afresh = []string{
	`POST /v2/trace/setting` + "\n\n" + `{"trace_level":["OFF"],"trace_rate":"1000","trace_count":"-1","log_frequency":"0"}`,
	`POST /v2/models/m/trace/setting` + "\n\n" + `{"trace_level":null,"trace_rate":null,"trace_count":null,"log_frequency":null}`,
	`POST /v2/logging` + "\n\n" + `{"log_info":true,"log_warning":true,"log_error":true,"log_verbose_level":0,"log_format":"default"}`,
}

// Run plays cases and tells what came of them.
type Run struct {
	Root    string // of the tree
	Program Program
	// At is a server that somebody started; the cases with flags of their own are left out then.
	At     *Server
	Record bool
	Only   string // part of the names of the cases that are played; all where empty
	Out    io.Writer

	running *Running
	work    string
	counts  map[string]int
	wrong   []string
}

// Cases are all cases that are played on a whole server.
func Cases(root string) ([]*Case, error) {
	var all []*Case
	for _, folder := range Folders {
		cases, err := Read(filepath.Join(root, folder))
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if elsewhere[c.Name] == "" {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// All plays the cases. It fails when an answer is not the one that is written.
func (r *Run) All(ctx context.Context) error {
	cases, err := Cases(r.Root)
	if err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "conch-wire-"); err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { _ = os.RemoveAll(r.work) }()
	if err := Lay(filepath.Join(r.work, "models")); err != nil {
		return err
	}
	if err := makeCertificates(filepath.Join(r.work, certificates)); err != nil {
		return err
	}
	defer r.stop()
	r.counts = map[string]int{}
	for _, c := range cases {
		if !strings.Contains(c.Name, r.Only) {
			continue
		}
		word, err := r.one(ctx, c)
		if err != nil {
			return fmt.Errorf("play %s: %w", c.Name, err)
		}
		r.counts[word]++
	}
	return r.report()
}

func (r *Run) report() error {
	for _, word := range slices.Sorted(maps.Keys(r.counts)) {
		_, _ = fmt.Fprintf(r.Out, "%4d %s\n", r.counts[word], word)
	}
	if len(r.wrong) > 0 {
		return fmt.Errorf("%d cases have another answer than the one that is written: %s", len(r.wrong), strings.Join(r.wrong, ", "))
	}
	return nil
}

// one plays a case and gives a word for what came of it.
func (r *Run) one(ctx context.Context, c *Case) (string, error) {
	if r.At != nil && c.Flags != nil {
		return "need a server with flags of their own, and were left out", nil
	}
	if r.At != nil && c.Deadly() {
		return "end Triton 24.10, and were left out", nil
	}
	answers, err := r.answers(ctx, c)
	if err != nil {
		return "", err
	}
	for i := range answers {
		answers[i] = strings.ReplaceAll(answers[i], r.work, "WORK")
	}
	if r.Record {
		return "recorded", c.Record(answers, r.Program.Real)
	}
	word := ""
	for i, s := range c.Steps {
		told := r.judge(&s, answers[i])
		if told.wrong {
			_, _ = fmt.Fprintf(r.Out, "%s%s: %s\n%s\n--- request\n%s--- Triton 24.10\n%s", c.Name, s.number, told.words, c.About, s.Request, s.Triton)
			if s.Conch != "" {
				_, _ = fmt.Fprintf(r.Out, "--- Conch\n%s", s.Conch)
			}
			_, _ = fmt.Fprintf(r.Out, "--- this server\n%s\n", answers[i])
			r.wrong = append(r.wrong, c.Name+s.number)
		}
		if word == "" || told.words != same {
			word = told.words
		}
	}
	return word, nil
}

// verdict is what is said of an answer.
type verdict struct {
	words string
	wrong bool
}

const (
	same   = "answer as Triton 24.10"
	listed = "differ as docs/triton/differences.md says of Conch"
)

// judge compares an answer with those that are written.
func (r *Run) judge(s *Step, answer string) verdict {
	conch := r.At == nil && !r.Program.Real
	switch {
	case answer == s.Triton && conch && s.Conch != "":
		return verdict{`answer as Triton 24.10 now: remove the section "conch", and the case from docs/triton/differences.md`, true}
	case answer == s.Triton:
		return verdict{same, false}
	case answer == s.Conch && !r.Program.Real:
		return verdict{listed, false}
	case s.Triton == "":
		return verdict{"are not recorded: run make wire with the real server", true}
	}
	return verdict{"differ", true}
}

// answers plays a case on the server of all, or on one of its own.
func (r *Run) answers(ctx context.Context, c *Case) ([]string, error) {
	if r.At != nil {
		return r.shared(ctx, *r.At, c)
	}
	if c.Flags != nil {
		return r.alone(ctx, c)
	}
	if r.running != nil && r.running.Ended() {
		r.stop()
	}
	if r.running == nil {
		running, err := r.Program.Start(ctx, filepath.Join(r.work, "models"), r.log("shared"), Common)
		if err != nil {
			return nil, err
		}
		r.running = running
		if len(running.Opens) < 3 {
			return nil, fmt.Errorf("the server opened only the ports %v; see its log:\n%s", running.Opens, r.logged("shared"))
		}
	}
	answers, err := r.shared(ctx, r.running.Server, c)
	if slices.Contains(answers, noAnswer) { // it is ending
		r.stop()
	}
	return answers, err
}

func (r *Run) shared(ctx context.Context, server Server, c *Case) ([]string, error) {
	answers, err := Play(ctx, server, c)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(c.Name, "settings/") {
		for _, request := range afresh {
			if _, err := once(ctx, server, request); err != nil {
				return nil, fmt.Errorf("put the settings back: %w", err)
			}
		}
	}
	return answers, nil
}

// starts is the request of a case with flags that asks how the start went; only files that the start needs come before it.
const starts = "start\n"

// alone plays a case on a server with its flags.
func (r *Run) alone(ctx context.Context, c *Case) ([]string, error) {
	steps, answers := c.Steps, []string(nil)
	if err := afreshFolder(filepath.Join(r.work, more)); err != nil {
		return nil, err
	}
	for ; strings.HasPrefix(steps[0].Request, "file "); steps = steps[1:] {
		answer, err := once(ctx, Server{Work: r.work}, steps[0].Request)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	running, err := r.Program.Start(ctx, filepath.Join(r.work, "models"), r.log("alone"), c.flags(r.work))
	if err != nil {
		return nil, err
	}
	defer running.Stop()
	running.Work, running.process = r.work, running
	if steps[0].Request == starts {
		steps = steps[1:]
		opened := "does not start\n"
		if len(running.Opens) > 0 {
			opened = "opens " + strings.Join(running.Opens, " ") + "\n"
		}
		answers = append(answers, opened)
	}
	rest, err := Play(ctx, running.Server, &Case{Name: c.Name, Steps: steps})
	if err != nil {
		return nil, errors.Join(err, errors.New(r.logged("alone")))
	}
	return append(answers, rest...), nil
}

// flags are the case's, where WORK stands for a folder that is there for the run.
func (c *Case) flags(work string) []string {
	all := []string{"--exit-timeout-secs=1"}
	for _, flag := range c.Flags {
		all = append(all, strings.ReplaceAll(flag, "WORK", work))
	}
	return all
}

func (r *Run) log(name string) string { return filepath.Join(r.work, name+".log") }

func (r *Run) logged(name string) string {
	text, _ := os.ReadFile(r.log(name))
	return string(text)
}

func (r *Run) stop() {
	if r.running != nil {
		r.running.Stop()
		r.running = nil
	}
}
