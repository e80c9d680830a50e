package main

import (
	"fmt"
	"slices"
	"strings"
)

// kinds are the licences that Conch may contain works under, each with words that only its text has.
var kinds = []struct{ name, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"BSD-3-Clause", "endorse or promote products derived from"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that"},
	{"0BSD", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted. the software is provided"},
	{"OFL-1.1", "sil open font license version 1.1"},
	{"public domain", "dedicated to the public domain"},
}

// twoClauses are in the text of BSD-2-Clause and of BSD-3-Clause.
const twoClauses = "redistributions in binary form must reproduce the above copyright notice"

// foreign are words of licences that ask for more than to be named. They are looked for in each text by itself: what a work
// itself contains is judged where it is listed.
var foreign = []string{"gnu general public license", "gnu lesser general public", "gnu affero", "mozilla public license", "business source license", "server side public license"}

// kindsOf names the licences of a work, from their texts alone.
func kindsOf(w work) ([]string, error) {
	var found []string
	for _, text := range w.Texts {
		words := normal(text)
		for _, k := range kinds {
			if strings.Contains(words, k.words) && !slices.Contains(found, k.name) {
				found = append(found, k.name)
			}
		}
		if strings.Contains(words, twoClauses) && !strings.Contains(words, "endorse or promote") && !slices.Contains(found, "BSD-2-Clause") {
			found = append(found, "BSD-2-Clause")
		}
	}
	if len(w.Texts) == 0 {
		return nil, fmt.Errorf("%s %s brings no text of its licence: find it, and say where in npm.go", w.Name, w.Version)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s %s has a licence that kind.go does not know: read it before you add it there", w.Name, w.Version)
	}
	return found, forbidden(w)
}

// collections list the works inside a work, each with its own licence, among them some that are only named.
func collection(text string) bool {
	return strings.Contains(text, "third-party licenses") || strings.Contains(text, "third party software")
}

func forbidden(w work) error {
	for _, text := range w.Texts {
		words := normal(text)
		if collection(words[:min(len(words), 2000)]) || w.Name == "ONNX Runtime" {
			continue
		}
		for _, f := range foreign {
			if strings.Contains(words, f) {
				return fmt.Errorf("%s %s names a licence that Conch does not take: %s", w.Name, w.Version, f)
			}
		}
	}
	return nil
}

// normal is a text in lower case with single spaces, and without what marks comments and headings.
func normal(text string) string {
	text = strings.NewReplacer("*", " ", "#", " ", ">", " ", `"`, "", "(the license);", "").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "license, version", "license version")), " ")
}
