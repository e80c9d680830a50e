package check

import (
	"maps"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// sample is one model_warmup while it goes through Triton's checks.
type sample struct {
	*checker
	index  int
	setup  *modelconfig.ModelWarmup
	inputs map[string]*modelconfig.ModelInput
}

// checkWarmup: WU1 to WU7 and WU9 (docs/triton/loading.md, "Warm-up"). Triton checks a sample like a request.
func checkWarmup(c *checker) {
	if len(c.cfg.GetModelWarmup()) == 0 || c.isEnsemble() || !c.anyActive() {
		return
	}
	inputs := map[string]*modelconfig.ModelInput{}
	for _, in := range slices.Backward(c.cfg.GetInput()) { // of two with one name, the first counts
		inputs[in.Name] = in
	}
	for i, setup := range c.cfg.GetModelWarmup() {
		if setup.BatchSize == 0 {
			c.report(finding{
				rule: rule.WU0, span: c.span("model_warmup", i, "batch_size"), fixes: c.giveBatch(i),
				message: "Triton skips a sample without batch_size: write batch_size: 1",
			})
			continue
		}
		if !c.full() && !c.broken("model_warmup", i) {
			s := &sample{checker: c, index: i, setup: setup, inputs: inputs}
			s.check()
		}
	}
}

func (c *checker) giveBatch(i int) []diag.Fix {
	if c.has("model_warmup", i, "batch_size") {
		return replace("replace 0 by 1", c.span("model_warmup", i, "batch_size"), "1")
	}
	return c.insert("batch_size: 1", "model_warmup", i)
}

// anyActive reports whether a group of instances takes requests; passive ones are not warmed up.
func (c *checker) anyActive() bool {
	groups := c.cfg.GetInstanceGroup()
	return len(groups) == 0 || slices.ContainsFunc(groups, func(g *modelconfig.ModelInstanceGroup) bool { return !g.Passive })
}

// path returns a path in the sample.
func (s *sample) path(rest ...any) []any { return append([]any{"model_warmup", s.index}, rest...) }

func (s *sample) check() {
	keys := slices.Sorted(maps.Keys(s.setup.Inputs))
	sound := true
	for _, key := range keys {
		sound = s.fixedDims(key) && sound
	}
	for _, key := range keys {
		sound = s.data(key) && sound
	}
	if !sound || len(s.cfg.GetInput()) == 0 && completes(s.m) || s.unread(nil, "input") {
		return
	}
	s.count()
	for _, key := range keys {
		if in := s.inputs[key]; in != nil {
			s.matches(key, in)
		}
	}
	s.fits()
}

// counted are the backends that compare the number of requests with max_batch_size.
var counted = []string{backends.ONNXRuntime, backends.Python}

// fits: WU9, which the backend refuses when the sample runs. The program of a Python model may set max_batch_size itself.
func (s *sample) fits() {
	most := s.cfg.GetMaxBatchSize()
	mayRaise := s.cfg.GetBackend() == backends.Python && completes(s.m)
	if !slices.Contains(counted, s.cfg.GetBackend()) || mayRaise || int64(s.setup.BatchSize) <= int64(max(most, 1)) {
		return
	}
	s.report(finding{
		rule: rule.WU9, span: s.span(s.path("batch_size")...),
		args:    values(s.setup.Name, s.setup.BatchSize, s.cfg.GetName(), most),
		message: say("the sample has a batch_size of %d; max_batch_size is %d", s.setup.BatchSize, most),
	})
}

// fixedDims: WU1.
func (s *sample) fixedDims(key string) bool {
	open := slices.Index(s.setup.Inputs[key].Dims, -1)
	if open < 0 {
		return true
	}
	span := s.span(s.path("inputs", key, "dims", open)...)
	s.report(finding{
		rule: rule.WU1, span: span, args: values(key),
		message: say("the sample for input %q needs a number for every size, not -1", key),
		fixes:   replace("replace -1 by 1", span, "1"),
	})
	return false
}

// data: WU2 to WU4 and WU8, the source of an input's values.
func (s *sample) data(key string) bool {
	input := s.setup.Inputs[key]
	if input.InputDataType == nil {
		s.report(finding{
			rule: rule.WU2, span: s.span(s.path("inputs", key, "key")...), args: values(key),
			message: say("the sample does not say what input %q gets: zero_data, random_data or input_data_file", key),
			fixes:   s.insert("zero_data: true", s.path("inputs", key, "value")...),
		})
		return false
	}
	name := input.GetInputDataFile()
	if name == "" {
		return true
	}
	rel, path := "warmup/"+name, s.path("inputs", key, "input_data_file")
	s.leaves(rule.WU8, path, rel)
	if s.m.Folder == nil {
		return true
	}
	if s.m.Folder.lacks(rel) {
		s.missingFile(rule.WU3, path, rel)
		return false
	}
	need, have, short := s.tooShort(rel, input.DataType, input.Dims)
	if short {
		s.report(finding{
			rule: rule.WU4, span: s.span(path...), args: values(need, name, have),
			message: say("the sample for input %q takes %d bytes, and file %s has %d", key, need, rel, have),
		})
	}
	return !short
}

// count: WU5, inputs that the sample leaves out.
func (s *sample) count() {
	var given, missing []string
	required := 0
	for _, in := range s.cfg.GetInput() {
		if !in.Optional {
			required++
		}
		if _, ok := s.setup.Inputs[in.Name]; ok {
			given = append(given, in.Name)
		} else if !in.Optional {
			missing = append(missing, in.Name)
		}
	}
	slices.Sort(given)
	given = slices.Compact(given) // the config may list one twice
	all := len(s.cfg.GetInput())
	if len(given) >= required {
		return
	}
	expected := say("expected %d inputs", all)
	if required < all {
		expected = say("expected number of inputs between %d and %d", required, all)
	}
	s.report(finding{
		rule: rule.WU5, span: s.span(s.path("name")...),
		args: values(expected, len(given), s.cfg.GetName(), singleQuoted(given),
			strings.TrimSuffix("["+singleQuoted(missing), "[")),
		message: say("the sample gives %d of the inputs, and the model needs all that are not optional%s", len(given), missingNames(missing)),
	})
}

func missingNames(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "; " + quotedList(list) + " are missing"
}

func singleQuoted(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "'" + strings.Join(list, "','") + "'"
}

// batchNote is the end of Triton's sentence about shapes if the model batches
// (docs/triton/requests.md, "Checks").
const batchNote = "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each " +
	"input shape. If you want to specify the full shape including the batch dim in your input dims config, try setting " +
	"max_batch_size to zero. See the model configuration docs for more info on max_batch_size."

// matches: WU6 and WU7, one input against the config.
func (s *sample) matches(key string, in *modelconfig.ModelInput) {
	given := s.setup.Inputs[key]
	switch {
	case given.DataType != in.DataType:
		s.otherType(key, in)
	case !wild(in.Dims, given.Dims):
		s.otherShape(key, in)
	}
}

// otherType: WU6.
func (s *sample) otherType(key string, in *modelconfig.ModelInput) {
	given := s.setup.Inputs[key]
	f := finding{
		rule: rule.WU6, span: s.span(s.path("inputs", key, "data_type")...),
		args:    values(key, protocolName(given.DataType), s.cfg.GetName(), protocolName(in.DataType)),
		message: say("the sample gives %s to input %q, which takes %s", given.DataType, key, in.DataType),
	}
	if s.has(s.path("inputs", key, "data_type")...) {
		f.fixes = replace(say("replace %s by %s", given.DataType, in.DataType), f.span, in.DataType.String())
	} else {
		f.message = say("the sample for input %q does not say its data_type, which is %s", key, in.DataType)
		f.fixes = s.insert("data_type: "+in.DataType.String(), s.path("inputs", key, "value")...)
	}
	s.report(f)
}

// otherShape: WU7. The sample's batch dimension is added by Triton.
func (s *sample) otherShape(key string, in *modelconfig.ModelInput) {
	given := s.setup.Inputs[key]
	got, note := given.Dims, ""
	if s.cfg.GetMaxBatchSize() > 0 {
		got, note = append([]int64{1}, got...), batchNote
	}
	sentence := rule.WU7.Sentence(key, s.cfg.GetName(), compact(effectiveShape(s.cfg, in.Dims)), compact(got), note)
	s.report(finding{
		rule: rule.WU7, span: s.span(s.path("inputs", key, "dims")...), sentence: strings.TrimRight(sentence, " "),
		message: say("the sample gives %s to input %q, which takes %s", shown(given.Dims), key, shown(in.Dims)),
	})
}

// protocolName returns a data type's name in requests. An unknown type is written as Triton writes it.
func protocolName(t modelconfig.DataType) string {
	if t == modelconfig.DataType_TYPE_INVALID || modelconfig.DataType_name[int32(t)] == "" {
		return "<invalid>"
	}
	return apiName(t)
}
