package remote

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"conch/app/enginehost"
	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// models is what is known of a server's models.
type models struct {
	server  *enginepb.Server // nil until it has answered since it was away
	told    bool             // the models were told since it was away
	known   map[string]*enginepb.Model
	configs map[string]*modelconfig.ModelConfig
	stale   map[string]time.Time // ready models whose config has to be asked for, and not before when
	untold  bool                 // the server tells no configs
}

func newModels() models {
	return models{known: map[string]*enginepb.Model{}, configs: map[string]*modelconfig.ModelConfig{}, stale: map[string]time.Time{}}
}

// begin is called when the server is away: another one may answer in its place.
func (m *models) begin() { m.server, m.told, m.untold = nil, false, false }

// note takes over a repository index. It returns what changed; nil for nothing.
func (m *models) note(index []*kservepb.RepositoryIndexResponse_ModelIndex, now time.Time) *enginepb.Event {
	fresh := map[string]*enginepb.Model{}
	for _, entry := range index {
		if len(entry.Name) > longestName {
			continue
		}
		one := fresh[entry.Name]
		if one == nil {
			one = &enginepb.Model{Name: entry.Name, Runnable: true}
			fresh[entry.Name] = one
		}
		if v := versionOf(entry); v != nil {
			one.Versions = append(one.Versions, v)
		}
	}
	event := &enginepb.Event{}
	if !m.told {
		event.Reset_, event.Server = true, m.server
	}
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		one, old := fresh[name], m.known[name]
		slices.SortFunc(one.Versions, func(a, b *enginepb.Version) int { return int(a.Number - b.Number) })
		same := old != nil && slices.EqualFunc(one.Versions, old.Versions, func(a, b *enginepb.Version) bool { return proto.Equal(a, b) })
		if old != nil {
			one.LoadedMs = old.LoadedMs
		}
		if same {
			one.SinceMs = old.SinceMs
		} else if old != nil {
			one.SinceMs = now.UnixMilli()
		}
		if (!same || !m.told) && isReady(one) {
			m.stale[name] = now
		}
		describe(one, m.configs[name])
		if !same || !m.told {
			event.Models = append(event.Models, one)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.known)) {
		if fresh[name] == nil {
			event.Removed = append(event.Removed, name)
			delete(m.configs, name)
			delete(m.stale, name)
		}
	}
	m.known = fresh
	if m.told && len(event.Models)+len(event.Removed) == 0 {
		return nil
	}
	m.told = true
	return event
}

// noteLoads notes the models that the server has loaded again. It returns what changed; nil for nothing.
func (m *models) noteLoads(names []string, now time.Time) *enginepb.Event {
	event := &enginepb.Event{}
	for _, name := range names {
		if old := m.known[name]; old != nil {
			one := proto.CloneOf(old) // the one before was told
			one.LoadedMs = now.UnixMilli()
			m.known[name] = one
			event.Models = append(event.Models, one)
		}
	}
	if len(event.Models) == 0 {
		return nil
	}
	return event
}

var states = map[string]enginepb.State{
	"LOADING":     enginepb.State_STATE_LOADING,
	"READY":       enginepb.State_STATE_READY,
	"UNLOADING":   enginepb.State_STATE_UNLOADING,
	"UNAVAILABLE": enginepb.State_STATE_UNAVAILABLE,
}

// versionOf returns the version that a line of the index is about; nil for a model that was never loaded.
func versionOf(entry *kservepb.RepositoryIndexResponse_ModelIndex) *enginepb.Version {
	number, err := strconv.ParseInt(entry.Version, 10, 64)
	state := states[entry.State]
	if err != nil && state == enginepb.State_STATE_UNSPECIFIED {
		return nil
	}
	return &enginepb.Version{Number: number, State: state, Reason: shortened(entry.Reason)}
}

// longestName is more than a name in a repository on a disk has. longestReason is what is told of a server's reason: it also goes into the history.
const (
	longestName   = 1 << 10
	longestReason = 4 << 10
)

// shortened returns the beginning of a reason, which says what happened.
func shortened(reason string) string {
	if len(reason) <= longestReason {
		return reason
	}
	return strings.ToValidUTF8(reason[:longestReason], "") + " …"
}

func isReady(m *enginepb.Model) bool {
	return slices.ContainsFunc(m.Versions, func(v *enginepb.Version) bool { return v.State == enginepb.State_STATE_READY })
}

// describe fills in what the config says. A server tells a config with all its instances.
func describe(m *enginepb.Model, cfg *modelconfig.ModelConfig) {
	if cfg == nil {
		return
	}
	m.Backend = cfg.Backend
	devices := map[string]bool{}
	for _, group := range cfg.InstanceGroup {
		if group.Kind == modelconfig.ModelInstanceGroup_KIND_GPU && len(group.Gpus) > 0 {
			m.Instances += uint32(group.Count) * uint32(len(group.Gpus))
			for _, gpu := range group.Gpus {
				devices["GPU "+strconv.Itoa(int(gpu))] = true
			}
			continue
		}
		m.Instances += uint32(group.Count)
		if group.Kind == modelconfig.ModelInstanceGroup_KIND_CPU {
			devices["CPU"] = true
		}
	}
	m.Devices = slices.Sorted(maps.Keys(devices))
}

// steps returns for each ensemble how often each model is a step of it.
func (m *models) steps() map[string]map[string]uint64 {
	all := map[string]map[string]uint64{}
	for name, cfg := range m.configs {
		if !backends.IsEnsemble(cfg) {
			continue
		}
		all[name] = map[string]uint64{}
		for _, step := range cfg.GetEnsembleScheduling().GetStep() {
			all[name][step.ModelName]++
		}
	}
	return all
}

// Configs are asked for a few at a time, for a while, and the rest with the next question.
const (
	configsAtOnce = 8
	configsFor    = time.Second
	// configAgain is when a config is asked for again that was refused.
	configAgain = 10 * time.Second
)

// due returns the models whose config should be asked for now, by name.
func (m *models) due(now time.Time) []string {
	if m.untold {
		return nil
	}
	var names []string
	for name, at := range m.stale {
		if !at.After(now) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readConfigs asks for the configs of models that have become ready.
func (s *Server) readConfigs(ctx context.Context) {
	begun := time.Now()
	names := s.models.due(begun)
	if len(names) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, answerFor)
	defer cancel()
	found := make([]*modelconfig.ModelConfig, len(names))
	errs := make([]error, len(names))
	asked := 0
	for asked < len(names) && ctx.Err() == nil && time.Since(begun) < configsFor {
		var group errgroup.Group
		group.SetLimit(configsAtOnce)
		for range min(len(names)-asked, 8*configsAtOnce) {
			i := asked
			asked++
			group.Go(func() error {
				answer, err := s.calls.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: names[i]})
				found[i], errs[i] = answer.GetConfig(), err
				return nil // it is asked for again
			})
		}
		_ = group.Wait()
	}
	s.models.refuse(names[:asked], errs, time.Now())
	s.takeConfigs(names[:asked], found)
}

// refuse puts off the configs that were not told. A server that knows no configs is not asked again.
func (m *models) refuse(names []string, errs []error, now time.Time) {
	for i, name := range names {
		if errs[i] != nil {
			m.stale[name] = now.Add(configAgain)
		}
		m.untold = m.untold || status.Code(errs[i]) == codes.Unimplemented
	}
}

func (s *Server) takeConfigs(names []string, found []*modelconfig.ModelConfig) {
	changed, event := map[string]*modelconfig.ModelConfig{}, &enginepb.Event{}
	for i, name := range names {
		if found[i] == nil {
			continue
		}
		delete(s.models.stale, name)
		if old := s.models.configs[name]; old != nil && proto.Equal(old, found[i]) {
			continue
		}
		s.models.configs[name], changed[name] = found[i], found[i]
		if m := s.models.known[name]; m != nil {
			m = proto.CloneOf(m) // what was told is never changed
			m.Instances = 0
			describe(m, found[i])
			s.models.known[name] = m
			event.Models = append(event.Models, m)
		}
	}
	if len(changed) > 0 {
		s.tell(enginehost.Update{Configs: changed})
		s.tell(enginehost.Update{Event: event})
	}
}
