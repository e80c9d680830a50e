package modelconfig

// NeedsSequence reports whether a request of the model is refused that names no sequence. Where sequences are iterative, the server
// makes one for each request.
func NeedsSequence(c *ModelConfig) bool {
	batching := c.GetSequenceBatching()
	return batching != nil && !batching.GetIterativeSequence()
}
