package check

import (
	"conch/configedit/bytesize"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// Advise reports what works but could work better. It is separate from Check, and reports nothing about a broken text
// or a template.
func Advise(m *Model) []diag.Diagnostic {
	if m.Decoded == nil || diag.HasErrors(m.Syntax) || isTemplate(m) {
		return nil
	}
	a := adviser{checker: newChecker(m, nil, newShared())}
	if a.isEnsemble() {
		return nil
	}
	a.scheduler()
	a.preferredSizes()
	a.pointlessBatching()
	a.copies()
	a.keptVersions()
	a.labels()
	return a.sorted()
}

type adviser struct{ *checker }

func (a adviser) advise(r *rule.Rule, span diag.Span, message string, fixes []diag.Fix) {
	a.report(finding{rule: r, span: span, message: message, fixes: fixes})
}

// scheduler: ADV1. Requests of several clients are joined only by a scheduler.
func (a adviser) scheduler() {
	if a.cfg.GetMaxBatchSize() > 1 && a.cfg.GetSchedulingChoice() == nil && a.has("max_batch_size") {
		a.advise(rule.ADV1, a.span("max_batch_size"), say("batches of up to %d are allowed, but without dynamic_batching Triton never joins requests into batches",
			a.cfg.GetMaxBatchSize()), a.insert("dynamic_batching { }"))
	}
}

// preferredSizes: ADV2. Without a delay Triton takes the waiting requests, and preferred sizes only split them.
func (a adviser) preferredSizes() {
	batching := a.m.Decoded.Config.GetDynamicBatching()
	if len(batching.GetPreferredBatchSize()) == 0 || batching.GetMaxQueueDelayMicroseconds() != 0 {
		return
	}
	path := []any{"dynamic_batching", "preferred_batch_size"}
	a.advise(rule.ADV2, a.name(path...), "preferred_batch_size helps only models that are made for certain sizes, such as TensorRT profiles; "+
		"without max_queue_delay_microseconds no request waits for such a size", a.remove("remove preferred_batch_size", path...))
}

// pointlessBatching: ADV3. One request is a batch of one.
func (a adviser) pointlessBatching() {
	if a.cfg.GetDynamicBatching() != nil && a.cfg.GetMaxBatchSize() <= 1 && a.has("dynamic_batching") {
		a.advise(rule.ADV3, a.name("dynamic_batching"), say("max_batch_size is %d, so dynamic_batching has nothing to join", a.cfg.GetMaxBatchSize()), nil)
	}
}

// From these sizes on, copies of a model do not fit on a usual machine. They are used when the machine is unknown.
const (
	manyBytes  = 64 << 30
	manyCopies = 32
)

// copies: ADV4. With most backends each instance holds its own copy of the weights. The memory of GPUs is not known.
func (a adviser) copies() {
	for i, group := range a.m.Decoded.Config.GetInstanceGroup() {
		if group.Count < 2 || group.Kind == modelconfig.ModelInstanceGroup_KIND_MODEL {
			continue
		}
		if why := a.tooManyCopies(group); why != "" {
			a.advise(rule.ADV4, a.span("instance_group", i, "count"), why, nil)
		}
	}
}

// tooManyCopies returns why a group is too large, or "" if it is not.
func (a adviser) tooManyCopies(group *modelconfig.ModelInstanceGroup) string {
	size := a.weights()
	total, memory := size*int64(group.Count), a.m.Facts.Memory
	if int(group.Count) > derive.Plenty(a.m.Facts.Processors) {
		return "" // there is a warning
	}
	onCPU := group.Kind == modelconfig.ModelInstanceGroup_KIND_CPU || len(a.m.Facts.GPUs) == 0 && group.Kind != modelconfig.ModelInstanceGroup_KIND_GPU
	each := say("%d instances hold the weights %d times, each about %s", group.Count, group.Count, bytesize.Text(size))
	switch {
	case onCPU && memory > 0 && total > memory:
		return each + say(": %s together, and this machine has %s", bytesize.Text(total), bytesize.Text(memory))
	case (memory == 0 || !onCPU) && total > manyBytes:
		return each + say(": %s together, which few machines or GPUs have room for", bytesize.Text(total))
	case group.Count > manyCopies:
		return say("%d instances run side by side; if they are more than the cores, or than fit on a GPU, they only slow each other down", group.Count)
	}
	return ""
}

// weights returns the size of the files of the newest version, or else of its model file. It returns 0 if the size is unknown.
func (a adviser) weights() int64 {
	if a.m.Facts.Weights > 0 {
		return a.m.Facts.Weights
	}
	size, _ := a.m.Folder.sizeOf(say("%d/%s", newest(a.m), a.cfg.GetDefaultModelFilename()))
	return size
}

// keptVersions: ADV5. Every version that is served takes its memory.
func (a adviser) keptVersions() {
	policy := a.m.Decoded.Config.GetVersionPolicy()
	if n := len(Served(a.m)); n > 3 && policy != nil && (policy.GetAll() != nil || policy.GetPolicyChoice() == nil) {
		a.advise(rule.ADV5, a.name("version_policy"), say("all %d versions are loaded and take memory; latest or specific versions limit that", n), nil)
	}
}

// labels: ADV6. A label is found by the number of its line, so a class without a line is answered without a label, and a
// line without a class is never used (docs/triton/repository.md, "Labels").
func (a adviser) labels() {
	for i, out := range a.cfg.GetOutput() {
		labels, classes := a.countLabels(out)
		if labels == classes {
			continue
		}
		than := "the others are returned without a label"
		if labels > classes {
			than = say("labels beyond line %d are never returned", classes)
		}
		a.advise(rule.ADV6, a.span("output", i, "label_filename"),
			say("%s has %s, and output %q has %d elements; %s", out.LabelFilename, labelsOf(labels), out.Name, classes, than), nil)
	}
}
