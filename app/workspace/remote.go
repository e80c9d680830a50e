package workspace

import (
	"fmt"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/language"
	"conch/app/timetext"
	"conch/configedit/backends"
	"conch/engine/kserve/enginepb"
	"conch/repo/scan"
)

// noteRemote handles an update of the server that is shown.
func (s *openRepository) noteRemote(u enginehost.Update, c *change) []string {
	switch {
	case u.Status != nil:
		return s.noteReach(*u.Status, c)
	case u.Event != nil:
		return s.noteServed(u.Event, c)
	case u.Configs != nil:
		s.noteConfigs(u.Configs)
		return sortedKeys(u.Configs)
	case u.Metrics != nil:
		s.side.metrics = *u.Metrics
	}
	return nil
}

// noteReach notes whether the server answers. Its models are shown as they were last known.
func (s *openRepository) noteReach(status enginehost.Status, c *change) []string {
	before := s.running.status
	s.running.status = status
	name := s.side.remote.Name
	switch {
	case status.State == before.State:
		return nil
	case status.State == enginehost.Silent:
		s.process = processFigures{}
		c.notices = append(c.notices, s.engineNotice(api.Notice_LEVEL_ERROR, name+" does not answer: "+status.Reason))
	case status.State == enginehost.Ready && before.State == enginehost.Silent:
		text := name + " answers"
		if !before.Since.IsZero() {
			text = fmt.Sprintf("%s answers again, after %s", name, timetext.Of(s.w.opts.Now().Sub(before.Since)))
		}
		c.notices = append(c.notices, s.engineNotice(api.Notice_LEVEL_INFO, text))
	}
	return sortedKeys(s.running.models)
}

// noteServed notes the states of the server's models, and tells people what changed.
func (s *openRepository) noteServed(e *enginepb.Event, c *change) []string {
	before := map[string]api.ModelState{}
	for _, m := range e.Models {
		if old, known := s.running.models[m.Name]; known {
			before[m.Name], _ = StateOf(old)
		}
	}
	touched := s.noteModels(e)
	if e.Reset_ {
		return touched // it is news only what changes while people watch
	}
	if changed := len(e.Models) + len(e.Removed); changed > mostServedNotices {
		c.notices = append(c.notices, s.engineNotice(api.Notice_LEVEL_INFO, fmt.Sprintf("%d models changed on %s", changed, s.side.remote.Name)))
		return touched
	}
	for _, m := range e.Models {
		now, reason := StateOf(m)
		if was, known := before[m.Name]; !known || was != now {
			s.tellServed(m.Name, now, reason, c)
		}
	}
	for _, name := range e.Removed {
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, name, fmt.Sprintf("%s no longer lists %s", s.side.remote.Name, name)))
	}
	return touched
}

// mostServedNotices is how many models that changed at once are told one by one.
const mostServedNotices = 8

// tellServed makes a notice of a state that lasts.
func (s *openRepository) tellServed(model string, now api.ModelState, reason string, c *change) {
	server := s.side.remote.Name
	switch now {
	case api.ModelState_MODEL_STATE_READY:
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, model, fmt.Sprintf("%s is ready on %s", model, server)))
	case api.ModelState_MODEL_STATE_UNLOADED:
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, model, fmt.Sprintf("%s is not loaded on %s any more", model, server)))
	case api.ModelState_MODEL_STATE_FAILED:
		c.notices = append(c.notices, s.noticeOf(api.Notice_LEVEL_ERROR, model, fmt.Sprintf("%s did not load on %s", model, server), reason))
	}
}

// servedSummary makes the message of a model that only the attached server has; nil where it has none.
// It needs Workspace.mu.
func (s *openRepository) servedSummary(name string) *api.ModelSummary {
	running := s.running.models[name]
	if running == nil || !s.side.isRemote() {
		return nil
	}
	out := &api.ModelSummary{Name: name, ServedOnly: true, RequestsPerSecond: s.rates[name]}
	if m, ok := s.served.Find(name); ok {
		cfg := m.Effective()
		out.Kind, out.Runtime, out.Ensemble, out.Uses = language.Kind(cfg), language.Runtime(cfg), backends.IsEnsemble(cfg), m.Uses()
	}
	s.addState(out, &scan.Model{Name: name})
	return out
}

// servedOnly counts the models that only the attached server has. It needs Workspace.mu.
func (s *openRepository) servedOnly() (n int) {
	if !s.side.isRemote() {
		return 0
	}
	for name := range s.running.models {
		if _, here := s.analysis.Model(name); !here {
			n++
		}
	}
	return n
}

// silentReason says of a model why its state is not known.
func (s *openRepository) silentReason() string {
	if s.side.isRemote() {
		return s.side.remote.Name + " does not answer."
	}
	return "The engine does not answer."
}

// missingReason says of a model of the repository why the server that is shown does not serve it.
func (s *openRepository) missingReason() string {
	if s.running.server == nil {
		return "It is not known yet whether " + s.side.remote.Name + " has it."
	}
	return s.side.remote.Name + " does not have it."
}

// remoteSummary describes the server that is shown; nil for the engine of this machine. It needs
// Workspace.mu.
func (s *openRepository) remoteSummary() *api.RemoteServer {
	r := s.side.remote
	if r == nil {
		return nil
	}
	out := &api.RemoteServer{
		Name: r.Name, Address: r.Address, Here: r.Here, Version: s.running.server.GetVersion(), MetricsTrouble: s.side.metrics.Trouble,
		Percentiles: api.RemoteServer_PERCENTILES_OF_MEANS,
	}
	switch m := s.side.metrics; {
	case m.Quantiles:
		out.Percentiles = api.RemoteServer_PERCENTILES_OF_SERVER
	case m.Histograms:
		out.Percentiles = api.RemoteServer_PERCENTILES_OF_HISTOGRAM
	}
	if since := s.running.status.Since; !since.IsZero() {
		out.AwaySince = since.UnixMilli()
	}
	return out
}
