package kserve

// ProtocolVersion is the release of Triton whose protocol Conch speaks; clients read it as the server's
// version.
const ProtocolVersion = "2.73.0"

// ServerInfo is what a server says of itself.
type ServerInfo struct {
	Name    string // "triton" unless --id says otherwise
	Version string
}

// WithDefaults fills in what is empty.
func (s ServerInfo) WithDefaults() ServerInfo {
	if s.Name == "" {
		s.Name = "triton"
	}
	if s.Version == "" {
		s.Version = ProtocolVersion
	}
	return s
}

// Extensions are the protocol extensions, in Triton's order, also those that are switched off
// (docs/triton/http.md, "Metadata and config").
func Extensions() []string {
	return []string{
		"classification", "sequence", "model_repository", "model_repository(unload_dependents)", "schedule_policy",
		"model_configuration", "system_shared_memory", "cuda_shared_memory", "binary_tensor_data", "parameters",
		"statistics", "trace", "logging",
	}
}
