package complete

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// values are what the field at the place may be set to.
func (p *place) values() []Item {
	fd := p.field
	switch {
	case fd == nil:
		return nil
	case fd.Enum() != nil:
		return p.enumerators(fd)
	case fd.Kind() == protoreflect.BoolKind:
		return []Item{{Label: "true", Kind: KindValue, Insert: "true"}, {Label: "false", Kind: KindValue, Insert: "false"}}
	case fd.FullName() == "inference.ModelInput.dims" || fd.FullName() == "inference.ModelOutput.dims":
		return p.dims()
	case fd.FullName() == "inference.ModelEnsembling.Step.model_version":
		return p.versions()
	case fd.FullName() == "inference.ModelVersionPolicy.Specific.versions":
		return p.folders()
	case fd.Kind() == protoreflect.StringKind:
		return p.names()
	}
	return nil
}

func (p *place) enumerators(fd protoreflect.FieldDescriptor) []Item {
	first := ""
	if t := p.fileTensor(); t != nil && fd.Enum().FullName() == "inference.DataType" {
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

// names are strings that the schema knows nothing of, but the repository does.
func (p *place) names() []Item {
	path := strings.Join(append(p.at.Names(), string(p.field.Name())), ".")
	if ask := sources[path]; ask != nil {
		return ask(p)
	}
	return nil
}

// sources tell where the strings of a field come from.
var sources = map[string]func(*place) []Item{
	"name":     func(p *place) []Item { return quoted(KindValue, "the folder's name", p.m.Name) },
	"backend":  func(*place) []Item { return quoted(KindValue, "backend", offered()...) },
	"platform": func(*place) []Item { return quoted(KindValue, "platform", backends.Platforms()...) },

	"default_model_filename":        (*place).modelFiles,
	"output.label_filename":         (*place).files,
	"parameters.key":                (*place).keysOfBackend,
	"parameters.value.string_value": (*place).parameterValues,

	"input.name":                                      func(p *place) []Item { return p.unlisted("input") },
	"output.name":                                     func(p *place) []Item { return p.unlisted("output") },
	"batch_input.source_input":                        func(p *place) []Item { return p.own("input") },
	"batch_output.source_input":                       func(p *place) []Item { return p.own("input") },
	"batch_output.target_name":                        func(p *place) []Item { return p.own("output") },
	"model_warmup.inputs.key":                         func(p *place) []Item { return p.own("input") },
	"sequence_batching.state.input_name":              func(p *place) []Item { return p.unlisted("input") },
	"sequence_batching.state.output_name":             func(p *place) []Item { return p.unlisted("output") },
	"sequence_batching.control_input.name":            func(p *place) []Item { return p.unlisted("input") },
	"model_warmup.inputs.value.input_data_file":       func(p *place) []Item { return p.under(folder.Warmup) },
	"sequence_batching.state.initial_state.data_file": func(p *place) []Item { return p.under(folder.InitialState) },

	"optimization.execution_accelerators.gpu_execution_accelerator.name": func(p *place) []Item { return p.accelerators(false) },
	"optimization.execution_accelerators.cpu_execution_accelerator.name": func(p *place) []Item { return p.accelerators(true) },

	"optimization.execution_accelerators.gpu_execution_accelerator.parameters.key":   (*place).settings,
	"optimization.execution_accelerators.gpu_execution_accelerator.parameters.value": (*place).settingValues,

	"cc_model_filenames.value": (*place).modelFiles,
	"model_metrics.metric_control.metric_identifier.family": func(*place) []Item {
		return quoted(KindValue, "the one family that can be changed", "nv_inference_first_response_histogram_ms")
	},
	"ensemble_scheduling.step.model_name":       (*place).models,
	"ensemble_scheduling.step.input_map.key":    func(p *place) []Item { return p.ports("input") },
	"ensemble_scheduling.step.output_map.key":   func(p *place) []Item { return p.ports("output") },
	"ensemble_scheduling.step.input_map.value":  (*place).sources,
	"ensemble_scheduling.step.output_map.value": (*place).targets,
}

// folders are the version folders that there are.
func (p *place) folders() []Item {
	if p.m.Folder == nil {
		return nil
	}
	var items []Item
	for _, v := range p.m.Folder.Versions {
		number := strconv.FormatInt(v, 10)
		items = append(items, Item{Label: number, Kind: KindValue, Detail: "there is such a folder", Insert: number})
	}
	return items
}

func quoted(kind Kind, detail string, names ...string) []Item {
	items := make([]Item, len(names))
	for i, name := range names {
		items[i] = Item{Label: name, Kind: kind, Detail: detail, Insert: text.Quote(name)}
	}
	return items
}

func (p *place) files() []Item {
	if p.m.Folder == nil {
		return nil
	}
	files := slices.DeleteFunc(slices.Clone(p.m.Folder.Files), func(f string) bool { return strings.HasSuffix(f, ".pbtxt") })
	return quoted(KindFile, "in the model's folder", files...)
}

// models are the repository's other models.
func (p *place) models() []Item {
	if p.env == nil {
		return nil
	}
	var items []Item
	for _, name := range p.env.Names() {
		m, ok := p.env.Model(name)
		if !ok || name == p.m.Name {
			continue
		}
		item := quoted(KindModel, runs(m), name)[0]
		item.Documentation = signature(m)
		items = append(items, item)
	}
	return items
}

// versions are those that the step's model serves.
func (p *place) versions() []Item {
	items := []Item{{Label: "-1", Kind: KindValue, Detail: "the newest", Insert: "-1"}}
	if m := p.stepModel(0); m != nil {
		for _, v := range check.Served(m) {
			number := strconv.FormatInt(v, 10)
			items = append(items, Item{Label: number, Kind: KindValue, Detail: "served now", Insert: number})
		}
	}
	return items
}

// stepModel is the model of the step that is n messages up; nil where it is not known.
func (p *place) stepModel(n int) *check.Model {
	if p.env == nil {
		return nil
	}
	m, ok := p.env.Model(p.valueOf(p.around(n), "model_name"))
	if !ok {
		return nil
	}
	return m
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
