package complete

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// values returns the possible values of the field at a place.
type values struct{ *place }

// items are the values, the most likely first.
func (p values) items() []Item {
	fd := p.field
	switch {
	case fd == nil:
		return nil
	case fd.Enum() != nil:
		return p.enumerators(fd)
	case fd.Kind() == protoreflect.BoolKind:
		return []Item{{Label: "true", Kind: KindValue, Insert: "true"}, {Label: "false", Kind: KindValue, Insert: "false"}}
	case fd.FullName() == "inference.ModelInput.dims" || fd.FullName() == "inference.ModelOutput.dims":
		return ownTensors(p).dims()
	case fd.FullName() == "inference.ModelEnsembling.Step.model_version":
		return newWires(p.place).versions()
	case fd.FullName() == "inference.ModelVersionPolicy.Specific.versions":
		return files(p).folders()
	case fd.Kind() == protoreflect.StringKind:
		return p.names()
	}
	return nil
}

func (p values) enumerators(fd protoreflect.FieldDescriptor) []Item {
	first := ""
	if t := ownTensors(p).fileTensor(); t != nil && fd.Enum().FullName() == "inference.DataType" {
		first = t.Type.String()
	}
	var items []Item
	for i := range fd.Enum().Values().Len() {
		v := fd.Enum().Values().Get(i)
		item := Item{Label: string(v.Name()), Kind: KindEnum, Documentation: modelconfig.Doc(v.FullName()), Insert: string(v.Name())}
		switch {
		case item.Label == "TYPE_INVALID":
		case item.Label == first:
			item.Detail = "as in the model file"
			items = slices.Insert(items, 0, item)
		default:
			items = append(items, item)
		}
	}
	return items
}

// names returns strings that the repository knows and the schema does not.
func (p values) names() []Item {
	path := strings.Join(append(p.at.Names(), string(p.field.Name())), ".")
	if ask := sources[path]; ask != nil {
		return ask(p.place)
	}
	return nil
}

// sources lists where the strings of a field come from.
var sources = map[string]func(*place) []Item{
	"name":     func(p *place) []Item { return quoted(KindValue, "the folder's name", p.m.Name) },
	"backend":  func(*place) []Item { return quoted(KindValue, "backend", offered()...) },
	"platform": func(*place) []Item { return quoted(KindValue, "platform", backends.Platforms()...) },

	"default_model_filename":        func(p *place) []Item { return files{p}.modelFiles() },
	"output.label_filename":         func(p *place) []Item { return files{p}.labels() },
	"parameters.key":                func(p *place) []Item { return settings{p}.keysOfBackend() },
	"parameters.value.string_value": func(p *place) []Item { return settings{p}.parameterValues() },

	"input.name":                                      func(p *place) []Item { return ownTensors{p}.unlisted("input") },
	"output.name":                                     func(p *place) []Item { return ownTensors{p}.unlisted("output") },
	"batch_input.source_input":                        func(p *place) []Item { return ownTensors{p}.own("input") },
	"batch_output.source_input":                       func(p *place) []Item { return ownTensors{p}.own("input") },
	"batch_output.target_name":                        func(p *place) []Item { return ownTensors{p}.own("output") },
	"model_warmup.inputs.key":                         func(p *place) []Item { return ownTensors{p}.own("input") },
	"sequence_batching.state.input_name":              func(p *place) []Item { return ownTensors{p}.unlisted("input") },
	"sequence_batching.state.output_name":             func(p *place) []Item { return ownTensors{p}.unlisted("output") },
	"sequence_batching.control_input.name":            func(p *place) []Item { return ownTensors{p}.unlisted("input") },
	"model_warmup.inputs.value.input_data_file":       func(p *place) []Item { return files{p}.under(folder.Warmup) },
	"sequence_batching.state.initial_state.data_file": func(p *place) []Item { return files{p}.under(folder.InitialState) },

	"optimization.execution_accelerators.gpu_execution_accelerator.name": func(p *place) []Item { return settings{p}.accelerators(false) },
	"optimization.execution_accelerators.cpu_execution_accelerator.name": func(p *place) []Item { return settings{p}.accelerators(true) },

	"optimization.execution_accelerators.gpu_execution_accelerator.parameters.key":   func(p *place) []Item { return settings{p}.unset() },
	"optimization.execution_accelerators.gpu_execution_accelerator.parameters.value": func(p *place) []Item { return settings{p}.settingValues() },

	"cc_model_filenames.value": func(p *place) []Item { return files{p}.modelFiles() },
	"model_metrics.metric_control.metric_identifier.family": func(*place) []Item {
		return quoted(KindValue, "the one family that can be changed", "nv_inference_first_response_histogram_ms")
	},
	"ensemble_scheduling.step.model_name":       func(p *place) []Item { return newWires(p).models() },
	"ensemble_scheduling.step.input_map.key":    func(p *place) []Item { return newWires(p).ports("input") },
	"ensemble_scheduling.step.output_map.key":   func(p *place) []Item { return newWires(p).ports("output") },
	"ensemble_scheduling.step.input_map.value":  func(p *place) []Item { return newWires(p).sources() },
	"ensemble_scheduling.step.output_map.value": func(p *place) []Item { return newWires(p).targets() },
}

func quoted(kind Kind, detail string, names ...string) []Item {
	items := make([]Item, len(names))
	for i, name := range names {
		items[i] = Item{Label: name, Kind: kind, Detail: detail, Insert: text.Quote(name)}
	}
	return items
}

// offered are the names of backends, those that Conch runs first.
func offered() []string {
	names := backends.Names()
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

func rank(backend string) int {
	if backends.Named(backend).Runs {
		return 0
	}
	return 1
}
