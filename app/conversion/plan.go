package conversion

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/repo/layout"
)

// PlanConfig writes the config of a plan's model: its tensors are those of the plan, its batches those of the profiles. Labels stay those of the
// ONNX model. Each instance has all profiles, so that it takes every request that one of them takes. Where the machine has GPUs of other kinds, too, the
// group names those of the builder's kind: on the others no instance could be made.
func PlanConfig(name string, source *modelconfig.ModelConfig, plan *api.ConversionReport) string {
	group := &modelconfig.ModelInstanceGroup{Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Count: 1, Gpus: plan.Gpus}
	if plan.Profiles > 1 { // Triton takes the first one alone where none is named
		for number := range plan.Profiles {
			group.Profile = append(group.Profile, strconv.FormatUint(uint64(number), 10))
		}
	}
	cfg := &modelconfig.ModelConfig{
		Name: name, Platform: backends.TensorRTPlan.Platform, MaxBatchSize: planBatch(source, plan),
		InstanceGroup: []*modelconfig.ModelInstanceGroup{group},
	}
	if cfg.MaxBatchSize > 1 && source.GetDynamicBatching() != nil {
		batching := proto.CloneOf(source.GetDynamicBatching())
		tooLarge := func(size int32) bool { return size > cfg.MaxBatchSize } // Triton refuses a model that prefers such a batch
		batching.PreferredBatchSize = slices.DeleteFunc(batching.PreferredBatchSize, tooLarge)
		cfg.SchedulingChoice = &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: batching}
	}
	for _, t := range plan.Tensors {
		dims, reshape := t.Shape, (*modelconfig.ModelTensorReshape)(nil)
		if cfg.MaxBatchSize > 0 {
			dims = dims[1:]
		}
		if len(dims) == 0 { // as Triton completes it
			dims, reshape = []int64{1}, &modelconfig.ModelTensorReshape{}
		}
		datatype := modelconfig.DataType(modelconfig.DataType_value[t.Datatype])
		if t.Input {
			cfg.Input = append(cfg.Input, &modelconfig.ModelInput{Name: t.Name, DataType: datatype, Dims: dims, Reshape: reshape})
			continue
		}
		out := &modelconfig.ModelOutput{Name: t.Name, DataType: datatype, Dims: dims, Reshape: reshape}
		if i := slices.IndexFunc(source.GetOutput(), func(o *modelconfig.ModelOutput) bool { return o.GetName() == t.Name }); i >= 0 {
			out.LabelFilename = source.Output[i].GetLabelFilename()
		}
		cfg.Output = append(cfg.Output, out)
	}
	return string(modelconfig.PrintText(cfg))
}

// planBatch is the largest batch that a profile takes; 0 where the ONNX model has no batches, or the plan's first size is fixed somewhere.
func planBatch(source *modelconfig.ModelConfig, plan *api.ConversionReport) int32 {
	fixed := func(t *api.ConvertedTensor) bool { return len(t.Shape) == 0 || t.Shape[0] != -1 }
	if source.GetMaxBatchSize() == 0 || slices.ContainsFunc(plan.Tensors, fixed) {
		return 0
	}
	return int32(min(plan.LargestBatch, 1<<30))
}

// largestLabels bounds a label file, as a repository of a stranger may have any.
const largestLabels = 64 << 20

// labels reads the label files that the config of a plan's model names too. They become files of the new model, so none that lies
// outside the model's folder is read, also not behind a link.
func (s Source) labels() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, out := range s.Config.GetOutput() {
		name := out.GetLabelFilename()
		if name == "" || !filepath.IsLocal(name) {
			continue
		}
		text, err := readLabels(s.Model.Dir, name)
		if err != nil {
			return nil, fmt.Errorf("read the labels of output '%s': %w", out.GetName(), err)
		}
		files[name] = text
	}
	return files, nil
}

// readLabels reads a label file of a model's folder.
func readLabels(dir, name string) ([]byte, error) {
	file, err := layout.Inside(dir, name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > largestLabels:
		return nil, fmt.Errorf("%s is no file with labels: it is no file, or has more than %d MiB", file, largestLabels>>20)
	}
	return os.ReadFile(file)
}
