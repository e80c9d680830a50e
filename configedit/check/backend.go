package check

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/near"
	"conch/configedit/release"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// backendCheck checks what runs a model.
type backendCheck struct{ *checker }

// checkBackend checks what runs the model: AC1 and G2 to G5.
func checkBackend(base *checker) {
	c := backendCheck{base}
	backend, platform := c.cfg.GetBackend(), c.cfg.GetPlatform()
	var problem *derive.Problem
	switch {
	case errors.As(c.m.Problem, &problem) && problem.Rule == rule.AC1:
		c.nothingTells(rule.AC1, c.m.Name)
	case c.undecided():
		c.unnamedEnsemble()
	case backend == "" && platform != backends.Ensemble:
		c.unknownPlatform(platform)
	case backend != "" && platform == backends.Ensemble:
		c.ensembleWithBackend(backend)
	case platform == "" && c.m.Facts.Alone: // the files may show it
	case !takesPlatform(backend, platform):
		c.wrongPair(backend, platform)
	default:
		c.unknownBackend(backend)
	}
}

// undecided reports whether backend and platform depend on the files of the folder, which are not known.
func (c *checker) undecided() bool {
	return c.m.Facts.Alone && c.cfg.GetBackend() == "" && c.cfg.GetPlatform() == ""
}

// unnamedEnsemble: AC1 for an ensemble that does not say that it is one. If there is a model file, Triton
// says E1 instead. No folder makes it right.
func (c *checker) unnamedEnsemble() {
	if c.cfg.GetEnsembleScheduling() == nil || c.hidden("platform") {
		return
	}
	c.report(finding{
		rule: rule.AC1, span: c.name("ensemble_scheduling"), args: values(c.cfg.GetName()),
		message: unnamedEnsemble, fixes: c.insert(`platform: "ensemble"`),
	})
}

const unnamedEnsemble = "an ensemble must say so itself: platform: \"ensemble\" is missing"

// takesPlatform reports whether a backend takes a platform. A backend without platforms of its own takes any.
func takesPlatform(backend, platform string) bool {
	own := backends.Named(backend).Platforms()
	return own == nil || slices.Contains(own, platform)
}

// nothingTells: no backend, no platform, and no file that shows the backend.
func (c backendCheck) nothingTells(r *rule.Rule, args ...any) {
	if c.hidden("backend") || c.hidden("platform") || c.m.Folder == nil && c.m.Name == "" ||
		c.m.Folder != nil && len(c.m.Folder.Unread) > 0 { // an unread file may show the backend
		return
	}
	d := finding{rule: r, span: c.span("backend"), args: args}
	if c.has("platform") { // and empty
		d.span = c.span("platform")
	}
	switch {
	case c.cfg.GetEnsembleScheduling() != nil:
		d.span = c.name("ensemble_scheduling")
		d.message = unnamedEnsemble
		d.fixes = c.insert(`platform: "ensemble"`)
	case c.m.Folder != nil && c.m.Facts.FilesIn == "":
		d.message, d.fixes = c.noFiles()
	case c.otherFolder():
		d.message = c.untold("Triton looks for a model file only in %q, the first folder by name", c.m.Facts.FilesIn)
		d.fixes = c.offerBackends()
	case c.m.Folder != nil && len(c.m.Facts.Files) == 0:
		d.message = c.untold("the version folder holds no model file")
		d.fixes = c.offerBackends()
	default:
		d.message = c.untold("no file in the version folder has a name that Triton knows (such as %s or %s)",
			backends.ONNX.File, backends.PythonProgram.File)
		d.fixes = c.offerBackends()
	}
	c.report(d)
}

// unnamed says why no backend is named.
func (c backendCheck) unnamed() string {
	if c.m.Decoded == nil {
		return "there is no config"
	}
	return "the config names no backend"
}

// noFiles is said of a model without any folder in which Triton could look for its file. Where that file is beside the config,
// moving it is what helps.
func (c backendCheck) noFiles() (message string, fixes []diag.Fix) {
	message = "Triton cannot tell what runs this model: the config names no backend, and there is no version folder"
	if c.m.Decoded == nil {
		message = "Triton cannot tell what runs this model: there is neither a config nor a version folder"
	}
	if file := c.misplaced(c.m.Folder); file.from != "" && c.m.Name != "" {
		message += say("; move %s to 1/%s", file.from, file.to)
		fixes = c.firstVersion(c.m.Folder)
	}
	return message, append(fixes, c.offerBackends()...)
}

// otherFolder reports whether Triton looks for a model file in a folder that is none of a version.
func (c backendCheck) otherFolder() bool {
	_, version := folder.Version(c.m.Facts.FilesIn)
	return c.m.Facts.FilesIn != "" && !version
}

// untold says why Triton cannot tell the backend: the config does not name it, and the folder does not show it.
func (c backendCheck) untold(why string, args ...any) string {
	return say("Triton cannot tell what runs this model: %s, and %s", c.unnamed(), say(why, args...))
}

func (c backendCheck) offerBackends() []diag.Fix {
	if c.m.Decoded == nil {
		return nil
	}
	return append(c.insert(say("backend: %q", backends.ONNXRuntime)), c.insert(say("backend: %q", backends.Python))...)
}

// unknownPlatform: G2. No backend has this platform.
func (c backendCheck) unknownPlatform(platform string) {
	if platform == "" {
		c.nothingTells(rule.G2, platform, c.cfg.GetName())
		return
	}
	d := finding{rule: rule.G2, span: c.span("platform"), args: values(platform, c.cfg.GetName())}
	meant := c.meant()
	other, file := c.ofFile(platform, meant)
	switch {
	case other != "":
		d.message, d.fixes = say("no backend has a platform called %q", platform), c.writeInstead(other)
		if backends.Known(platform) {
			d.message = say("%q is a backend, not a platform", platform)
			d.fixes = append(d.fixes, c.writeInstead(platform)...)
		}
		d.message += say("; the version folder has %s, which backend %q opens", file, other)
		meant = proto.Clone(meant).(*modelconfig.ModelConfig)
		meant.Backend, meant.Platform = other, ""
	case backends.Known(platform):
		d.message = say("%q is a backend, not a platform", platform)
		d.fixes = c.writeInstead(platform)
	case meant != nil && meant.Platform == "":
		d.message = say("no backend has a platform called %q; did you mean backend: %q?", platform, meant.Backend)
		d.fixes = c.writeInstead(meant.Backend)
	default:
		better := guess(platform, backends.Platforms())
		if meant != nil {
			better = meant.Platform
		}
		tail, fixes := didYouMean(platform, better, d.span, text.Quote(better))
		d.message, d.fixes = say("no backend has a platform called %q", platform)+tail, fixes
	}
	c.report(d)
	c.goOn(meant)
}

// writeInstead returns the fix that names a backend in the place of a platform.
func (c backendCheck) writeInstead(backend string) []diag.Fix {
	edits := []diag.Edit{{Span: c.name("platform"), New: "backend"}}
	if backend != c.cfg.GetPlatform() {
		edits = append(edits, diag.Edit{Span: c.span("platform"), New: text.Quote(backend)})
	}
	return []diag.Fix{{Title: say("write backend: %q instead", backend), Edits: edits}}
}

// ofFile returns the backend of the only model file of the version folder, and the file, where a wrong platform means a
// backend that opens no such file; "" otherwise.
func (c backendCheck) ofFile(platform string, meant *modelconfig.ModelConfig) (backend, file string) {
	if meant == nil || meant.GetDefaultModelFilename() != "" || backends.Named(meant.Backend).Formats == nil {
		return "", ""
	}
	for _, f := range c.m.Facts.Files {
		b, format, known := backends.OfFile(f.Name)
		if !known || !format.Fits(f.Name, f.Dir) {
			continue
		}
		if backend != "" || b.Name == meant.Backend {
			return "", ""
		}
		backend, file = b.Name, f.Name
	}
	return backend, file
}

// meant returns the config with the backend and the platform that its wrong platform means, or nil.
func (c backendCheck) meant() *modelconfig.ModelConfig {
	if c.m.Decoded == nil || c.m.Completed {
		return nil
	}
	return derive.Meant(c.m.Decoded.Config, c.m.Facts)
}

// goOn lets the other checks see the model as it is meant, so that one wrong word does not hide the mistakes of the rest.
func (c backendCheck) goOn(meant *modelconfig.ModelConfig) {
	if meant == nil {
		c.rejected = true
		return
	}
	m := *c.m
	m.Effective, _, m.Problem = derive.Effective(meant, m.Facts)
	c.m, c.cfg = &m, m.Effective
}

// ensembleWithBackend: G3.
func (c backendCheck) ensembleWithBackend(backend string) {
	d := finding{
		rule: rule.G3, span: c.span("backend"), args: values(c.cfg.GetName()),
		message: say("an ensemble has no backend of its own, and this one names %q", backend),
		fixes:   c.remove("remove backend", "backend"),
	}
	if !c.has("backend") {
		file := c.cfg.GetDefaultModelFilename()
		d.span = c.span("default_model_filename")
		d.message = say("an ensemble opens no model file; the name %q makes Triton give it backend %q", file, backend)
		d.fixes = c.remove("remove default_model_filename", "default_model_filename")
	}
	c.report(d)
}

// wrongPair: G5.
func (c backendCheck) wrongPair(backend, platform string) {
	d := finding{rule: rule.G5, span: c.span("platform"), args: values(platform, backend)}
	fits := backends.Named(backend).Platforms()
	switch {
	case platform == "" && c.has("backend"):
		d.span = c.span("backend")
		d.message = say("backend %q needs a platform: %s", backend, strings.Join(fits, " or "))
		d.fixes = c.insert(say("platform: %q", fits[0]))
	case platform == "":
		d.message = say("the folder's name makes %q the backend, which needs a platform: %s", backend, strings.Join(fits, " or "))
		d.fixes = c.insert(say("platform: %q", fits[0]))
	default:
		better := fits[0]
		if meant := c.meant(); meant != nil && meant.Platform != "" {
			better = meant.Platform
		}
		d.message = say("backend %q does not go with platform %q; it takes %s", backend, platform, strings.Join(fits, " or "))
		d.fixes = replace(say("replace %s by %s", platform, better), d.span, text.Quote(better))
	}
	c.report(d)
	c.goOn(c.meant())
}

// unknownBackend: L10. The server or the model's folder may have backends of their own. So it is a warning, and its fix only a
// suggestion.
func (c *checker) unknownBackend(backend string) {
	if backend == "" || backends.Known(backend) || c.m.Completed || c.cfg.GetRuntime() != "" ||
		c.m.Folder != nil && c.brings("libtriton_"+backend+".so") {
		return
	}
	message := say("no Triton image contains a backend called %q", backend)
	if !c.has("backend") {
		message = say("the folder's name makes %q the backend, and no Triton image contains one of that name", backend)
	}
	d := finding{rule: rule.L10, span: c.span("backend"), args: values(backend), stage: rule.Backend, perhaps: true}
	tail := ". "
	if meant := MeantBackend(backend); meant != "" {
		tail = say("; did you mean %q? ", meant)
		d.fixes = c.writeBackend(backend, meant)
	}
	d.message = message + tail + c.carried()
	c.report(d)
}

// writeBackend returns the fix that writes another backend in the place of a wrong one, which the folder's name may have made.
func (c *checker) writeBackend(wrong, meant string) []diag.Fix {
	if !c.has("backend") {
		return c.insert(say("backend: %q", meant))
	}
	return replace(say("replace %s by %s", wrong, meant), c.span("backend"), text.Quote(meant))
}

// MeantBackend returns the backend that a wrong name most likely means, or "". People have backends of their own, so
// only very similar names count.
func MeantBackend(name string) string {
	if meant, ok := backends.Meant(name); ok {
		return meant.Name
	}
	better := guess(name, backends.Names())
	if near.Distance(strings.ToLower(name), better) > len(name)/4 {
		return ""
	}
	return better
}

// carried returns a sentence about the backends in the images: first those of the usual image, then those that have an
// image of their own.
func (c *checker) carried() string {
	var common, alone []string
	inFull := backends.In(backends.Full)
	for _, name := range backends.Names() {
		since := release.Without(name)
		switch {
		case len(backends.Named(name).Images) == 0: // people build images with it themselves
		case !slices.Contains(inFull, name):
			alone = append(alone, name)
		case since == "":
			common = append(common, name)
		case c.m.Release == nil:
			common = append(common, name+" (before "+since+")")
		case c.m.Release.Before(since):
			common = append(common, name)
		}
	}
	return say("Triton's images contain %s; %s have images of their own", strings.Join(common, ", "), strings.Join(alone, " and "))
}
