package wire

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is where it is written in which cases Conch answers otherwise than the real server, and why.
const Page = "docs/triton/differences.md"

var named = regexp.MustCompile("`([a-z]+/[a-z0-9_]+)`")

// CheckList holds the written list against the cases: each case in which Conch is meant to answer otherwise must be in it,
// and no other.
func CheckList(root string) error {
	cases, err := Cases(root)
	if err != nil {
		return err
	}
	listed, err := readList(root)
	if err != nil {
		return err
	}
	return compare(cases, listed)
}

func compare(cases []*Case, listed []string) error {
	var wrong []error
	for _, c := range cases {
		if c.Differs() != slices.Contains(listed, c.Name) {
			if c.Differs() {
				wrong = append(wrong, fmt.Errorf("%s has a section %q, but %s does not say why Conch differs there", c.Name, ofConch, Page))
			} else {
				wrong = append(wrong, fmt.Errorf("%s lists %s, in which Conch answers as Triton 24.10", Page, c.Name))
			}
		}
	}
	for _, name := range listed {
		if !slices.ContainsFunc(cases, func(c *Case) bool { return c.Name == name }) {
			wrong = append(wrong, fmt.Errorf("%s lists %s, which is not a case", Page, name))
		}
	}
	return errors.Join(wrong...)
}

// readList gives the cases that the rows of the page's tables name.
func readList(root string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(root, Page))
	if err != nil {
		return nil, fmt.Errorf("read the list of differences: %w", err)
	}
	var groups, names []string
	for _, folder := range Folders {
		groups = append(groups, filepath.Base(folder))
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for _, found := range named.FindAllStringSubmatch(line, -1) {
			if group, _, _ := strings.Cut(found[1], "/"); slices.Contains(groups, group) {
				names = append(names, found[1])
			}
		}
	}
	return names, nil
}
