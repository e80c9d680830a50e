//go:build unix

package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
)

// shown shows a server by its address, and no repository.
func shown(t *testing.T, address string, p *Peer) *Window {
	t.Helper()
	w := OpenWith(t, app.Options{})
	attach(t, w, address, p)
	return w
}

func attach(t *testing.T, w *Window, address string, p *Peer) {
	t.Helper()
	Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: &api.Server{Name: "peer", Address: address, Metrics: p.Metrics}})
	Call(t, w.Servers.Attach, &api.AttachRequest{Name: "peer"})
}

func attached(s *Snapshot) bool {
	return s.Engine.GetState() == api.Engine_STATE_READY && s.State("add_sub") == api.ModelState_MODEL_STATE_READY && s.Models["add_sub"].Kind != ""
}

func silent(s *Snapshot) bool { return s.Engine.GetState() == api.Engine_STATE_SILENT }

// TestRenamedServer: a server that gets another name keeps its requests.
func TestRenamedServer(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	w := shown(t, p.GRPC, p)
	w.Until(t, "the server's models are shown", attached)
	if r := Call(t, w.Try.Infer, Sum()); !r.Ok {
		t.Fatalf("the request failed: %v", r)
	}
	server := &api.Server{Name: "better", Address: p.GRPC, Metrics: p.Metrics}
	Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: server, Replaces: "peer"})
	Call(t, w.Servers.Attach, &api.AttachRequest{Name: "better"})
	if list := Call(t, w.Try.ListHistory, &api.ListHistoryRequest{}); len(list.Entries) != 1 {
		t.Errorf("under its new name it has the requests %v", list.Entries)
	}
}

// TestServerIsShownAgain: the next start shows the server that was shown last, also when it is away, and none that was left.
func TestServerIsShownAgain(t *testing.T) {
	data := t.TempDir()
	start := func(opts app.Options) *Window {
		opts.DataDir = data
		return OpenWith(t, opts)
	}
	w := start(app.Options{Last: true})
	attach(t, w, "grpc://127.0.0.1:1", &Peer{})
	w.Close()
	w = start(app.Options{Last: true})
	w.Until(t, "the server is shown", func(s *Snapshot) bool { return silent(s) && s.Engine.Remote.GetName() == "peer" })
	w.Close()
	w = start(app.Options{Last: true, Repositories: []string{CopyExamples(t)}})
	w.Until(t, "the repository that was named is shown alone", func(s *Snapshot) bool { return s.Repository.GetName() != "" && s.Engine.Remote == nil })
	Call(t, w.Servers.Attach, &api.AttachRequest{})
	w.Close()
	w = start(app.Options{Last: true})
	w.Until(t, "this machine is shown again", func(s *Snapshot) bool { return s.Engine != nil && s.Engine.GetRemote() == nil })
}

// TestServerAlone: models, shapes, answers and figures come from the server.
func TestServerAlone(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	w := shown(t, p.GRPC, p)
	s := w.Until(t, "the server's models are shown", attached)
	if r := s.Engine.Remote; r.GetName() != "peer" || !r.Here || r.Address != "grpc://"+p.GRPC {
		t.Errorf("the server is %v", r)
	}
	if s.Repository.Name != "" || len(s.Repository.Roots) > 0 || s.Engine.ReloadNote != "" {
		t.Errorf("nothing is open, and told is %v, %q", s.Repository, s.Engine.ReloadNote)
	}
	if m := s.Models["digits"]; !m.GetServedOnly() || m.State != api.ModelState_MODEL_STATE_UNLOADED {
		t.Errorf("a model that is not loaded there is %v", m)
	}
	m := Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "add_sub"})
	if len(m.Inputs) != 2 || m.Inputs[0].Datatype != "INT32" || !m.FromEngine {
		t.Errorf("the model is %v", m)
	}
	if c := Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub"}); !strings.Contains(c.Text, "INPUT0") {
		t.Errorf("its config is %q", c.Text)
	}
	for range 3 {
		if r := Call(t, w.Try.Infer, Sum()); !r.Ok {
			t.Fatalf("the answer is %v", r)
		}
	}
	Call(t, w.Models.Load, &api.LoadRequest{Name: "digits"})
	w.Until(t, "a model is loaded there", func(s *Snapshot) bool { return s.State("digits") == api.ModelState_MODEL_STATE_READY })
	Call(t, w.Models.Unload, &api.UnloadRequest{Name: "digits"})
	w.Until(t, "it is unloaded", func(s *Snapshot) bool { return s.State("digits") == api.ModelState_MODEL_STATE_UNLOADED })
	if all := Call(t, w.Models.LoadAll, &api.LoadAllRequest{}); len(all.Loaded) != len(s.Models) || len(all.Failed) > 0 {
		t.Errorf("of %d models there, all that load are %v", len(s.Models), all)
	}
	AwaitMetrics(t, w)
}

// TestUntold: what a remote server does not tell is an answer of its own, in words.
func TestUntold(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	w := shown(t, p.GRPC, p)
	w.Until(t, "the server's models are shown", attached)
	told := []string{
		Refused(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "add_sub"}, connect.CodeUnimplemented),
		Refused(t, w.Models.StopLoad, &api.StopLoadRequest{Name: "add_sub"}, connect.CodeUnimplemented),
		Refused(t, w.Workspace.ListEnvironments, &api.ListEnvironmentsRequest{}, connect.CodeUnimplemented),
		Refused(t, w.Try.ListTracedTensors, &api.ListTracedTensorsRequest{TraceId: 1}, connect.CodeUnimplemented),
	}
	for _, text := range told {
		if !strings.Contains(text, "a remote server does not tell or do this") {
			t.Errorf("it says %q", text)
		}
	}
}

// TestNotExplicit: a server that loads no models on request says so in Triton's words, and Conch says once with
// which flag it would. For all models that is one answer.
func TestNotExplicit(t *testing.T) {
	p := StartPeer(t, CopyExamples(t), "--model-control-mode=none")
	for _, address := range []string{p.GRPC, "http://" + p.HTTP} {
		w := shown(t, address, p)
		w.Until(t, "the server's models are shown", attached)
		for call, text := range map[string]string{
			"load":     Refused(t, w.Models.Load, &api.LoadRequest{Name: "add_sub"}, connect.CodeFailedPrecondition),
			"reload":   Refused(t, w.Models.Load, &api.LoadRequest{Name: "add_sub", Force: true}, connect.CodeFailedPrecondition),
			"unload":   Refused(t, w.Models.Unload, &api.UnloadRequest{Name: "add_sub"}, connect.CodeFailedPrecondition),
			"load all": Refused(t, w.Models.LoadAll, &api.LoadAllRequest{}, connect.CodeFailedPrecondition),
		} {
			if !strings.Contains(text, ": explicit model load / unload is not allowed if polling is enabled. Start the server with") || strings.Count(text, "--model-control-mode=explicit") != 1 {
				t.Errorf("%s at %s: %q", call, address, text)
			}
		}
	}
}

// TestServerBeside: the open repository stays as it is while a server is shown beside it, with its
// unsaved texts; the list of differences says what a deployment would change.
func TestServerBeside(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	w := OpenExamples(t)
	w.Until(t, "all models are ready here", AllReady)
	const typed = "name: \"add_sub\" # typed"
	Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "add_sub", Path: "config.pbtxt", Text: typed, Number: 1, Edit: &api.Edit{Repository: w.Until(t, "it is open", func(s *Snapshot) bool { return s.Repository.GetId() != "" }).Repository.Id}})
	attach(t, w, p.GRPC, p)
	s := w.Until(t, "the server is shown", func(s *Snapshot) bool {
		return attached(s) && s.Engine.Remote != nil && s.State("digits") == api.ModelState_MODEL_STATE_UNLOADED
	})
	if s.Models["add_sub"].ServedOnly || len(s.Drafts) != 1 {
		t.Errorf("models %v, drafts %v", s.Models, s.Drafts)
	}
	found := map[string]*api.ModelDifference{}
	for _, m := range Call(t, w.Servers.CompareServer, &api.CompareServerRequest{}).Models {
		found[m.Model] = m
	}
	if d := found["add_sub"]; d.GetKind() != api.ModelDifference_KIND_SAME {
		t.Errorf("add_sub differs: %v", d)
	}
	if d := found["digits"]; d.GetKind() != api.ModelDifference_KIND_UNKNOWN {
		t.Errorf("digits, which is not loaded there, is %v", d)
	}
	Call(t, w.Servers.Attach, &api.AttachRequest{})
	s = w.Until(t, "the engine of this machine is shown again, with what it had loaded", AllReady)
	if s.Engine.Remote != nil || len(s.Drafts) != 1 {
		t.Errorf("the engine is %v, drafts %v", s.Engine, s.Drafts)
	}
}

// TestServerFreezes: the window stays usable while the server answers nothing, says since when, and
// shows it again once it is back. A request that was on its way ends.
func TestServerFreezes(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	w := shown(t, p.GRPC, p)
	w.Until(t, "the server's models are shown", attached)
	p.Freeze(t)
	before := time.Now()
	s := w.Until(t, "it is known that the server is away", silent)
	if r := s.Engine.Remote; r.AwaySince == 0 || time.UnixMilli(r.AwaySince).After(time.Now()) || !strings.Contains(s.Engine.Reason, "no answer came") {
		t.Errorf("after %v the engine is %v", time.Since(before), s.Engine)
	}
	if r := Call(t, w.Try.Infer, Sum()); r.Ok || r.Error == "" {
		t.Errorf("a frozen server answers %v", r)
	}
	p.Thaw(t)
	w.Until(t, "it answers again", attached)
}

// TestServerIsKilled: it comes back by itself when another one answers there.
func TestServerIsKilled(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	w := shown(t, p.GRPC, p)
	w.Until(t, "the server's models are shown", attached)
	p.Kill()
	w.Until(t, "it is known that the server is away", silent)
	if r := Call(t, w.Try.Infer, Sum()); r.Ok {
		t.Errorf("nobody answers, and the answer is %v", r)
	}
	p.Start(t)
	w.Until(t, "the new one is shown", attached)
}

// TestSlowLink: with a round trip of 200 ms and one piece in a hundred lost, a server is shown and
// answers.
func TestSlowLink(t *testing.T) {
	p := StartPeer(t, CopyExamples(t))
	link := Slow(t, p.GRPC, 200*time.Millisecond, 0.01)
	begun := time.Now()
	w := shown(t, link.Address, p)
	w.Until(t, "the server's models are shown", attached)
	first := time.Since(begun)
	begun = time.Now()
	if r := Call(t, w.Try.Infer, Sum()); !r.Ok {
		t.Fatalf("the answer is %v", r)
	}
	sum := time.Since(begun)
	begun = time.Now()
	Call(t, w.Workspace.ListLog, &api.ListLogRequest{})
	Call(t, w.Servers.CompareServer, &api.CompareServerRequest{})
	t.Logf("shown after %v, a request takes %v, what needs no server %v", first, sum, time.Since(begun))
}

// TestControlAsks: a server that is not on this machine takes no load that nobody confirmed.
func TestControlAsks(t *testing.T) {
	w := OpenWith(t, app.Options{})
	save := &api.SaveServerRequest{Server: &api.Server{Name: "far", Address: "grpc://192.0.2.1:8001", Metrics: "none"}}
	Call(t, w.Servers.SaveServer, save)
	Call(t, w.Servers.Attach, &api.AttachRequest{Name: "far"})
	Refused(t, w.Models.Load, &api.LoadRequest{Name: "m"}, connect.CodeFailedPrecondition)
	Refused(t, w.Models.Unload, &api.UnloadRequest{Name: "m", Server: "other"}, connect.CodeFailedPrecondition)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := w.Models.Load(ctx, connect.NewRequest(&api.LoadRequest{Name: "m", Server: "far"})); connect.CodeOf(err) == connect.CodeFailedPrecondition {
		t.Errorf("what was confirmed is refused: %v", err)
	}
}
