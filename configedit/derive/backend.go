package derive

import (
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// CompleteBackend changes cfg as Triton does with every config that it reads: the name is taken
// from the folder, and backend, platform and default_model_filename from each other or from what
// the first folder holds (docs/triton/completion.md, "Backend and platform"). The error is a
// *Problem: the backend cannot be known.
func CompleteBackend(cfg *modelconfig.ModelConfig, facts Facts) ([]Filled, error) {
	return run(cfg, &facts, (*completion).completeBackend)
}

func (e *completion) completeBackend() error {
	if e.cfg.Name == "" {
		e.cfg.Name = e.facts.ModelName
		e.note("a model has the name of its folder", "name")
	}
	for _, b := range backends.All() {
		if len(b.Formats) > 0 && e.tryBackend(b) {
			return nil
		}
	}
	if e.cfg.Backend != "" || e.cfg.Platform != "" || e.cfg.DefaultModelFilename != "" || e.facts.Alone {
		return nil
	}
	return e.backendFromName()
}

// tryBackend fills in what belongs to b if the config or the files point to it. TensorFlow looks at them even where the
// config names it, because it cannot do without a platform.
func (e *completion) tryBackend(b backends.Backend) bool {
	own := e.cfg.Backend == b.Name
	if e.cfg.Backend != "" && !own {
		return false
	}
	var found backends.Format
	reason := ""
	if !own || b.Name == backends.TensorFlow {
		found, reason = e.detect(b)
	}
	if !own && reason == "" {
		return false
	}
	e.fillBackend(b, found, reason)
	return true
}

// detect finds the format that the platform, the file name or the files speak for.
func (e *completion) detect(b backends.Backend) (backends.Format, string) {
	platform, file := e.cfg.Platform, e.cfg.DefaultModelFilename
	for _, f := range b.Formats {
		switch {
		case platform != "" && (platform == f.Platform || platform == f.Alias):
			return f, "the platform says so"
		case file == f.File && (platform == "" || b.Name != backends.TensorFlow):
			return f, "default_model_filename says so"
		}
	}
	if platform != "" || file != "" {
		return backends.Format{}, ""
	}
	for _, f := range b.Formats {
		switch {
		case e.facts.fits(f):
			return f, "the version folder holds " + f.File
		case b.Name == backends.PyTorch && e.facts.has(f.File):
			return backends.Format{}, "" // Triton does not look for the next one then
		}
	}
	return backends.Format{}, ""
}

// fillBackend sets what is still empty. A pytorch config that names its platform keeps an empty file name, unless that is
// the platform of AOTInductor.
func (e *completion) fillBackend(b backends.Backend, found backends.Format, reason string) {
	if e.cfg.Backend == "" {
		e.cfg.Backend = b.Name
		e.note(reason, "backend")
	}
	explicit := e.cfg.Platform != ""
	if found.File == "" {
		found = b.Format(e.cfg.Platform)
	}
	if !explicit && found.Platform != "" && (b.Name != backends.TensorFlow || reason != "") {
		e.cfg.Platform = found.Platform
		e.note("the platform that goes with backend "+b.Name, "platform")
	}
	if b.Name == backends.TensorFlow && e.cfg.Platform == "" {
		return // stays incomplete; Triton then refuses the pair of platform and backend
	}
	if b.Name == backends.PyTorch && explicit && e.cfg.Platform != backends.TorchAOTI.Platform {
		return
	}
	if e.cfg.DefaultModelFilename == "" {
		e.cfg.DefaultModelFilename = found.File
		e.note("the file that backend "+b.Name+" opens", "default_model_filename")
	}
}

// backendFromName takes the backend from a folder name such as "digits.mybackend":
// everything after the first dot.
func (e *completion) backendFromName() error {
	name := e.cfg.Name
	_, backend, ok := strings.Cut(name, ".")
	if !ok {
		return &Problem{
			Rule: rule.AC1, Code: rule.Invalid, Path: at("backend"),
			Triton: rule.AC1.Sentence(name),
		}
	}
	e.cfg.Backend = backend
	e.cfg.DefaultModelFilename = "model." + backend
	e.note("the folder's name ends in it", "backend")
	e.note("the file that backend "+backend+" opens", "default_model_filename")
	return nil
}
