package check

import (
	"errors"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// checkBackend asks what runs the model: AC1 and G2 to G5.
func (c *checker) checkBackend() {
	backend, platform := c.cfg.GetBackend(), c.cfg.GetPlatform()
	var problem *derive.Problem
	switch {
	case errors.As(c.m.Problem, &problem) && problem.Rule == derive.RuleBackendName:
		c.nothingTells(rule.Fill, problem.Rule, problem.Triton)
	case backend == "" && platform != backends.Ensemble:
		c.unknownPlatform(platform)
	case backend != "" && platform == backends.Ensemble:
		c.ensembleWithBackend(backend)
	case !takesPlatform(backend, platform):
		c.wrongPair(backend, platform)
	default:
		c.unknownBackend(backend)
	}
}

// takesPlatform tells whether a backend takes a platform: any, where it has none of its own.
func takesPlatform(backend, platform string) bool {
	own := backends.Named(backend).Platforms()
	return own == nil || slices.Contains(own, platform)
}

// nothingTells: no backend, no platform, and no file that would tell.
func (c *checker) nothingTells(s rule.Stage, code, sentence string) {
	if c.spoiled() || c.m.Folder == nil && c.m.Name == "" || c.m.Folder != nil && len(c.m.Folder.Unread) > 0 { // what is not seen may tell
		return
	}
	d := diag.Diagnostic{Code: code, Span: c.span("backend"), Triton: sentence}
	if c.has("platform") { // and empty
		d.Span = c.span("platform")
	}
	switch {
	case c.cfg.GetEnsembleScheduling() != nil:
		d.Span = c.name("ensemble_scheduling")
		d.Message = "an ensemble must say so itself: platform: \"ensemble\" is missing"
		d.Fixes = c.insert(`platform: "ensemble"`)
	case c.m.Folder != nil && len(c.m.Facts.Files) == 0:
		d.Message = "nothing tells what runs this model: the config names no backend, and the version folder holds no model file"
		d.Fixes = c.offerBackends()
	default:
		d.Message = "nothing tells what runs this model: the config names no backend, and no file in the version folder has a name that Triton knows (such as " +
			backends.ONNX.File + " or " + backends.PythonProgram.File + ")"
		d.Fixes = c.offerBackends()
	}
	c.add(s, d)
}

func (c *checker) offerBackends() []diag.Fix {
	if c.m.Decoded == nil {
		return nil
	}
	return append(c.insert(say("backend: %q", backends.ONNXRuntime)), c.insert(say("backend: %q", backends.Python))...)
}

// unknownPlatform: G2. The platform is none that a backend belongs to.
func (c *checker) unknownPlatform(platform string) {
	sentence := triton("unexpected platform type '%s' for %s", platform, c.cfg.GetName())
	if platform == "" {
		c.nothingTells(rule.Poll, "G2", sentence)
		return
	}
	d := diag.Diagnostic{Code: "G2", Span: c.span("platform"), Triton: sentence}
	if backends.Known(platform) {
		d.Message = say("%q is a backend, not a platform", platform)
		d.Fixes = []diag.Fix{{Title: say("write backend: %q instead", platform), Edits: []diag.Edit{{Span: c.name("platform"), New: "backend"}}}}
	} else {
		d.Message = say("no backend has a platform called %q", platform)
		better := guess(platform, backends.Platforms())
		tail, fixes := didYouMean(platform, better, d.Span, text.Quote(better))
		d.Message, d.Fixes = d.Message+tail, fixes
	}
	c.rejected = true
	c.add(rule.Poll, d)
}

// ensembleWithBackend: G3.
func (c *checker) ensembleWithBackend(backend string) {
	d := diag.Diagnostic{
		Code: "G3", Span: c.span("backend"),
		Message: say("an ensemble has no backend of its own, and this one names %q", backend),
		Triton:  triton("Ensemble model '%s' must have platform type 'ensemble' and empty backend type", c.cfg.GetName()),
		Fixes:   c.remove("remove backend", "backend"),
	}
	if !c.has("backend") {
		file := c.cfg.GetDefaultModelFilename()
		d.Span = c.span("default_model_filename")
		d.Message = say("an ensemble opens no model file; the name %q makes Triton give it backend %q", file, backend)
		d.Fixes = c.remove("remove default_model_filename", "default_model_filename")
	}
	c.add(rule.Poll, d)
}

// wrongPair: G5.
func (c *checker) wrongPair(backend, platform string) {
	c.rejected = true
	d := diag.Diagnostic{
		Code: "G5", Span: c.span("platform"),
		Triton: triton("unexpected 'platform' and 'backend' pair, got:%s, %s", platform, backend),
	}
	fits := backends.Named(backend).Platforms()
	switch {
	case platform == "" && c.has("backend"):
		d.Span = c.span("backend")
		d.Message = say("backend %q needs a platform: %s", backend, strings.Join(fits, " or "))
		d.Fixes = c.insert(say("platform: %q", fits[0]))
	case platform == "":
		d.Message = say("the folder's name makes %q the backend, which needs a platform: %s", backend, strings.Join(fits, " or "))
		d.Fixes = c.insert(say("platform: %q", fits[0]))
	default:
		d.Message = say("backend %q does not go with platform %q; it takes %s", backend, platform, strings.Join(fits, " or "))
		d.Fixes = replace(say("replace %s by %s", platform, fits[0]), d.Span, text.Quote(fits[0]))
	}
	c.add(rule.Poll, d)
}

// unknownBackend: L10 as far as a static check can go. Any library may bring a backend of any name, so that only
// what looks misspelt is spoken of.
func (c *checker) unknownBackend(backend string) {
	better := guess(backend, backends.Names())
	if backend == "" || backends.Known(backend) || better == "" || !c.has("backend") || c.cfg.GetRuntime() != "" {
		return
	}
	tail, fixes := didYouMean(backend, better, c.span("backend"), text.Quote(better))
	c.add(rule.Never, diag.Diagnostic{
		Severity: diag.Warning, Code: "L10", Span: c.span("backend"),
		Message: say("Triton brings no backend called %q", backend) + tail,
		Triton:  triton("unable to find backend library for backend '%s', try specifying runtime on the model configuration.", backend),
		Fixes:   fixes,
	})
}
