package main

import (
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
)

// mutant changes one file of a repository.
type mutant struct {
	*rand.Rand
	files map[string]string
	// names are the strings of all configs: tensors, models, files.
	names []string
}

// configs are the paths that hold configs, sorted.
func (m *mutant) configs() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.files)), func(p string) bool { return path.Base(p) != "config.pbtxt" })
}

var quoted = regexp.MustCompile(`"([^"\n]*)"`)

// newMutant copies a base.
func newMutant(r *rand.Rand, base map[string]string) *mutant {
	m := &mutant{Rand: r, files: maps.Clone(base)}
	for _, p := range m.configs() {
		for _, found := range quoted.FindAllStringSubmatch(m.files[p], -1) {
			m.names = append(m.names, found[1])
		}
	}
	return m
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// change makes one mutation, of a config mostly.
func (m *mutant) change() {
	if m.IntN(100) < 12 {
		m.changeFiles()
		return
	}
	configs := m.configs()
	if len(configs) == 0 {
		return
	}
	p := pick(m.Rand, configs)
	m.files[p] = m.changeText(m.files[p])
}

// changeFiles removes, renames or adds something beside the configs.
func (m *mutant) changeFiles() {
	paths := slices.Sorted(maps.Keys(m.files))
	p := pick(m.Rand, paths)
	content := m.files[p]
	model, rest, _ := strings.Cut(p, "/")
	switch m.IntN(6) {
	case 0:
		delete(m.files, p)
	case 1: // a version folder under another name
		if folder, file, ok := strings.Cut(rest, "/"); ok && folder != "warmup" {
			delete(m.files, p)
			m.files[model+"/"+pick(m.Rand, []string{"2", "01", "v1", "10", "0", "abc", "9", "warmup"})+"/"+file] = content
		}
	case 2:
		m.files[model+"/"+pick(m.Rand, []string{"2/.keep", "4/model.onnx", "1/model.py", ".hidden/x", "zz/notes", "README", "00/model.plan", "1/model.pt", "-a/x"})] = ""
	case 3:
		if !strings.HasSuffix(p, "config.pbtxt") && !strings.HasSuffix(p, ".py") { // what half a program does, only Python knows
			m.files[p] = content[:len(content)/2]
		}
	case 4: // another model
		if strings.HasSuffix(p, ".onnx") {
			m.files[p] = otherModel(m.Rand)
		}
	case 5: // another name for the model's folder
		for _, other := range paths {
			if inside, ok := strings.CutPrefix(other, model+"/"); ok {
				m.files[model+"x/"+inside] = m.files[other]
				delete(m.files, other)
			}
		}
	}
}

// changeText makes one mutation of a text.
func (m *mutant) changeText(src string) string {
	nodes := all(parse(src))
	if len(nodes) == 0 || m.IntN(100) < 12 {
		return pick(m.Rand, additions) + "\n" + src
	}
	n := pick(m.Rand, nodes)
	switch chance := m.IntN(100); {
	case chance < 20:
		return src[:n.start] + src[n.end:]
	case chance < 28:
		return src[:n.end] + " " + src[n.start:n.end] + src[n.end:]
	case chance < 31:
		return src[:n.start] + n.name + "x" + src[n.nameEnd:]
	case chance < 36: // to another place
		to := pick(m.Rand, nodes)
		return src[:to.start] + src[n.start:n.end] + " " + src[to.start:]
	case chance < 44 && n.kind == message:
		return src[:n.vs] + "{ }" + src[n.ve:]
	case chance < 48: // swapped with the value of another field
		return src[:n.vs] + m.valueOf(src, nodes) + src[n.ve:]
	}
	return src[:n.vs] + m.other(n, src[n.vs:n.ve]) + src[n.ve:]
}

func (m *mutant) valueOf(src string, nodes []*node) string {
	n := pick(m.Rand, nodes)
	return src[n.vs:n.ve]
}

var numbers = []string{
	"0", "1", "2", "3", "4", "5", "8", "9", "16", "64", "-1", "-1", "-2", "-64", "100000", "2147483648", "4294967296", "18446744073709551616",
	"1.5", "0x10", "08", "\"4\"", "1e1", "+3", "- 1",
}

var words1 = []string{"true", "false", "True", "t", "yes", "1", "0", "2", "\"true\"", "TRUE"}

var enums = map[string][]string{
	"TYPE_": {"TYPE_INVALID", "TYPE_FP32", "TYPE_INT32", "TYPE_INT64", "TYPE_STRING", "TYPE_BOOL", "TYPE_UINT8", "TYPE_FP16", "TYPE_UINT64", "FP32", "type_fp32", "TYPE_FOO", "99", "11"},
	"KIND_": {"KIND_AUTO", "KIND_CPU", "KIND_MODEL", "KIND_FOO", "2", "9"},
	"CONTROL": {
		"CONTROL_SEQUENCE_START", "CONTROL_SEQUENCE_END", "CONTROL_SEQUENCE_READY", "CONTROL_SEQUENCE_CORRID", "CONTROL_X", "7",
	},
	"BATCH_": {"BATCH_ELEMENT_COUNT", "BATCH_ITEM_SHAPE", "BATCH_SCATTER_WITH_INPUT_SHAPE", "9", "BATCH_ACCUMULATED_ELEMENT_COUNT"},
	"FORMAT": {"FORMAT_NONE", "FORMAT_NHWC", "FORMAT_NCHW", "FORMAT_X", "5"},
	"REJECT": {"DELAY"}, "DELAY": {"REJECT"},
}

// other is another value in place of one.
func (m *mutant) other(n *node, old string) string {
	if m.IntN(100) < 6 { // of another type altogether
		return pick(m.Rand, []string{"1", "\"x\"", "bare", "[ ]", "{ }", "[ 1 ]", "true", "-1.5"})
	}
	switch n.kind {
	case number:
		if n.name == "count" || n.name == "batch_size" { // every one of them is made
			return pick(m.Rand, numbers[:8])
		}
		return pick(m.Rand, numbers)
	case text:
		return m.otherText(old)
	case word:
		for prefix, others := range enums {
			if strings.HasPrefix(old, prefix) {
				return pick(m.Rand, others)
			}
		}
		return pick(m.Rand, words1)
	case list:
		return m.otherList(old)
	}
	return old
}

func (m *mutant) otherText(old string) string {
	switch m.IntN(10) {
	case 0:
		return `""`
	case 1:
		return old[:len(old)-1] + `x"`
	case 2:
		return strings.ToUpper(old)
	case 3:
		return pick(m.Rand, []string{`"../up"`, `"python"`, `"ensemble"`, `"model.py"`, `"a" "b"`, `'q'`, `"identity"`})
	}
	if len(m.names) == 0 {
		return `"x"`
	}
	return `"` + pick(m.Rand, m.names) + `"`
}

// otherList changes a list of numbers or words: an element more, less, another, or a comma too many.
func (m *mutant) otherList(old string) string {
	if strings.Contains(old, "{") {
		return "[ ]"
	}
	elements := strings.FieldsFunc(strings.Trim(old, "[] "), func(r rune) bool { return r == ',' || r == ' ' })
	switch m.IntN(6) {
	case 0:
		return "[ ]"
	case 1:
		elements = append(elements, pick(m.Rand, []string{"1", "2", "4", "-1", "0", "9"}))
	case 2:
		if len(elements) > 0 {
			elements = elements[1:]
		}
	case 3:
		return "[ " + strings.Join(elements, ", ") + ", ]"
	default:
		if len(elements) > 0 {
			elements[m.IntN(len(elements))] = pick(m.Rand, []string{"1", "2", "3", "4", "8", "16", "-1", "0", "-3", "100", "64", "63", "true"})
		}
	}
	return "[ " + strings.Join(elements, ", ") + " ]"
}

// additions are fields that a config may get at its top.
var additions = []string{
	`platform: "ensemble"`, `platform: "python"`, `platform: "onnxruntime_onnx"`, `backend: "identity"`, `backend: "no_such"`, `backend: ""`,
	`name: "another"`, `max_batch_size: 0`, `max_batch_size: 3`, `max_batch_size: -4`,
	`dynamic_batching { }`, `dynamic_batching { preferred_batch_size: 2 }`, `sequence_batching { }`, `dynamic_batching { preserve_ordering: true priority_levels: 2 default_priority_level: 1 }`,
	`response_cache { enable: true }`, `model_transaction_policy { decoupled: true }`, `model_transaction_policy { }`,
	`instance_group { kind: KIND_CPU gpus: 0 }`, `instance_group { kind: KIND_MODEL gpus: [ 0, 1 ] }`, `instance_group { profile: "0" kind: KIND_CPU }`,
	`instance_group { gpus: 0 }`, `instance_group { count: -3 secondary_devices { } host_policy: "x" }`, `instance_group { rate_limiter { resources { name: "R" global: true count: 2 } resources { name: "R" count: 1 } } }`,
	`optimization { }`, `optimization { priority: PRIORITY_MAX cuda { graphs: true } }`, `version_policy { }`, `version_policy { latest { } }`,
	`version_policy { specific { } }`, `version_policy { specific { versions: [ 4 ] } }`, `version_policy { specific { versions: [ 1, 2 ] } }`,
	`input { name: "more" data_type: TYPE_FP32 dims: [ 1 ] }`, `input { name: "more" data_type: TYPE_FP32 dims: [ 2, 2 ] reshape { shape: [ 4 ] } }`,
	`output { name: "more" data_type: TYPE_FP32 dims: [ -1, 2 ] reshape { shape: [ 2 ] } }`, `output { name: "more" data_type: TYPE_STRING dims: [ 1 ] label_filename: "none.txt" }`,
	`output { name: "more" data_type: TYPE_STRING dims: [ 1 ] label_filename: "labels.txt" }`,
	`input { name: "shape" data_type: TYPE_INT32 dims: [ 1 ] is_shape_tensor: true }`, `input { name: "s" data_type: TYPE_INT32 dims: [ 1, 2 ] is_non_linear_format_io: true }`,
	`model_warmup { }`, `model_warmup { name: "w" batch_size: 1 }`, `model_warmup { name: "w" batch_size: 0 inputs { key: "q" value { dims: -1 } } }`,
	`batch_input { kind: BATCH_ITEM_SHAPE target_name: "t" data_type: TYPE_INT32 source_input: "image" }`, `batch_output { }`, `batch_input { }`,
	`parameters { key: "a" }`, `parameters { }`, `metric_tags { key: "a" value: "b" }`, `cc_model_filenames { key: "8.0" value: "x" }`,
	`default_model_filename: "model.py"`, `default_model_filename: "other.bin"`, `default_model_filename: "model.onnx"`,
	`runtime: "model.py"`, `runtime: "libtriton_identity.so"`, `runtime: "no_such.so"`, `model_operations { op_library_filename: "x.so" }`,
	`ensemble_scheduling { step { model_name: "x" model_version: -1 input_map { key: "a" value: "b" } output_map { key: "c" value: "d" } } }`,
	`parameters { key: "FORCE_CPU_ONLY_INPUT_TENSORS" value { string_value: "maybe" } }`, `foo: 1`, `,`, `input {`, `}`, `# only a comment`,
}
