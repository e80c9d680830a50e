package model

import (
	"maps"
	"slices"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// checkSteps is ValidateEnsembleSchedulingConfig (triton-config B.3): an ensemble that passes has a
// flow in which every tensor comes from somewhere and goes somewhere.
func checkSteps(cfg *modelconfig.ModelConfig) error {
	refuse := func(format string, args ...any) error { return infer.Errorf(infer.InvalidArg, format, args...) }
	name, steps := cfg.Name, cfg.GetEnsembleScheduling().GetStep()
	switch {
	case cfg.Platform != "ensemble":
		return refuse("ensemble scheduling cannot be set for model '%s' whose platform is not ensemble", name)
	case len(cfg.InstanceGroup) > 0:
		return refuse("instance group should not be specified for ensemble '%s'", name)
	case cfg.Optimization != nil:
		return refuse("optimization should not be specified for ensemble '%s'", name)
	case len(cfg.ModelWarmup) > 0:
		return refuse("model_warmup can not be specified for ensemble '%s'", name)
	case len(steps) == 0:
		return refuse("must specify 'step' for ensemble '%s'", name)
	}
	made := map[string]bool{}
	for i, s := range steps {
		switch {
		case s.ModelName == "":
			return refuse("must specify 'model_name' in step %d of ensemble '%s'", i, name)
		case len(s.InputMap) == 0:
			return refuse("must specify 'input_map' in step %d of ensemble '%s'", i, name)
		case len(s.OutputMap) == 0:
			return refuse("must specify 'output_map' in step %d of ensemble '%s'", i, name)
		}
		for _, t := range sortedValues(s.OutputMap) {
			if made[t] {
				return refuse("ensemble tensor '%s' can appear in an output map only once for ensemble '%s' step %d", t, name, i)
			}
			made[t] = true
		}
	}
	return checkTensors(cfg)
}

// checkTensors are the rules E11 to E14.
func checkTensors(cfg *modelconfig.ModelConfig) error {
	refuse := func(format string, args ...any) error { return infer.Errorf(infer.InvalidArg, format, args...) }
	w := newWiring(cfg)
	for _, in := range cfg.Input {
		if !w.read[in.Name] {
			return refuse("input '%s' for ensemble %s' is not used", in.Name, cfg.Name)
		}
	}
	for _, out := range cfg.Output {
		switch {
		case !w.read[out.Name] && w.maker[out.Name] == nil:
			return refuse("output '%s' for ensemble %s' is not used", out.Name, cfg.Name)
		case !w.ready[out.Name]:
			return refuse("output '%s' for ensemble '%s' is not written%s", out.Name, cfg.Name, w.why(out.Name))
		}
	}
	for _, t := range slices.Sorted(maps.Keys(w.maker)) {
		if !w.ready[t] || !w.read[t] && !w.output[t] {
			return refuse("ensemble tensor '%s' is unused in ensemble '%s'", t, cfg.Name)
		}
	}
	for _, t := range slices.Sorted(maps.Keys(w.read)) {
		if !w.ready[t] {
			return refuse("ensemble tensor '%s' is unused in ensemble '%s'", t, cfg.Name)
		}
	}
	return nil
}

// wiring is who makes and who reads the tensors of an ensemble, and which of them can be computed.
type wiring struct {
	maker  map[string]*modelconfig.ModelEnsembling_Step
	read   map[string]bool
	output map[string]bool
	ready  map[string]bool
}

func newWiring(cfg *modelconfig.ModelConfig) *wiring {
	w := &wiring{
		maker: map[string]*modelconfig.ModelEnsembling_Step{},
		read:  map[string]bool{}, output: map[string]bool{}, ready: map[string]bool{},
	}
	for _, in := range cfg.Input {
		w.ready[in.Name] = true
	}
	for _, out := range cfg.Output {
		w.output[out.Name] = true
	}
	steps := cfg.GetEnsembleScheduling().GetStep()
	for _, s := range steps {
		for _, t := range s.InputMap {
			w.read[t] = true
		}
		for _, t := range s.OutputMap {
			w.maker[t] = s
		}
	}
	for again := true; again; {
		again = false
		for _, s := range steps {
			again = w.fire(s) || again
		}
	}
	return w
}

// fire marks a step's outputs when all its inputs can be computed, and says whether that is news.
func (w *wiring) fire(s *modelconfig.ModelEnsembling_Step) (news bool) {
	for _, t := range s.InputMap {
		if !w.ready[t] {
			return false
		}
	}
	for _, t := range s.OutputMap {
		news = news || !w.ready[t]
		w.ready[t] = true
	}
	return news
}

// why names an input without a source of the step that would write the output (E13's tail).
func (w *wiring) why(output string) string {
	s := w.maker[output]
	if s == nil {
		return ""
	}
	for _, t := range sortedValues(s.InputMap) {
		if !w.ready[t] && w.maker[t] == nil {
			return ": at least one of its depending tensors, '" + t + "', is not connected"
		}
	}
	return ""
}

func sortedValues(m map[string]string) []string { return slices.Sorted(maps.Values(m)) }
