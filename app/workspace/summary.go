package workspace

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/language"
	"conch/configedit/folder"
	"conch/engine/kserve/enginepb"
	"conch/repo/scan"
)

// summary makes a model's message from everything known. It needs Workspace.mu.
func (s *openRepository) summary(m *language.Model, w *world) *api.ModelSummary {
	name := m.Scan.Name
	out := &api.ModelSummary{
		Name:       name,
		Dir:        folder.Name(m.Scan.Dir),
		ConfigPath: m.ConfigFile(),
		UsedBy:     sortedKeys(s.usedBy[name]),
		Around:     s.around[name],
	}
	if old := w.models[name]; old != nil { // until the background check has run again
		out.Kind, out.Runtime, out.Ensemble, out.Uses = old.Kind, old.Runtime, old.Ensemble, old.Uses
	}
	if known, ok := s.checking.known[name]; ok {
		out.Kind, out.Runtime, out.Ensemble, out.Uses = known.kind, known.runtime, known.ensemble, known.uses
	}
	out.Errors, out.Warnings = count(w.problems[name])
	out.WrongModels = wrongModels(name, w.problems[name])
	out.RequestsPerSecond = s.rates[name]
	s.addState(out, m.Scan)
	return out
}

// addState fills in the engine's state of the model.
func (s *openRepository) addState(out *api.ModelSummary, on *scan.Model) {
	running := s.running.models[out.Name]
	if !s.side.isRemote() {
		running = withoutGone(running, on)
	}
	out.State, out.Reason = StateOf(running)
	if running != nil && s.running.status.State == enginehost.Silent {
		out.State, out.Reason = api.ModelState_MODEL_STATE_UNSPECIFIED, s.silentReason()
	}
	if backend, runs := s.runs(out, running); !runs {
		if !language.Misspelt(backend) { // otherwise the config is wrong, and no engine loads it
			out.State = api.ModelState_MODEL_STATE_NOT_RUNNABLE
		}
		out.Reason = language.CannotRun(backend)
	}
	if out.State == api.ModelState_MODEL_STATE_UNLOADED && s.waits(out.Name) {
		out.State, out.Reason = api.ModelState_MODEL_STATE_WAITING, "The engine was restarted and will load it again."
	}
	if running == nil && s.side.isRemote() {
		out.Reason = s.missingReason()
		if s.running.server == nil { // it may well be loaded there
			out.State = api.ModelState_MODEL_STATE_UNSPECIFIED
		}
	}
	if known, judged := s.checking.known[out.Name]; judged && slices.Contains(idle, out.State) {
		out.Lacks = known.lacks
	}
	if out.State == api.ModelState_MODEL_STATE_UNLOADED && out.Reason == "" {
		out.Reason = out.Lacks
	}
	if running != nil {
		out.StateSince, out.Loaded = running.SinceMs, running.LoadedMs
		out.StartsAgain = startsAgain(running)
		out.Instances = running.Instances
		out.Calls = running.Calls
		out.MemoryBytes = running.MemoryBytes
		for _, held := range running.Memory {
			out.Memory = append(out.Memory, &api.DeviceMemory{Device: held.Device, Bytes: held.Bytes})
		}
		out.Device, out.WithoutStrict = strings.Join(running.Devices, ", "), running.WithoutStrict
		for _, e := range running.Elsewhere {
			out.Elsewhere = append(out.Elsewhere, &api.Elsewhere{Group: e.Group, Badge: e.Badge, Text: e.Text, ByBuild: e.ByBuild})
		}
		if running.LoadingSinceMs > 0 {
			out.Loading, out.LoadingSince = running.Phase, running.LoadingSinceMs
		}
		out.Reload, out.FilesChanged, out.FromClient = running.Reload, running.FilesChanged, running.FromClient
		out.ChangedImports = running.ChangedImports
		if o := running.Offer; o != nil {
			out.Offer = &api.Offer{Id: o.Id, Packages: o.Packages, From: o.From, Weight: o.Weight}
		}
	}
	out.Versions = versions(on, running)
	if !s.side.isRemote() {
		tellUnserved(out.Versions, s.checking.known[out.Name].policy)
	}
}

// idle are the states in which a model neither serves nor is about to.
var idle = []api.ModelState{
	api.ModelState_MODEL_STATE_UNLOADED, api.ModelState_MODEL_STATE_FAILED, api.ModelState_MODEL_STATE_UNTRUSTED,
}

// runs reports whether the engine has the model's backend; true while that is unknown.
func (s *openRepository) runs(out *api.ModelSummary, running *enginepb.Model) (backend string, ok bool) {
	if running == nil || s.side.isRemote() || !slices.Contains(idle, out.State) {
		return "", true
	}
	if running.Backend != "" {
		return running.Backend, running.Runnable
	}
	backend = s.checking.known[out.Name].backend
	if backend == "" || out.Ensemble || s.running.server == nil {
		return "", true
	}
	return backend, slices.Contains(s.running.server.Backends, backend)
}

// LacksBackend reports whether the engine is known to lack a backend.
func (w *Workspace) LacksBackend(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open != nil && !w.open.side.isRemote() && w.open.running.server != nil && !slices.Contains(w.open.running.server.Backends, name)
}

// LacksGPU reports whether the machine of the engine is known to have no GPU. It is not known before the engine has read its GPUs. One that is lost is
// still in the machine.
func (w *Workspace) LacksGPU() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil || w.open.side.isRemote() {
		return false
	}
	process := w.open.process
	return process.gpusRead && process.gpuTrouble == "" && len(process.gpus)+len(process.gpusLost) == 0
}

// ServersGPUs returns the numbers of the GPUs of a server elsewhere; false for the engine of this machine.
func (w *Workspace) ServersGPUs() (numbers []int32, remote bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil || !w.open.side.isRemote() {
		return nil, false
	}
	for _, g := range w.open.process.gpus {
		numbers = append(numbers, g.Index)
	}
	return numbers, true
}

// StateOf sums up the states of a model's versions.
func StateOf(m *enginepb.Model) (api.ModelState, string) {
	if m == nil {
		return api.ModelState_MODEL_STATE_UNLOADED, ""
	}
	has := map[enginepb.State]bool{}
	reason, died, newestFailed := m.LoadError, "", false
	for _, v := range m.Versions {
		has[v.State] = true
		newestFailed = newestFailed || v.NewestFailed
		if v.Died {
			died = v.Reason
		}
		if reason == "" && v.State == enginepb.State_STATE_UNAVAILABLE && isFailure(v.Reason) {
			reason = v.Reason
		}
	}
	switch {
	case has[enginepb.State_STATE_LOADING]:
		return api.ModelState_MODEL_STATE_LOADING, m.Phase
	case has[enginepb.State_STATE_READY] && (m.LoadError != "" || newestFailed):
		return api.ModelState_MODEL_STATE_OLDER_SERVES, reason
	case has[enginepb.State_STATE_READY]:
		return api.ModelState_MODEL_STATE_READY, ""
	case has[enginepb.State_STATE_UNLOADING]:
		return api.ModelState_MODEL_STATE_UNLOADING, ""
	case died != "":
		return api.ModelState_MODEL_STATE_DIED, died
	case reason != "" && m.WaitsForTrust:
		return api.ModelState_MODEL_STATE_UNTRUSTED, reason
	case reason != "":
		return api.ModelState_MODEL_STATE_FAILED, reason
	}
	return api.ModelState_MODEL_STATE_UNLOADED, ""
}

// startsAgain returns when the newest version whose processes died is started again, in Unix milliseconds; 0 while that happens.
func startsAgain(m *enginepb.Model) (at int64) {
	for _, v := range m.Versions {
		if v.Died {
			at = v.AgainMs
		}
	}
	return at
}

// isFailure reports whether a reason is a failure. "unloaded" is Triton's reason for a version that
// was unloaded on purpose.
func isFailure(reason string) bool { return reason != "" && reason != "unloaded" }

// withoutGone leaves out the versions that do not serve and whose folders are gone. The engine keeps them in its index with their last
// reason, as Triton does; here they would look as if they were still in the folder.
func withoutGone(running *enginepb.Model, on *scan.Model) *enginepb.Model {
	isGone := func(v *enginepb.Version) bool {
		return v.State == enginepb.State_STATE_UNAVAILABLE &&
			!slices.ContainsFunc(on.Versions, func(there scan.Version) bool { return there.Number == v.Number })
	}
	if !slices.ContainsFunc(running.GetVersions(), isGone) {
		return running
	}
	left := proto.CloneOf(running)
	left.Versions = slices.DeleteFunc(left.Versions, isGone)
	return left
}

// count counts as `conch check` does: one mistake counts once, in the file where it was made, also one that is not listed.
func count(files []*api.FileProblems) (errors, warnings uint32) {
	for _, f := range files {
		for _, d := range f.Diagnostics {
			switch {
			case d.Follows:
			case d.Severity == api.Diagnostic_SEVERITY_ERROR:
				errors += 1 + d.Unlisted
			case d.Severity == api.Diagnostic_SEVERITY_WARNING:
				warnings += 1 + d.Unlisted
			}
		}
	}
	return errors, warnings
}

// wrongModels returns the other models whose errors are the cause of errors in this model, ascending.
func wrongModels(name string, files []*api.FileProblems) []string {
	others := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Diagnostics {
			if !d.Follows || d.Severity != api.Diagnostic_SEVERITY_ERROR {
				continue
			}
			for _, r := range d.Related {
				if r.Model != name {
					others[r.Model] = true
				}
			}
		}
	}
	return sortedKeys(others)
}

func hasError(f *api.FileProblems) bool {
	return slices.ContainsFunc(f.Diagnostics, func(d *api.Diagnostic) bool { return d.Severity == api.Diagnostic_SEVERITY_ERROR })
}

// repository makes the repository's message. It needs Workspace.mu.
func (s *openRepository) repository(w *world) *api.Repository {
	index := s.analysis.Index
	out := &api.Repository{Name: s.w.shown(s.roots), Id: s.id, Roots: textOf(s.roots), ModelCount: uint32(s.analysis.Len() + s.servedOnly())}
	out.Errors, out.Warnings, out.ProblemModels = w.tally.all.errors, w.tally.all.warnings, w.tally.all.models
	status := s.repo.Status()
	out.WatchMode, out.WatchNote = string(status.Mode), status.Why
	for _, root := range index.Roots {
		out.ReadOnly = out.ReadOnly || root.ReadOnly
	}
	for _, stray := range index.Strays {
		out.Strays = append(out.Strays, &api.Stray{Path: folder.Name(stray.Path), Why: stray.Why})
	}
	out.Access = s.accessMessage()
	out.Away = len(s.away) > 0
	out.Trouble, out.Suggestion = s.trouble.sentence, folder.Name(s.trouble.suggestion)
	return out
}

// textOf writes paths as text.
func textOf(paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = folder.Name(path)
	}
	return out
}

// shown writes the roots of a repository for people, with ~ for the home folder.
func (w *Workspace) shown(roots []string) string {
	names := make([]string, len(roots))
	for i, root := range roots {
		names[i] = root
		if rest, ok := strings.CutPrefix(root, w.opts.Home+"/"); ok && w.opts.Home != "" {
			names[i] = "~/" + rest
		}
	}
	return strings.Join(textOf(names), ", ")
}
