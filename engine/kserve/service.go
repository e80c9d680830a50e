// Package kserve is the engine's interface without any transport: one Service, which httpapi, grpcapi and
// metricsapi serve in Triton's form. Every error is an *infer.Error in Triton's words; the transports only
// translate its code.
package kserve

import (
	"context"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// Service is the engine as its transports see it.
type Service interface {
	Health
	Models
	Repository
	Entrance
}

// Entrance lets requests in. A transport reads, runs and answers a request with one version, even if another is
// loaded meanwhile.
type Entrance interface {
	Enter(name string, version int64) (infer.Target, error)
}

// Health answers the probes.
type Health interface {
	Live() bool
	// Ready reports whether every version of every known model is ready (docs/triton/loading.md,
	// "Readiness"). Models that have a say in it are asked.
	Ready(ctx context.Context) bool
}

// Models describes what is loaded. version is infer.Latest or a number.
type Models interface {
	// ModelReady asks the model too, where it has a say in it.
	ModelReady(ctx context.Context, name string, version int64) (bool, error)
	Metadata(name string, version int64) (*Metadata, error)
	// Config returns the completed config; callers must not change it.
	Config(name string, version int64) (*modelconfig.ModelConfig, error)
	// Statistics returns the statistics of one model, of one version of it (version > 0), or of all
	// ready models (name "").
	Statistics(name string, version int64) ([]Statistics, error)
}

// Repository is the model repository extension (docs/triton/http.md, "Repository extension").
type Repository interface {
	Index(readyOnly bool) []IndexEntry
	Load(ctx context.Context, name string, opts LoadOptions) error
	Unload(ctx context.Context, name string, opts UnloadOptions) error
}

// LoadOptions are the parameters of a load.
type LoadOptions struct {
	Config string            // an override: the model's config as JSON; "" = the file's
	Files  map[string][]byte // by path relative to the model's folder; needs Config
	Force  bool              // load even when nothing changed; Conch's own
}

// ClientsConfig returns the config of a client's load as LoadOptions has it. An empty text is no wish for the file's config
// but JSON that cannot be read, as in Triton.
func ClientsConfig(text string) string {
	if text == "" {
		return " "
	}
	return text
}

// UnloadOptions are the parameters of an unload.
type UnloadOptions struct {
	Dependents bool
}

// IndexEntry is one row of the repository index. A model that was never loaded has only a Name.
type IndexEntry struct {
	Name    string
	Version string
	State   string // READY, UNAVAILABLE, LOADING, UNLOADING; "" when never loaded
	Reason  string
}

// Metadata describes a model's tensors as a client must send them: shapes with the batch dimension.
type Metadata struct {
	Name     string
	Versions []string // all ready versions, or the requested one
	Platform string
	Inputs   []TensorMetadata
	Outputs  []TensorMetadata
}

// TensorMetadata is a tensor of a model; -1 stands for any extent.
type TensorMetadata struct {
	Name     string
	Datatype string
	Shape    []int64
}

// Statistics are the counters of one ready version, with Triton's meaning (docs/triton/metrics.md,
// "What counts as what").
type Statistics struct {
	Name           string
	Version        string
	LastInference  uint64 // Unix milliseconds; 0 = none yet
	InferenceCount uint64
	ExecutionCount uint64
	Success        Duration
	Fail           Duration
	Queue          Duration
	ComputeInput   Duration
	ComputeInfer   Duration
	ComputeOutput  Duration
	CacheHit       Duration
	CacheMiss      Duration
	Batches        []BatchStatistics // ascending batch size
}

// Duration is a number of events and their total time.
type Duration struct {
	Count uint64
	Ns    uint64
}

// BatchStatistics are the executions of one batch size.
type BatchStatistics struct {
	Size          uint64
	ComputeInput  Duration
	ComputeInfer  Duration
	ComputeOutput Duration
}
