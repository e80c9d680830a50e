package python

import "strings"

// imports takes "import a.b as c, d".
func (r *reader) imports(tokens []token, surely bool) {
	for _, part := range split(tokens, ",") {
		path, as := renamed(part)
		if path == "" {
			continue
		}
		f := from{path: path}
		if surely {
			r.needs = append(r.needs, f)
		}
		if as == "" { // the first part of the name is bound
			f.path, _, _ = strings.Cut(path, ".")
			as = f.path
		}
		r.bind(as, binding{from: f})
	}
}

// renamed reads "a.b as c".
func renamed(tokens []token) (path, as string) {
	var b strings.Builder
	for i, t := range tokens {
		if t.is("as") && i+1 < len(tokens) {
			return b.String(), tokens[i+1].text
		}
		b.WriteString(t.text)
	}
	return b.String(), ""
}

// importsFrom takes "from ..a.b import (c as d, e)" and "from a import *".
func (r *reader) importsFrom(tokens []token, surely bool) {
	f := from{}
	var b strings.Builder
	i := 0
	for ; i < len(tokens) && !tokens[i].is("import"); i++ {
		if tokens[i].is(".") && b.Len() == 0 {
			f.level++
			continue
		}
		b.WriteString(tokens[i].text)
	}
	f.path = b.String()
	if i+1 >= len(tokens) {
		return
	}
	if surely {
		r.needs = append(r.needs, f)
	}
	list := tokens[i+1:]
	if list[0].is("*") {
		r.stars = append(r.stars, f)
		return
	}
	if list[0].is("(") && list[len(list)-1].is(")") {
		list = list[1 : len(list)-1]
	}
	for _, part := range split(list, ",") {
		path, as := renamed(part)
		if path == "" {
			continue
		}
		if as == "" {
			as = path
		}
		r.bind(as, binding{from: f, attr: path})
	}
}
