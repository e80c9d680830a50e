package pack

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	longestList = 1 << 20 // bytes of a list
	mostLists   = 50      // lists that a list includes
)

// list is what a list of packages asks for, in lines that pip cannot read in another way than Conch. pip runs code of a folder, an
// archive or an address that is not a wheel, although it is told to take wheels alone, and a list can take that back.
type list struct {
	packages, constraints []string
	hashes                bool
	read                  int // lists so far
}

func readList(file string) (*list, error) {
	l := &list{}
	return l, l.add(file, &l.packages)
}

// add reads a list, and those that it includes.
func (l *list) add(file string, to *[]string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if l.read++; !info.Mode().IsRegular() || info.Size() > longestList || l.read > mostLists {
		return fmt.Errorf("%s is no list of packages: it is too large, includes too many, or is no file", file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(plain, "\\\n", " "), "\n") {
		line, _, _ = strings.Cut(" "+line, " #")
		if line = strings.Join(strings.Fields(line), " "); line == "" {
			continue
		}
		if err := l.line(filepath.Dir(file), line, to); err != nil {
			return fmt.Errorf("%s: %q %w", file, line, err)
		}
	}
	return nil
}

// settings are the options of a list that choose no way to build; those with a value are true.
var settings = map[string]bool{
	"-i": true, "--index-url": true, "--extra-index-url": true, "--trusted-host": true, "-f": true, "--find-links": true,
	"--no-index": false, "--pre": false, "--prefer-binary": false, "--require-hashes": false,
}

func (l *list) line(dir, line string, to *[]string) error {
	if !strings.HasPrefix(line, "-") {
		l.hashes = l.hashes || strings.Contains(line, " --hash=")
		line, err := requirement(dir, line)
		*to = append(*to, line)
		return err
	}
	option, value, _ := strings.Cut(strings.Replace(line, "=", " ", 1), " ")
	withValue, known := settings[option]
	switch {
	case slices.Contains([]string{"-r", "--requirement", "-c", "--constraint"}, option):
		if strings.Contains(value, "://") || strings.Contains(value, "$") {
			return errors.New("is a list elsewhere: write its lines here")
		}
		if !filepath.IsAbs(value) {
			value = filepath.Join(dir, value)
		}
		if strings.HasSuffix(option, "c") || option == "--constraint" {
			to = &l.constraints
		}
		return l.add(value, to)
	case option == "--only-binary" && value == ":all:":
		return nil
	case !known || withValue != (value != "") || strings.Contains(value, " "):
		return errors.New("is no option that a list for packing has: only wheels are taken, and no code of a package runs")
	case strings.HasSuffix(option, "-f") || option == "--find-links":
		if !strings.Contains(value, "://") && !filepath.IsAbs(value) {
			value = filepath.Join(dir, value)
		}
	}
	l.packages = append(l.packages, strings.TrimSpace(option+" "+value))
	return nil
}

var (
	errNoWheel = errors.New("may be no wheel: pip would run its code. Name a package of an index, or a wheel")
	// byName is a package of an index by its name: "numpy[x] >=1, <3 ; python_version < '3.12' --hash=sha256:…".
	byName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*( ?\[[A-Za-z0-9._, -]*\])?( ?\(?(===?|~=|!=|[<>]=?) ?[A-Za-z0-9.*+!_-]+ ?,? ?)*\)?( ?;[^/\\$]*)?( --hash=[a-z0-9:]+)*$`)
	// archived is a name that pip may take for a file in the folder.
	archived = regexp.MustCompile(`(?i)\.(zip|whl|tar|tgz|tbz|txz|tlz|tar\.[a-z0-9]+)( ?[\[;]| --|$)`)
	// wheel is a file or an address, and what follows it.
	wheel = regexp.MustCompile(`^(?:([A-Za-z0-9][A-Za-z0-9._-]*(?: ?\[[A-Za-z0-9._, -]*\])?) ?@ ?)?([^ ;$]+)((?: ?;[^/\\$]*)?(?: --hash=[a-z0-9:]+)*)$`)
)

// requirement checks that a line asks for a wheel, and returns it as it is read from any folder.
func requirement(dir, line string) (string, error) {
	if byName.MatchString(line) && !archived.MatchString(line) {
		return line, nil
	}
	m := wheel.FindStringSubmatch(line)
	if m == nil {
		return "", errNoWheel
	}
	name, at, rest := m[1], m[2], m[3]
	if u, err := url.Parse(at); err == nil && (u.Scheme == "https" || u.Scheme == "http") && strings.HasSuffix(u.Path, ".whl") {
		return line, nil
	}
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	if info, err := os.Stat(at); name != "" || err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(at, ".whl") || strings.Contains(at, " ") {
		return "", errNoWheel
	}
	return at + rest, nil
}

// write writes the lines for pip into a folder, and returns pip's words for them.
func (l *list) write(dir string) (words []string, err error) {
	for _, part := range []struct {
		option string
		lines  []string
	}{{"-r", l.packages}, {"-c", l.constraints}} {
		file := filepath.Join(dir, "list"+part.option+".txt")
		if err := os.WriteFile(file, []byte("# -*- coding: utf-8 -*-\n"+strings.Join(part.lines, "\n")+"\n"), 0o600); err != nil {
			return nil, err
		}
		words = append(words, part.option, file)
	}
	return words, nil
}
