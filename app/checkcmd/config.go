package checkcmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"conch/app/language"
	"conch/app/visible"
	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/configedit/template"
	"conch/repo/scan"
)

// Config writes a model's config as Triton would serve it: as text with a remark at each value that
// was filled in, or as the JSON of its endpoint. path is a model's folder, a model file to make a
// config from, or a config as JSON.
func Config(path string, opts Options, w io.Writer) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find %s: %w", path, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return fmt.Errorf("find the model: %w", err)
	}
	if filepath.Ext(abs) == ".json" {
		return configFromJSON(abs, opts, w)
	}
	if !info.IsDir() {
		return configFromFile(abs, opts, w)
	}
	analysis := language.As(scan.New(filepath.Dir(abs)).Scan(nil), opts.Flags)
	m, ok := analysis.Model(filepath.Base(abs))
	if !ok {
		return fmt.Errorf("%s is not a model: it has no config.pbtxt, no version folder and no model file", path)
	}
	cfg, filled := served(analysis, m)
	if err := writeConfig(cfg, filled, opts, w); err != nil {
		return err
	}
	if opts.Format != FormatJSON {
		standIns(m.Decoded(), w)
	}
	for _, d := range analysis.Diagnose(m) {
		if d.Code == modelconfig.CodeTemplate && d.Triton != "" || d.Severity.IsError() {
			return errors.New("the config could be filled in only in part: " + d.Message)
		}
	}
	return nil
}

// standIns lists the printed values that replace placeholders of a template. Placeholders in strings
// are printed as they are.
func standIns(decoded *modelconfig.Decoded, w io.Writer) {
	if decoded.Template == nil {
		return
	}
	head := "\n# A template; these placeholders are not filled in, and a stand-in such as 1 is printed for each:\n"
	for _, p := range decoded.Template.Placeholders() {
		if p.Where == template.InText {
			continue
		}
		line, _ := decoded.File.Position(p.Spans[0].Start)
		fmt.Fprintf(w, "%s#   line %d: %s\n", head, line, visible.Line(decoded.File.Slice(p.Spans[0])))
		head = ""
	}
}

// served returns a model's config as Triton's endpoint gives it. For an ensemble it sets decoupled
// from the steps, whatever the ensemble's config has (docs/triton/ensembles.md, "Agreement of
// tensors").
func served(analysis *language.Analysis, m *language.Model) (*modelconfig.ModelConfig, []derive.Filled) {
	if !backends.IsEnsemble(m.Effective()) {
		return m.Effective(), m.Filled()
	}
	cfg := proto.Clone(m.Effective()).(*modelconfig.ModelConfig)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: decoupled(analysis, m, map[string]bool{})}
	return cfg, append(slices.Clone(m.Filled()), derive.Filled{
		Path: []any{"model_transaction_policy"}, Reason: "an ensemble is decoupled if one of its steps is",
	})
}

// decoupled reports whether a model, or some step of an ensemble, may send any number of responses to
// a request.
func decoupled(analysis *language.Analysis, m *language.Model, seen map[string]bool) bool {
	if !backends.IsEnsemble(m.Effective()) {
		return m.Effective().GetModelTransactionPolicy().GetDecoupled()
	}
	seen[m.Scan.Name] = true
	return slices.ContainsFunc(m.Uses(), func(name string) bool {
		inner, ok := analysis.Model(name)
		return ok && !seen[name] && decoupled(analysis, inner, seen)
	})
}

// configFromJSON reads the form that Triton's own endpoint serves and that a load request may have
// (docs/triton/config-text.md, "JSON form").
func configFromJSON(path string, opts Options, w io.Writer) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the config: %w", err)
	}
	cfg, err := modelconfig.UnmarshalJSON(src)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return writeConfig(cfg, nil, opts, w)
}

// configFromFile makes a config from a model file. A file whose name has no known ending is read as
// ONNX.
func configFromFile(path string, opts Options, w io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the model file: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open the model file: %w", err)
	}
	facts, called, err := modelfolder.ReadFile(path, f, info.Size())
	if err != nil {
		return fmt.Errorf("read %s as %s: %w", path, called, err)
	}
	cfg, filled, err := derive.FromFacts(facts)
	if err != nil {
		return fmt.Errorf("make a config from %s: %w", path, err)
	}
	return writeConfig(cfg, filled, opts, w)
}

func writeConfig(cfg *modelconfig.ModelConfig, filled []derive.Filled, opts Options, w io.Writer) error {
	if opts.Format == FormatJSON {
		out, err := modelconfig.MarshalJSON(cfg)
		if err == nil {
			_, err = w.Write(visible.JSON(append(out, '\n')))
		}
		if err != nil {
			return fmt.Errorf("write the config: %w", err)
		}
		return nil
	}
	out := visible.Config(modelconfig.PrintText(cfg))
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write the config: %w", err)
	}
	for i, f := range filled {
		if i == 0 {
			fmt.Fprintln(w, "\n# Filled in:")
		}
		fmt.Fprintf(w, "#   %s: %s\n", strings.TrimSpace(language.PathText(f.Path)), visible.Line(f.Reason))
	}
	return nil
}
