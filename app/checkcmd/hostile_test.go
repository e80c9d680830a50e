package checkcmd_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"conch/app/checkcmd"
	"conch/app/fmtcmd"
)

// hostile writes a repository whose names and texts are commands to a terminal or a CI runner, or
// mislead a reader.
func hostile(t *testing.T) string {
	t.Helper()
	if os.PathSeparator != '/' {
		t.Skip("no such names are possible here")
	}
	repository := t.TempDir()
	const bad = "x\n::error file=a::gone\x1b[2J\u009b31m\u202egpj\r##[group]"
	const config = "  ::warning::z\x1b[2J # \u202e\u2066\n" +
		`name: "o` + "\u202e" + `ther" backend: "nothing` + "\u009b" + `" input [{ name: "a\n::error::\033[2J" data_type: TYPE_X dims: [1] }]` +
		"\n::error::c\x1b[31m\t##vso[task.setvariable]\u2028\n" + `max_batch_size: "` + "\x07\xff" + `"` + "\n"
	for name, content := range map[string]string{
		bad + "/config.pbtxt": config, bad + "/1/model.onnx": "x\x1b", "e\x1b/config.pbtxt": `platform: "ensemble" ensemble_scheduling { step [{ model_name: "` + "\u202e" + `" }] }`,
		"::set-env name=a::b/1/model.pt": "", "e\x1b/1/x": "", "no\nmodel/readme": "",
		"\u00a0::error::stopped/config.pbtxt": config, "\u3000\u2003 ::set-output name=a::b/config.pbtxt": "name:   \"x\"\n\u2003::error::v\n",
		"t\x1b\n/config.pbtxt": "name:   \"t\x1b\"\n::error::v\x1b[31m\n",
	} {
		path := filepath.Join(repository, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere\x1b\n::error::", filepath.Join(repository, "link\n::error::l\x1b")); err != nil {
		t.Fatal(err)
	}
	return repository
}

// TestHostileNames: no output is a command to anybody, whatever a repository has in it, and JSON is
// complete.
func TestHostileNames(t *testing.T) {
	repository := hostile(t)
	t.Chdir(repository) // so that names are at the beginning of lines
	for _, format := range []checkcmd.Format{checkcmd.FormatText, checkcmd.FormatGitHub, checkcmd.FormatJSON, checkcmd.FormatSARIF} {
		t.Run(string(format), func(t *testing.T) {
			var out bytes.Buffer
			opts := checkcmd.Options{Format: format, Advice: true}
			if status := checkcmd.Run(t.Context(), []string{"."}, opts, &out); status != 1 {
				t.Errorf("exit status %d", status)
			}
			harmless(t, out.String(), format == checkcmd.FormatGitHub)
			if out.Len() < 1000 {
				t.Errorf("little is said:\n%s", &out)
			}
			if format == checkcmd.FormatJSON || format == checkcmd.FormatSARIF {
				var back any
				if err := json.Unmarshal(out.Bytes(), &back); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// harmless fails on what a terminal or a runner would take for a command. The commands of the github
// format are error, warning or notice, one a line, about a file.
func harmless(t *testing.T, out string, commands bool) {
	t.Helper()
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		for _, r := range line {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Errorf("%U is in %q", r, line)
			}
		}
		ours := commands && strings.Contains(line, " title=") && strings.Count(strings.SplitN(line, "::", 3)[1], ",") >= 1
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !ours || commands && !ours || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
			t.Errorf("a command: %q", line)
		}
	}
}

// TestHostileNamesElsewhere: `conch config`, `conch fmt` and the messages about repairs.
func TestHostileNamesElsewhere(t *testing.T) {
	repository := hostile(t)
	t.Chdir(repository)
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []checkcmd.Format{checkcmd.FormatText, checkcmd.FormatJSON} {
		for _, e := range entries {
			var out bytes.Buffer
			_ = checkcmd.Config(e.Name(), checkcmd.Options{Format: format}, &out) // main shows the error, by visible.Lines
			harmless(t, out.String(), false)
		}
	}
	var out bytes.Buffer
	_, _ = fmtcmd.Run([]string{"."}, fmtcmd.Options{List: true, Diff: true}, &out)
	harmless(t, out.String(), false)
	out.Reset()
	checkcmd.Run(t.Context(), []string{"."}, checkcmd.Options{Mend: checkcmd.MendSuggestions}, &out)
	harmless(t, out.String(), false)
	out.Reset()
	checkcmd.Run(t.Context(), []string{"gone\x1b\n::error::"}, checkcmd.Options{}, &out)
	harmless(t, out.String(), false)
}
