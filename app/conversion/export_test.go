package conversion

// Labels are the label files of a plan's model.
func (s Source) Labels() (map[string][]byte, error) { return s.labels() }
