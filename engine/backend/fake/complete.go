package fake

import (
	"context"
	"os"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
)

// Tells begins the text of a model file that describes the model. A config in text form follows.
const Tells = "tells: "

// Complete fills in the tensors and the batch size from a model file that begins with Tells. Other files change nothing.
func (b *Backend) Complete(_ context.Context, spec backend.Spec) (*modelconfig.ModelConfig, error) {
	text, err := os.ReadFile(spec.File)
	told, tells := strings.CutPrefix(string(text), Tells)
	if err != nil || !tells {
		return spec.Config, nil // Load returns the error of the file
	}
	var model modelconfig.ModelConfig
	if err := prototext.Unmarshal([]byte(told), &model); err != nil {
		return nil, infer.Errorf(infer.Internal, "read model file: %v", err)
	}
	cfg := proto.Clone(spec.Config).(*modelconfig.ModelConfig)
	if len(cfg.Input) == 0 {
		cfg.Input = model.Input
	}
	if len(cfg.Output) == 0 {
		cfg.Output = model.Output
	}
	if cfg.MaxBatchSize == 0 {
		cfg.MaxBatchSize = model.MaxBatchSize
	}
	return cfg, nil
}
