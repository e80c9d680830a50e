package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/proto"

	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/configedit/text"
	"conch/engine/infer"
)

// Definition is a model's config as Triton knows it before it reads a model file: backend and defaults are filled in, and the
// config is checked as far as that is possible. Two definitions with equal configs make the same versions.
type Definition struct {
	Source Source
	// Config is shared and not changed.
	Config *modelconfig.ModelConfig
	// lenient is Config where models whose GPUs are missing are not refused; nil for the same.
	lenient *modelconfig.ModelConfig
}

// Ensemble reports whether the model is an ensemble.
func (p *Definition) Ensemble() bool { return p.Config.GetEnsembleScheduling() != nil }

// Parts returns the models that an ensemble's steps name, each once.
func (p *Definition) Parts() []string {
	var parts []string
	for _, s := range p.Config.GetEnsembleScheduling().GetStep() {
		if !slices.Contains(parts, s.ModelName) {
			parts = append(parts, s.ModelName)
		}
	}
	return parts
}

// SameVersions reports whether versions made from p and from other are the same: only the version policy differs. (Triton
// also changes instance groups in place.)
func (p *Definition) SameVersions(other *Definition) bool {
	if p == nil || other == nil {
		return false
	}
	a := proto.Clone(p.Config).(*modelconfig.ModelConfig)
	b := proto.Clone(other.Config).(*modelconfig.ModelConfig)
	a.VersionPolicy, b.VersionPolicy = nil, nil
	return proto.Equal(a, b)
}

// Define reads a model's config: the stages "text" and "poll" (docs/triton/validation.md, "Stages").
// The error is for the log and for people; a client gets the sentence of a failed poll instead.
func (l *Loader) Define(src Source) (*Definition, error) {
	given, decoded, err := l.readConfig(src)
	if err != nil {
		return nil, err
	}
	folder, err := modelfolder.Read(folder.Dir(src.Dir), modelfolder.Question{Name: src.Name, Config: given})
	if err != nil {
		return nil, infer.Errorf(infer.Internal, "failed to open directory %s: %v", src.Dir, cause(err))
	}
	folder.Facts.Elsewhere = !l.StrictGPU.Load()
	if listsGPUs(given) { // nobody waits for the driver otherwise
		folder.Facts.Here = l.supported()
	}
	cfg, _, err := derive.Effective(given, folder.Facts)
	if err == nil && l.wantsGPUs(cfg.Backend, asksGPUs(given)) {
		folder.Facts.GPUs = l.gpusFor(cfg.Backend)
		cfg, _, err = derive.Effective(given, folder.Facts)
	}
	if err != nil {
		return nil, problem(err)
	}
	if err := refusedAtPoll(cfg, src, decoded); err != nil {
		return nil, err
	}
	return &Definition{Source: src, Config: cfg, lenient: lenient(given, folder.Facts)}, nil
}

// lenient is the config where KIND_AUTO with a list of GPUs that are missing is not refused; nil where it is not refused anyway.
func lenient(given *modelconfig.ModelConfig, facts derive.Facts) *modelconfig.ModelConfig {
	if facts.Elsewhere || !listsGPUs(given) {
		return nil
	}
	facts.Elsewhere = true
	cfg, _, err := derive.Effective(given, facts)
	if err != nil {
		return nil
	}
	return cfg
}

// readConfig returns the config as written, and its text where it has one.
func (l *Loader) readConfig(src Source) (*modelconfig.ModelConfig, *modelconfig.Decoded, error) {
	switch {
	case src.Override != "":
		cfg, err := modelconfig.UnmarshalJSON([]byte(src.Override))
		if err != nil {
			return nil, nil, infer.Errorf(infer.InvalidArg, "Invalid config override: %v", err)
		}
		return cfg, nil, nil
	case src.ConfigPath != "":
		decoded, err := parseConfig(src)
		if err != nil {
			return nil, nil, err
		}
		return decoded.Config, decoded, nil
	case l.NoAutoComplete:
		path := filepath.Join(src.Dir, folder.ConfigName)
		return nil, nil, infer.Errorf(infer.Internal, "failed to open text file for read %s: %v", path, os.ErrNotExist)
	}
	return nil, nil, nil
}

// parseConfig reads the text. Triton says only "failed to read text proto"; Conch adds the place and the reason.
func parseConfig(src Source) (*modelconfig.Decoded, error) {
	name := filepath.Base(src.ConfigPath)
	decoded, found := modelconfig.Parse(name, src.ConfigText)
	hint := ""
	if t := decoded.Template; t != nil {
		// Triton has no templates: it reads the text as it is.
		decoded, found = parseAsIs(name, src.ConfigText)
		hint = fmt.Sprintf("; the file is a template: fill in %s first", t.Placeholders()[0].Name)
	}
	for _, d := range found {
		if !d.Severity.IsError() {
			continue
		}
		line, column := decoded.File.Position(d.Span.Start)
		return nil, infer.Errorf(infer.Internal, "failed to read text proto from %s: line %d, column %d: %s%s",
			src.ConfigPath, line, column, d.Message, hint)
	}
	return decoded, nil
}

func parseAsIs(name string, src []byte) (*modelconfig.Decoded, []diag.Diagnostic) {
	doc, found := text.Parse(text.NewFile(name, src))
	decoded, more := modelconfig.Decode(doc)
	return decoded, append(found, more...)
}

// problem turns a problem of the derivation into an error with Triton's code.
func problem(err error) error {
	var p *derive.Problem
	if !errors.As(err, &p) {
		return infer.Errorf(infer.Internal, "%v", err)
	}
	return infer.Said(p.Code, p.Triton)
}

// startOf returns the config of a version before its backend completes it
// (docs/triton/completion.md, "Order").
func startOf(p *Definition) *modelconfig.ModelConfig {
	if p.Ensemble() {
		return completeEnsemble(p.Config)
	}
	return p.Config
}

// completeEnsemble replaces the transaction policy. Triton computes it from the steps and ignores the config's
// (docs/triton/ensembles.md, "Agreement of tensors"). Whether the ensemble is decoupled
// is decided later, when the models of its steps are known.
func completeEnsemble(cfg *modelconfig.ModelConfig) *modelconfig.ModelConfig {
	done := proto.Clone(cfg).(*modelconfig.ModelConfig)
	done.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{}
	return done
}

// modelFile returns the file or folder that the backend opens.
func modelFile(cfg *modelconfig.ModelConfig, v VersionDir) string {
	return filepath.Join(v.Dir, cfg.DefaultModelFilename)
}
