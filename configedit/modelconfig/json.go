package modelconfig

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
)

// MarshalJSON writes a config as Triton serves it at /v2/models/X/config.
func MarshalJSON(cfg *ModelConfig) ([]byte, error) {
	out, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("write model configuration as JSON: %w", err)
	}
	return out, nil
}

// UnmarshalJSON reads a config from JSON as Triton reads a load override.
func UnmarshalJSON(data []byte) (*ModelConfig, error) {
	cfg := &ModelConfig{}
	if err := protojson.Unmarshal(data, cfg); err != nil {
		return nil, fmt.Errorf("read model configuration from JSON: %w", err)
	}
	return cfg, nil
}
