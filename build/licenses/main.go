// Command licenses writes app/about/notices.txt.gz: the licence of each Go module and npm package that is really in the program,
// and of ONNX Runtime, which it opens. With -check it only reports whether the file is fresh. A licence that is not known
// to be free, and a package without a licence's text, are errors.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const noticesFile = "app/about/notices.txt.gz"

func main() {
	check := flag.Bool("check", false, "only say whether the file is fresh")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	works, err := allWorks()
	if err != nil {
		return err
	}
	text, err := notices(works)
	if err != nil {
		return err
	}
	if check {
		return fresh(text)
	}
	size, err := writeCompressed(noticesFile, text)
	if err != nil {
		return err
	}
	fmt.Printf("licenses: %d works in %s, %d KB of text in %d KB\n", len(works), noticesFile, len(text)>>10, size>>10)
	return nil
}

// work is what somebody else made and Conch contains.
type work struct {
	Name, Version string
	Texts         []string // of its licence, and its notices
}

// label names a work in the list.
func (w work) label() string { return strings.TrimSpace(w.Name + " " + w.Version) }

func allWorks() ([]work, error) {
	modules, err := goModules()
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages()
	if err != nil {
		return nil, err
	}
	runtime, err := onnxRuntime()
	if err != nil {
		return nil, err
	}
	return slices.Concat(modules, packages, []work{runtime}), nil
}

const rule = "--------------------------------------------------------------------------------\n"

// notices are all works in a list, and then each text once, with the works it belongs to.
func notices(works []work) (string, error) {
	var list, texts strings.Builder
	var order []string
	owners := map[string][]string{}
	var unknown []error
	column := 0
	for _, w := range works {
		column = max(column, len(w.label())+1)
	}
	for _, w := range works {
		kinds, err := kindsOf(w)
		if err != nil {
			unknown = append(unknown, err)
			continue
		}
		name := w.label()
		fmt.Fprintf(&list, "%-*s %s\n", column, name, strings.Join(kinds, ", "))
		for _, text := range w.Texts {
			if owners[text] == nil {
				order = append(order, text)
			}
			owners[text] = append(owners[text], name)
		}
	}
	for _, text := range order {
		texts.WriteString("\n" + rule + strings.Join(owners[text], "\n") + "\n" + rule + "\n" + text)
	}
	head := "Conch contains the works of others, which are listed here with their licences. ONNX Runtime is not part of the\n" +
		"program, but opened by it.\n\n"
	return head + list.String() + texts.String(), errors.Join(unknown...)
}

// fresh compares texts: how they are compressed changes with the version of Go.
func fresh(text string) error {
	file, err := os.Open(noticesFile)
	if err != nil {
		return fmt.Errorf("open what was written last: %w; run make licenses", err)
	}
	defer func() { _ = file.Close() }()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", noticesFile, err)
	}
	old, err := io.ReadAll(unpacked)
	if err != nil {
		return fmt.Errorf("read %s: %w", noticesFile, err)
	}
	if string(old) != text {
		return errors.New(noticesFile + " is stale; run make licenses and commit it")
	}
	return nil
}

func writeCompressed(path, text string) (int, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return b.Len(), nil
}

// licenceFiles are the texts in a folder that are named as licences and notices are.
func licenceFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for a licence: %w", err)
	}
	var texts []string
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		named := strings.HasPrefix(name, "licen") || strings.HasPrefix(name, "copying") || strings.HasPrefix(name, "notice")
		if !named || e.IsDir() || strings.Contains(name, "logo") || strings.HasSuffix(name, ".go") {
			continue // a logo is not in the program
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read a licence: %w", err)
		}
		texts = append(texts, tidy(text))
	}
	return texts, nil
}

// tidy makes equal texts equal.
func tidy(text []byte) string {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	return strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n"
}
