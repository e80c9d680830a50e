package workspace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/timetext"
	"conch/engine/kserve/enginepb"
)

// engineUpdate handles an update of an engine. Of one that is not shown, only what is needed to show it
// again is kept.
func (s *openRepository) engineUpdate(from *side, u enginehost.Update) {
	s.apply(func(c *change) []string {
		from.note(u)
		switch {
		case from != s.side:
			return nil
		case from.isRemote():
			return s.noteRemote(u, c)
		case u.Status != nil:
			return s.noteStatus(*u.Status, c)
		case u.Event != nil:
			return s.noteEvent(u.Event, c)
		case u.Restored:
			return s.noteRestored(c)
		}
		return nil
	})
}

func (s *openRepository) noteStatus(status enginehost.Status, c *change) []string {
	before := s.running.status
	s.running.status = status
	switch {
	case status.State == enginehost.Silent: // its last state stays until it answers or ends
		s.process = processFigures{}
		n := s.engineNotice(api.Notice_LEVEL_ERROR, status.Reason)
		n.Action = api.Notice_ACTION_RESTART_ENGINE
		c.notices = append(c.notices, n)
		return sortedKeys(s.running.models)
	case status.State == enginehost.Ready && before.State == enginehost.Silent && status.PID == before.PID:
		c.notices = append(c.notices, s.engineNotice(api.Notice_LEVEL_INFO, "The engine answers again."))
		return sortedKeys(s.running.models)
	case status.State == enginehost.Ready:
		if status.Restarts > 0 {
			level := api.Notice_LEVEL_WARNING
			if before.Asked {
				level = api.Notice_LEVEL_INFO
			}
			c.notices = append(c.notices, s.engineNotice(level, "The engine runs again. What was loaded is being loaded again, from its files as they are now."))
		}
		return nil
	}
	gone := s.noteWaiting()
	s.running.models = map[string]*enginepb.Model{}
	s.running.server = nil
	s.hear()
	s.restoring = true
	s.process = processFigures{}
	if n := s.endNotice(status); n != nil && (status.Reason != before.Reason || status.State != before.State) {
		c.notices = append(c.notices, n)
	}
	return gone
}

// endNotice makes a notice about an engine that has ended; nil where there is nothing to say.
func (s *openRepository) endNotice(status enginehost.Status) *api.Notice {
	switch {
	case status.Reason == "":
		return nil
	case status.Asked:
		return s.engineNotice(api.Notice_LEVEL_INFO, status.Reason)
	}
	n := s.engineNotice(api.Notice_LEVEL_ERROR, status.Reason+s.consequence(status))
	if status.State == enginehost.Stopped {
		n.Action = api.Notice_ACTION_RESTART_ENGINE
	}
	return n
}

func (s *openRepository) consequence(status enginehost.Status) string {
	if status.State == enginehost.Restarting {
		return " Conch starts it again."
	}
	return " It is not started again automatically: fix the cause, then restart it."
}

func (s *openRepository) noteEvent(e *enginepb.Event, c *change) []string {
	touched := s.noteModels(e)
	s.noteElsewhere(e.Models, c)
	s.hear()
	s.renewals.noteRan(e.Models)
	s.noteLoads(touched, c)
	if h := e.Happening; h != nil {
		s.forgetRequest(h, c)
		s.noteHappening(h, c)
	}
	return touched
}

// noteModels notes what an event says of the server and its models, and returns these models.
func (s *openRepository) noteModels(e *enginepb.Event) (touched []string) {
	if e.Reset_ {
		touched = sortedKeys(s.running.models)
		s.running.models = map[string]*enginepb.Model{}
	}
	if e.Server != nil {
		if s.running.server == nil { // only now it is known which models it lacks
			touched = append(touched, sortedKeys(s.w.world.models)...)
		}
		s.running.server = e.Server
	}
	for _, m := range e.Models {
		s.running.models[m.Name] = m
		touched = append(touched, m.Name)
	}
	for _, name := range e.Removed {
		delete(s.running.models, name)
		touched = append(touched, name)
	}
	return touched
}

// isLoaded reports whether a version of a model serves or is being loaded on this machine.
func (s *openRepository) isLoaded(model string) bool {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return !s.side.isRemote() && hasBegun(s.running.models[model].GetVersions())
}

func hasBegun(versions []*enginepb.Version) bool {
	return slices.ContainsFunc(versions, func(v *enginepb.Version) bool {
		return v.State == enginepb.State_STATE_READY || v.State == enginepb.State_STATE_LOADING
	})
}

// noteHappening makes a notice of an event that a person wants to read. The loads of a start are one
// notice, without the models that this engine cannot run and those that failed before for the same
// reason.
func (s *openRepository) noteHappening(h *enginepb.Happening, c *change) {
	m := s.running.models[h.Model]
	if h.Kind == enginepb.Happening_KIND_UNLOADED {
		delete(s.waiting, h.Model)
	}
	cannotRun := m.GetBackend() != "" && !m.GetRunnable()
	failsAgain := h.Kind == enginepb.Happening_KIND_LOAD_FAILED && h.Reason != "" && s.failed[h.Model] == h.Reason
	if s.restoring && (h.Kind == enginepb.Happening_KIND_LOADED || cannotRun || failsAgain) {
		return
	}
	level, text, reason := describe(h)
	if h.Kind == enginepb.Happening_KIND_LOAD_FAILED && m.GetWaitsForTrust() {
		level = api.Notice_LEVEL_WARNING // nothing is wrong: it waits for an answer
	}
	if text != "" {
		n := s.noticeOf(level, h.Model, text, reason)
		switch {
		case h.Model == "":
			n.Cause = "repository"
		case h.Kind == enginepb.Happening_KIND_INSTANCE_REVIVED:
			n.Cause = "revived"
		}
		c.notices = append(c.notices, n)
	}
}

// describe says what happened, and apart from it why, where the engine gives a reason.
func describe(h *enginepb.Happening) (level api.Notice_Level, text, why string) {
	took, reason := timetext.Of(time.Duration(h.TookNs)), strings.TrimSpace(h.Reason)
	switch h.Kind {
	case enginepb.Happening_KIND_LOADED:
		return api.Notice_LEVEL_INFO, fmt.Sprintf("%s loaded in %s", h.Model, took), ""
	case enginepb.Happening_KIND_RELOADED:
		if reason != "" { // why no load was needed
			return api.Notice_LEVEL_INFO, h.Model + ": " + reason, ""
		}
		return api.Notice_LEVEL_INFO, fmt.Sprintf("%s reloaded in %s%s", h.Model, took, sinceImports(h.Imports)), ""
	case enginepb.Happening_KIND_UNLOADED:
		if reason != "" { // nobody asked for it: an ensemble was unloaded because of one of its models
			return api.Notice_LEVEL_WARNING, h.Model + " unloaded", reason
		}
		return api.Notice_LEVEL_INFO, h.Model + " unloaded", ""
	case enginepb.Happening_KIND_LOAD_FAILED:
		return api.Notice_LEVEL_ERROR, h.Model + " did not load", reason
	case enginepb.Happening_KIND_RELOAD_FAILED:
		return api.Notice_LEVEL_WARNING, fmt.Sprintf("%s did not reload%s; the earlier load still serves", h.Model, sinceImports(h.Imports)), reason
	case enginepb.Happening_KIND_INSTANCE_DIED:
		return api.Notice_LEVEL_WARNING, h.Model + ": a process of the model died", reason
	case enginepb.Happening_KIND_INSTANCE_REVIVED:
		return api.Notice_LEVEL_INFO, h.Model + ": a process of the model that died runs again", ""
	case enginepb.Happening_KIND_REPOSITORY_TROUBLE:
		return api.Notice_LEVEL_ERROR, reason, ""
	case enginepb.Happening_KIND_REPOSITORY_BACK:
		return api.Notice_LEVEL_INFO, reason, ""
	}
	return api.Notice_LEVEL_UNSPECIFIED, "", ""
}

// sinceImports says which files outside of a model's folder have changed, which its code came from.
func sinceImports(files []string) string {
	switch len(files) {
	case 0:
		return ""
	case 1:
		return ", since " + files[0] + " has changed"
	}
	return ", since these files have changed: " + listed(files)
}

func because(text, reason string) string {
	if reason == "" {
		return text
	}
	return text + ": " + reason
}

// noteWaiting notes the models that the next engine loads again, when an engine has ended, and those
// that had failed. It returns the models whose state may change by this.
func (s *openRepository) noteWaiting() (touched []string) {
	for name, m := range s.running.models {
		state, reason := StateOf(m)
		if state != api.ModelState_MODEL_STATE_UNLOADED && state != api.ModelState_MODEL_STATE_UNLOADING {
			s.waiting[name] = true
		}
		delete(s.failed, name)
		delete(s.servedOn, name)
		if state == api.ModelState_MODEL_STATE_OLDER_SERVES {
			s.servedOn[name] = newestReady(m)
		}
		if state == api.ModelState_MODEL_STATE_FAILED || state == api.ModelState_MODEL_STATE_UNTRUSTED {
			s.failed[name] = reason
		}
		touched = append(touched, name)
	}
	return uniq(append(touched, sortedKeys(s.waiting)...))
}

// waits reports whether a model was loaded before the engine ended and will be loaded again.
func (s *openRepository) waits(name string) bool {
	return s.waiting[name] && s.running.status.State != enginehost.Stopped
}

// noteRestored sums up the loads of a start. It returns the models that no longer wait.
func (s *openRepository) noteRestored(c *change) (touched []string) {
	s.restoring = false
	s.tellElsewhere(c)
	s.arrivals.look()
	touched = sortedKeys(s.waiting)
	s.tellServedOn(c)
	clear(s.waiting)
	clear(s.failed)
	clear(s.servedOn)
	ready := 0
	for _, m := range s.running.models {
		if state, _ := StateOf(m); state == api.ModelState_MODEL_STATE_READY {
			ready++
		}
	}
	if ready > 0 {
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, "", restoredText(ready, s.running.status.Restarts > 0)))
	}
	return touched
}

// newestReady is the newest version that serves.
func newestReady(m *enginepb.Model) (number int64) {
	for _, v := range m.Versions {
		if v.State == enginepb.State_STATE_READY {
			number = max(number, v.Number)
		}
	}
	return number
}

// tellServedOn tells of the models of which a state that was loaded before served on after a load that failed: a new engine has only
// their files, which do not load.
func (s *openRepository) tellServedOn(c *change) {
	for _, name := range sortedKeys(s.servedOn) {
		state, reason := StateOf(s.running.models[name])
		if state != api.ModelState_MODEL_STATE_FAILED {
			continue
		}
		text := fmt.Sprintf("%s no longer serves: version %d of it was left from before a load that failed, and went with the engine. "+
			"Correct what does not load", name, s.servedOn[name])
		c.notices = append(c.notices, s.noticeOf(api.Notice_LEVEL_ERROR, name, text, reason))
	}
}

// restoredText says how many models the engine has loaded at its start.
func restoredText(models int, again bool) string {
	text := fmt.Sprintf("The engine loaded %d models", models)
	if models == 1 {
		text = "The engine loaded 1 model"
	}
	if again {
		text += " again"
	}
	return text
}

// engineSummary makes the engine's message. It needs Workspace.mu.
func (s *openRepository) engineSummary() *api.Engine {
	status := s.running.status
	out := &api.Engine{
		State:             engineStates[status.State],
		Reason:            status.Reason,
		Pid:               int32(status.PID),
		Device:            devicesOf(s.running.models),
		Restarts:          status.Restarts,
		MemoryBytes:       s.process.memory,
		FreeBytes:         s.process.free,
		CpuPercent:        s.process.cpuPercent,
		RequestsPerSecond: s.process.perSecond,
		Loading:           status.State == enginehost.Ready && s.restoring,
		Gpus:              s.process.gpus,
		GpusLost:          s.process.gpusLost,
		GpuTrouble:        s.process.gpuTrouble,
		NoCuda:            s.process.noCUDA,
		GpusRead:          s.process.gpusRead,
		GpuDriver:         s.process.gpuDriver,
		Remote:            s.remoteSummary(),
	}
	server := s.running.server
	if server == nil {
		return out
	}
	out.HttpAddress, out.GrpcAddress, out.MetricsAddress = server.HttpAddress, server.GrpcAddress, server.MetricsAddress
	out.Runtime, out.RuntimeLibrary = server.Runtime, server.RuntimeLibrary
	if !s.side.isRemote() {
		out.Accelerator = proto.String(server.Accelerator)
	}
	if server.RuntimeTrouble != "" && out.Reason == "" {
		out.Reason = server.RuntimeTrouble
	}
	switch {
	case s.side.isRemote() && len(s.roots) == 0: // nothing can be saved here
	case s.side.isRemote():
		out.ReloadNote = "Saved files stay on this machine: deploy them to change the server"
	case server.Reload == "on-save":
		out.ReloadNote = "Saved files are reloaded automatically"
	default:
		out.ReloadNote = "Saved files are not reloaded automatically"
	}
	return out
}

// devicesOf returns the devices on which models run: "CPU, GPU 0"; "" for none.
func devicesOf(models map[string]*enginepb.Model) string {
	used := map[string]bool{}
	for _, m := range models {
		for _, d := range m.Devices {
			used[d] = true
		}
	}
	return strings.Join(sortedKeys(used), ", ")
}

var engineStates = map[enginehost.State]api.Engine_State{
	enginehost.Starting:   api.Engine_STATE_STARTING,
	enginehost.Ready:      api.Engine_STATE_READY,
	enginehost.Restarting: api.Engine_STATE_RESTARTING,
	enginehost.Stopped:    api.Engine_STATE_STOPPED,
	enginehost.Silent:     api.Engine_STATE_SILENT,
}
