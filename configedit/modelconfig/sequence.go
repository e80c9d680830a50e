package modelconfig

// NeedsSequence reports whether a request of the model is refused that names no sequence. Where sequences are iterative, the server
// makes one for each request.
func NeedsSequence(c *ModelConfig) bool {
	batching := c.GetSequenceBatching()
	return batching != nil && !batching.GetIterativeSequence()
}

// TakesTextIDs reports whether the control that passes correlation IDs to the model is of texts. A number is refused then.
func TakesTextIDs(c *ModelConfig) bool {
	for _, in := range c.GetSequenceBatching().GetControlInput() {
		for _, control := range in.Control {
			if control.Kind == ModelSequenceBatching_Control_CONTROL_SEQUENCE_CORRID {
				return control.DataType == DataType_TYPE_STRING
			}
		}
	}
	return false
}
