package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"conch/engine/serve"
)

// flagsOf lists the flags of the command line, by name: of one command, or of all ("").
func flagsOf(t *testing.T, command string) map[string]*kong.Flag {
	t.Helper()
	var c commands
	parser := kong.Must(&c, vars())
	flags := map[string]*kong.Flag{"version": nil}
	add := func(list []*kong.Flag) {
		for _, f := range list {
			flags[f.Name] = f
			for _, alias := range f.Aliases {
				flags[alias] = f
			}
		}
	}
	add(parser.Model.Flags)
	for _, n := range parser.Model.Children {
		if command == "" || n.Name == command {
			add(n.Flags)
		}
	}
	return flags
}

// A flag of all commands is read first: a command's own flag of the same name would never get its value.
func TestFlagsOfACommandHaveNamesOfTheirOwn(t *testing.T) {
	var c commands
	parser := kong.Must(&c, vars())
	all := map[string]bool{}
	for _, f := range parser.Model.Flags {
		all[f.Name] = true
	}
	var look func(*kong.Node)
	look = func(n *kong.Node) {
		for _, f := range n.Flags {
			if all[f.Name] {
				t.Errorf("%s has a flag --%s, which is a flag of all commands", n.FullPath(), f.Name)
			}
		}
		for _, child := range n.Children {
			look(child)
		}
	}
	for _, n := range parser.Model.Children {
		look(n)
	}
}

// refused reports whether `conch serve` ends with a sentence of its own when it gets a flag of
// tritonserver.
func refused(name string) bool {
	unknown := errors.New("unknown flag --" + name)
	return serve.Explain(unknown) != unknown
}

// known reports whether there is a flag. A name that ends in "-" means all flags that begin with it.
func known(flags map[string]*kong.Flag, name string) bool {
	if f, is := flags[name]; is || refused(name) {
		return is && (f == nil || !f.Hidden) || refused(name)
	}
	for other := range flags {
		if strings.HasSuffix(name, "-") && strings.HasPrefix(other, name) {
			return true
		}
	}
	return false
}

// Every flag that the documents name is a flag of Conch, or a flag of tritonserver that Conch refuses
// with a sentence.
func TestFlagsOfTheDocuments(t *testing.T) {
	flags, seen := flagsOf(t, ""), 0
	files := []string{"README.md", "DESIGN.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "docs/triton/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`[^\w-]--([a-z][a-z0-9-]+)`).FindAllStringSubmatch(string(text), -1) {
			seen++
			// Triton's sentence about the log has two hyphens and the name of the setting, with an
			// underscore.
			if m[1] != "log" && m[1] != "help" && !known(flags, m[1]) {
				t.Errorf("%s names --%s, which is not a flag of conch", file, m[1])
			}
		}
	}
	if seen < 50 {
		t.Errorf("found %d flags in the documents only", seen)
	}
}

// The list of commands in the README has every command that the help shows.
func TestCommandsOfTheReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\n## Commands\n\n```sh\n")
	list, _, _ := strings.Cut(after, "```")
	var c commands
	for _, n := range kong.Must(&c, vars()).Model.Children {
		// The window is what `conch` without a command opens.
		if !n.Hidden && n.Name != "window" && !strings.Contains("\n"+list, "\nconch "+n.Name+" ") {
			t.Errorf("README.md does not list conch %s", n.Name)
		}
	}
}

// The defaults are those of tritonserver that docs/triton/flags.md lists, or Conch's own where a line says so.
func TestDefaultsAreTritons(t *testing.T) {
	text, err := os.ReadFile("docs/triton/flags.md")
	if err != nil {
		t.Fatal(err)
	}
	flags, compared := flagsOf(t, "serve"), 0
	accepted, _, _ := strings.Cut(string(text), "\n## Refused values")
	for line := range strings.Lines(accepted) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "`--") {
			continue
		}
		names := regexp.MustCompile("`--([a-z0-9-]+)(…?)").FindAllStringSubmatch(cells[1], -1)
		defaults := strings.Split(strings.TrimSpace(cells[2]), ", ")
		if _, own, has := strings.Cut(cells[3], "Conch: "); has {
			defaults = []string{strings.TrimSpace(own)}
		}
		for i, name := range names {
			f, is := flags[name[1]]
			if name[2] != "" || defaults[0] == "" || !is && refused(name[1]) {
				continue
			}
			if !is {
				t.Errorf("conch serve has no --%s and does not say why", name[1])
				continue
			}
			compared++
			if want := defaults[min(i, len(defaults)-1)]; plain(f.Default) != plain(want) {
				t.Errorf("--%s is %q when it is not given, and with Triton %q", name[1], f.Default, want)
			}
		}
	}
	if compared < 35 {
		t.Errorf("compared %d defaults only", compared)
	}
}

// plain returns a default without the marks of the table.
func plain(value string) string {
	value = strings.Trim(value, "`")
	if number, is := strings.CutSuffix(value, " MiB"); is {
		n, _ := strconv.Atoi(number)
		return strconv.Itoa(n << 20)
	}
	if slices.Contains([]string{"–", "false", "that of HTTP"}, value) {
		return ""
	}
	return value
}

// The help of the window's ports names the ports that the engine takes.
func TestPortsInTheHelp(t *testing.T) {
	flags := flagsOf(t, "window")
	ports := flagsOf(t, "serve")
	for _, name := range []string{"http-port", "grpc-port", "metrics-port"} {
		if !strings.Contains(flags[name].Help, ports[name].Default) {
			t.Errorf("--%s of the window: %q, without %s", name, flags[name].Help, ports[name].Default)
		}
	}
}

// What the parser has no value for is told in plain words; a negative number is the value of the flag before it.
func TestValuesOfFlagsInWords(t *testing.T) {
	for args, want := range map[string]string{
		"check --gpus -1 x":                    `--gpus: "-1" is not a number of GPUs from 0 to 1024`,
		"check --gpus=-1 x":                    `--gpus: "-1" is not a number of GPUs from 0 to 1024`,
		"check --gpus":                         "--gpus needs a value",
		"serve --cache-config":                 "--cache-config needs a value",
		"check --format -x":                    `--format needs a value, and "-x" reads as a flag: if that is the value, write --format="-x"`,
		"check --format --fix":                 `--format needs a value, and "--fix" reads as a flag: if that is the value, write --format="--fix"`,
		"convert m --workspace -1":             `--workspace: "-1" is not a whole number from 0, or too large`,
		"convert m --model-version a":          `--model-version: "a" is not a whole number, or too large`,
		"check --fix -1":                       `unknown flag -1, did you mean "-h"?`,
		"convert m --model-version -1 --to -2": `--to must be one of "fp16","int8","tensorrt" but got "-2"`,
	} {
		var c commands
		_, err := parse(kong.Must(&c, vars()), strings.Fields(args))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, not %s", args, err, want)
		}
	}
	var c commands
	if _, err := parse(kong.Must(&c, vars()), strings.Fields("convert m --model-version -1 --to fp16")); err != nil || c.Convert.Version != -1 {
		t.Errorf("version %d, %v", c.Convert.Version, err)
	}
}
