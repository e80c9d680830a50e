package check

type wiring struct{}

func (c *checker) checkEnsemble()         {}
func (c *checker) draw() *EnsembleGraph   { return &EnsembleGraph{} }
func (c *checker) checkSequenceBatching() {}
func (c *checker) checkMetrics()          {}
func (c *checker) checkVersions()         {}
func (c *checker) checkInstanceGroups()   {}
func (c *checker) checkBatchTensors()     {}
func (c *checker) checkLabels()           {}
func (c *checker) checkONNX()             {}
func (c *checker) checkModelFile()        {}
