package model

// Source is the folder that a model is loaded from, and its config.
type Source struct {
	Name string // the folder's name
	// Namespace is the repository, where names are only looked up in it; "" otherwise.
	Namespace string
	Dir       string // absolute
	Root      string // the repository's folder; "" where there is none
	// ConfigPath is the file that ConfigText was read from; "" when the model has none.
	ConfigPath string
	ConfigText []byte
	// Override is a config as JSON that stands in for the file's; "" for none.
	Override string
}

// VersionDir is one version's folder.
type VersionDir struct {
	Number int64
	Dir    string
}
