package python

import (
	"crypto/sha256"
	"iter"
	"slices"
)

// module is one file of a program.
type module struct {
	file string
	// names are what is bound at the top, classes what is defined there; class bodies and branches that may not run count.
	names   map[string]binding
	classes map[string]*class
	// stars are modules from which all names are imported; needs are those that are imported whatever happens.
	stars, needs []from
	// words are all names in the text, and texts all strings.
	words, texts map[string]bool
	// whole means that the whole text was understood.
	whole bool
	// raises is the class of the first exception that is raised at the top whatever happens, or "".
	raises string
	// mentions are the modules that are imported anywhere in the text.
	mentions []from
	// there means that there is a file, and sum is that of its content.
	there bool
	sum   [sha256.Size]byte
}

// binding is what a name at the top stands for: an imported module or a name of it, another name, or something else.
type binding struct {
	from  from
	attr  string   // of an import: the name in the module; "" for the module itself
	alias []string // the dotted name that it was set to
}

// from is a module as an import names it.
type from struct {
	level int // the dots in front
	path  string
}

// class is a class with what is written in it.
type class struct {
	bases   [][]string
	members map[string]bool
	// vague means that more may be added: by a decorator, a metaclass, or a base that is an expression.
	vague bool
}

// scope is a block that is open while the lines of a module are read.
type scope struct {
	indent int
	class  *class // nil for a branch
	def    bool
}

// reader fills a module.
type reader struct {
	*module
	scopes    []scope
	decorated bool
}

func parse(file string, lines []logical, whole bool) *module {
	m := &module{
		file: file, whole: whole, names: map[string]binding{}, classes: map[string]*class{}, words: map[string]bool{}, texts: map[string]bool{},
	}
	r := &reader{module: m}
	for _, l := range lines {
		for _, t := range l.tokens {
			switch t.kind {
			case name:
				m.words[t.text] = true
			case str:
				m.texts[t.text] = true
			}
		}
		if len(m.mentions) < maxLooks { // more are not followed
			m.mentions = append(m.mentions, mentioned(l.tokens)...)
		}
		r.line(l)
	}
	return m
}

// flow are the words with which a block begins that has no names of its own.
var flow = []string{"if", "elif", "else", "try", "except", "finally", "for", "while", "with", "match", "case"}

// line takes one logical line.
func (r *reader) line(l logical) {
	for n := len(r.scopes); n > 0 && r.scopes[n-1].indent >= l.indent; n-- {
		r.scopes = r.scopes[:n-1]
	}
	if slices.ContainsFunc(r.scopes, func(s scope) bool { return s.def }) {
		return
	}
	tokens := l.tokens
	if tokens[0].is("async") && len(tokens) > 1 {
		tokens = tokens[1:]
	}
	head, body := cut(tokens)
	switch first := tokens[0]; {
	case first.is("@"):
		r.decorated = true
		return
	case first.is("def") && len(tokens) > 1:
		r.bind(tokens[1].text, binding{})
		r.scopes = append(r.scopes, scope{indent: l.indent, def: true})
	case first.is("class") && len(tokens) > 1:
		r.class(l.indent, head, body)
	case first.kind == name && slices.Contains(flow, first.text) && head[len(head)-1].is(":"):
		for _, t := range head {
			r.bindName(t)
		}
		r.scopes = append(r.scopes, scope{indent: l.indent})
		r.statements(body, false)
	default:
		r.statements(tokens, len(r.scopes) == 0)
	}
	r.decorated = false
}

// outside returns the tokens outside of all brackets, with their indices.
func outside(tokens []token) iter.Seq2[int, token] {
	return func(yield func(int, token) bool) {
		depth := 0
		for i, t := range tokens {
			switch {
			case t.is("(") || t.is("[") || t.is("{"):
				depth++
			case t.is(")") || t.is("]") || t.is("}"):
				depth--
			case depth == 0 && !yield(i, t):
				return
			}
		}
	}
}

// cut parts a line behind the first colon outside of brackets.
func cut(tokens []token) (head, body []token) {
	for i, t := range outside(tokens) {
		if t.is(":") {
			return tokens[:i+1], tokens[i+1:]
		}
	}
	return tokens, nil
}

// split parts tokens at an operator outside of brackets.
func split(tokens []token, at string) [][]token {
	var parts [][]token
	begin := 0
	for i, t := range outside(tokens) {
		if t.is(at) {
			parts, begin = append(parts, tokens[begin:i]), i+1
		}
	}
	return append(parts, tokens[begin:])
}

// bind takes a name where it belongs: to the class that is open, or to the module.
func (r *reader) bind(what string, b binding) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if c := r.scopes[i].class; c != nil {
			c.members[what] = true
			return
		}
	}
	r.names[what] = b
	delete(r.classes, what)
}

// bindName takes a word that may be bound, unless it is known better.
func (r *reader) bindName(t token) {
	if _, known := r.names[t.text]; t.kind == name && !known {
		r.bind(t.text, binding{})
	}
}

// class takes "class Name(Base, Other):" and what follows on the line.
func (r *reader) class(indent int, head, body []token) {
	c := &class{members: map[string]bool{}, vague: r.decorated}
	if len(head) > 3 && (!head[2].is("(") || !head[len(head)-2].is(")")) {
		c.vague = true
	} else if len(head) > 3 {
		for _, base := range split(head[3:len(head)-2], ",") {
			if len(base) == 0 {
				continue
			}
			path, ok := dotted(base)
			c.vague = c.vague || !ok
			c.bases = append(c.bases, path)
		}
	}
	r.bind(head[1].text, binding{})
	if !slices.ContainsFunc(r.scopes, func(s scope) bool { return s.class != nil }) {
		r.classes[head[1].text] = c
	}
	r.scopes = append(r.scopes, scope{indent: indent, class: c})
	r.statements(body, false)
}

// dotted reads a name such as a.b.C.
func dotted(tokens []token) ([]string, bool) {
	var path []string
	for i, t := range tokens {
		if (i%2 == 0) != (t.kind == name) || i%2 == 1 && !t.is(".") {
			return nil, false
		}
		if i%2 == 0 {
			path = append(path, t.text)
		}
	}
	return path, len(tokens)%2 == 1
}

// statements takes simple statements; surely tells that they run in any case.
func (r *reader) statements(tokens []token, surely bool) {
	for _, s := range split(tokens, ";") {
		switch {
		case len(s) == 0:
		case s[0].is("import"):
			r.imports(s[1:], surely)
		case s[0].is("from"):
			r.importsFrom(s[1:], surely)
		case s[0].is("raise") && surely && r.raises == "":
			if class, _ := dotted(before(s[1:], "(", "from")); len(class) > 0 {
				r.raises = class[len(class)-1]
			}
		default:
			r.assigns(s)
		}
	}
}

// before returns the tokens in front of the first of some words.
func before(s []token, words ...string) []token {
	end := slices.IndexFunc(s, func(t token) bool { return slices.ContainsFunc(words, t.is) })
	if end < 0 {
		return s
	}
	return s[:end]
}

// assigns takes "a = b", "a: T = b" and what else may bind names.
func (r *reader) assigns(s []token) {
	parts := split(s, "=")
	if len(parts) == 2 && len(parts[0]) == 1 && parts[0][0].kind == name {
		path, _ := dotted(parts[1])
		r.bind(parts[0][0].text, binding{alias: path})
		return
	}
	left := parts[:len(parts)-1]
	if head, _ := cut(s); head[len(head)-1].is(":") {
		left = append(left, head)
	}
	for _, part := range left {
		for _, t := range part {
			r.bindName(t)
		}
	}
	for i, t := range s {
		if t.is(":=") && i > 0 {
			r.bindName(s[i-1])
		}
	}
}
