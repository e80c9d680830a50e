package text_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/configedit/text"
)

// TestAt puts the caret where the bar stands.
func TestAt(t *testing.T) {
	for src, want := range map[string]string{
		"|":                                  "name []",
		"na|me: \"m\"":                       "name [] field=name token=name",
		"name: |\"m\"":                       "value [] field=name scalar token=\"m\"",
		"name:| ":                            "value [] field=name",
		"name: \n|":                          "name []",
		"name: \"m|":                         "value [] field=name scalar token=\"m",
		"input { na|":                        "name [input] field=na token=na",
		"input {\n  |\n}":                    "name [input]",
		"input {\n  data_type: TYPE|\n}":     "value [input] field=data_type scalar token=TYPE",
		"input [ { name: \"a\" | } ]":        "name [input]",
		"input [ | ]":                        "value [] field=input",
		"input { dims: [ 1, | ] }":           "value [input] field=dims",
		"a { b { c: 1 } | }":                 "name [a]",
		"a { b { | } }":                      "name [a b]",
		"a { } |":                            "name []",
		"a: 1 # na|me":                       "comment []",
		"a { # x\n | }":                      "name [a]",
		"# x|":                               "comment []",
		"a: \"#|\"":                          "value [] field=a scalar token=\"#\"",
		"input {\n  name: \"a\"\n|":          "name [input]",
		"in|put {\n  a: 1\noutput {\n}":      "name [] field=input token=input",
		"input {\n  a: 1\nout|put {\n}":      "name [] field=output token=output",
		"input {\n  a: 1\n |\noutput {\n}\n": "name [input]",
	} {
		off := strings.IndexByte(src, '|')
		doc, _ := text.Parse(text.NewFile("f", []byte(src[:off]+src[off+1:])))
		if got := describe(doc, doc.At(off)); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func describe(doc *text.Document, c text.Context) string {
	places := map[text.Place]string{
		text.PlaceName: "name", text.PlaceValue: "value", text.PlaceComment: "comment",
	}
	s := fmt.Sprintf("%s %v", places[c.Place], c.Names())
	if c.Field != nil {
		s += " field=" + c.Field.Name.Text
	}
	if c.Scalar != nil {
		s += " scalar"
	}
	if c.Token.Present() {
		s += " token=" + doc.Text(c.Token)
	}
	return s
}

func TestWalk(t *testing.T) {
	doc, _ := text.Parse(text.NewFile("f", []byte("a: 1 b { c: 2 } d [ { e: 3 }, { f { g: 4 } } ]")))
	var got []string
	text.Walk(doc, func(parents []*text.Field, f *text.Field) bool {
		got = append(got, strings.Repeat(".", len(parents))+f.Name.Text)
		return f.Name.Text != "f"
	})
	if s := strings.Join(got, " "); s != "a b .c d .e .f" {
		t.Error(s)
	}
}
