package main

import "regexp"

// node is a field of a config: its name, its value, and where both stand. The bases are valid and plain, so that
// a few lines read them; of a text that was broken already they make something.
type node struct {
	name       string
	start, end int // the whole field
	vs, ve     int // its value
	nameEnd    int
	kind       kind
	fields     []*node // of a message, and of the messages of a list
}

type kind int

const (
	message kind = iota
	list
	number
	text
	word
)

var token = regexp.MustCompile(`#[^\n]*|"[^"\n]*"|[A-Za-z_]\w*|[-+]?[0-9.]\w*|\S`)

// parser walks over the tokens of a text.
type parser struct {
	src string
	at  [][]int
	pos int
}

func parse(src string) []*node {
	p := &parser{src: src, at: token.FindAllStringIndex(src, -1)}
	return p.message()
}

func (p *parser) peek() string {
	if p.pos >= len(p.at) {
		return ""
	}
	return p.src[p.at[p.pos][0]:p.at[p.pos][1]]
}

// message reads fields up to a closing brace or the end.
func (p *parser) message() []*node {
	var fields []*node
	for p.peek() != "" && p.peek() != "}" {
		if p.peek() == "," || p.peek() == ";" {
			p.pos++
			continue
		}
		fields = append(fields, p.field())
	}
	return fields
}

func (p *parser) field() *node {
	n := &node{name: p.peek(), start: p.at[p.pos][0], nameEnd: p.at[p.pos][1]}
	if p.pos++; p.peek() == ":" {
		p.pos++
	}
	if p.pos >= len(p.at) {
		n.vs, n.ve, n.end = n.nameEnd, n.nameEnd, n.nameEnd
		return n
	}
	n.vs = p.at[p.pos][0]
	n.kind, n.fields = p.value()
	n.ve = p.at[min(p.pos, len(p.at))-1][1]
	n.end = n.ve
	return n
}

// value reads one value; a list gives the fields of all messages in it.
func (p *parser) value() (kind, []*node) {
	first := p.peek()
	p.pos++
	switch {
	case first == "{":
		fields := p.message()
		p.pos++
		return message, fields
	case first == "":
		return word, nil
	case first == "[":
		var fields []*node
		for p.peek() != "]" && p.peek() != "" {
			if p.peek() == "," {
				p.pos++
				continue
			}
			_, inner := p.value()
			fields = append(fields, inner...)
		}
		p.pos++
		return list, fields
	case first[0] == '"':
		return text, nil
	case first[0] == '-' || first[0] >= '0' && first[0] <= '9' || first[0] == '.':
		return number, nil
	}
	return word, nil
}

// all are the nodes of a tree in the order of the text.
func all(nodes []*node) []*node {
	var out []*node
	for _, n := range nodes {
		out = append(out, n)
		out = append(out, all(n.fields)...)
	}
	return out
}
