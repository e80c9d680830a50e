package kserve

// Extensions returns the protocol extensions in Triton's order, including those that are switched
// off (docs/triton/http.md, "Metadata and config").
func Extensions() []string {
	return []string{
		"classification", "sequence", "model_repository", "model_repository(unload_dependents)", "schedule_policy",
		"model_configuration", "system_shared_memory", "cuda_shared_memory", "binary_tensor_data", "parameters",
		"statistics", "trace", "logging",
	}
}
