package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const npmDir = "frontend/node_modules"

// npmPackages are those that vite puts into the page.
func npmPackages() ([]work, error) {
	cmd := exec.Command("node", "bundled.mjs")
	cmd.Dir, cmd.Stderr = "frontend", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list what vite bundles: %w", err)
	}
	var works []work
	for name := range strings.FieldsSeq(string(out)) {
		w, err := npmPackage(name)
		if err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	return works, nil
}

func npmPackage(name string) (work, error) {
	dir := filepath.Join(npmDir, filepath.FromSlash(name))
	about, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return work{}, fmt.Errorf("read what %s is: %w", name, err)
	}
	w := work{Name: name}
	if err := json.Unmarshal(about, &w); err != nil { // Name and Version
		return work{}, fmt.Errorf("read what %s is: %w", name, err)
	}
	if w.Texts, err = licenceFiles(dir); err == nil && len(w.Texts) == 0 {
		w.Texts, err = textsElsewhere(name, dir)
	}
	return w, err
}

// elsewhere says where the licence's text is for packages that bring none.
var elsewhere = map[string]struct {
	headers []string // of these files of it
	of      string   // in the package of the same author and licence
	apache  bool     // the files' headers name Apache-2.0, whose text is Conch's own too
}{
	"@bufbuild/protobuf":      {headers: []string{"dist/esm/index.js", "dist/esm/wire/varint.js"}, apache: true},
	"@connectrpc/connect":     {headers: []string{"dist/esm/index.js"}, apache: true},
	"@connectrpc/connect-web": {headers: []string{"dist/esm/index.js"}, apache: true},
	"react-remove-scroll-bar": {of: "react-remove-scroll"},
}

func textsElsewhere(name, dir string) ([]string, error) {
	place := elsewhere[name]
	if place.of != "" {
		return licenceFiles(filepath.Join(npmDir, place.of))
	}
	var texts []string
	for _, file := range place.headers {
		header, err := headerOf(filepath.Join(dir, file))
		if err != nil {
			return nil, fmt.Errorf("read the licence of %s: %w", name, err)
		}
		texts = append(texts, header)
	}
	if place.apache {
		text, err := os.ReadFile("LICENSE")
		if err != nil {
			return nil, fmt.Errorf("read the licence of %s: %w", name, err)
		}
		texts = append(texts, tidy(text))
	}
	return texts, nil
}

// headerOf is the comment that a file begins with.
func headerOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open the file: %w", err)
	}
	defer func() { _ = file.Close() }()
	var b strings.Builder
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line, isComment := strings.CutPrefix(lines.Text(), "//")
		if !isComment {
			break
		}
		b.WriteString(strings.TrimPrefix(line, " ") + "\n")
	}
	return tidy([]byte(b.String())), lines.Err()
}
