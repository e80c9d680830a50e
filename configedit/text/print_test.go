package text

// Print returns the source of a document by walking its tree: every byte
// is in exactly one token or before one.
func Print(d *Document) []byte {
	p := printer{src: d.File.src, out: make([]byte, 0, d.File.Len())}
	p.message(d.Root)
	p.token(d.EOF())
	return p.out
}

type printer struct {
	src []byte
	out []byte
}

func (p *printer) token(t Token) {
	if t.Present() {
		p.out = append(p.out, p.src[t.Lead:t.Span.End]...)
	}
}

func (p *printer) tokens(list []Token) {
	for _, t := range list {
		p.token(t)
	}
}

func (p *printer) message(m *Message) {
	p.token(m.Open)
	p.tokens(m.Junk)
	for _, f := range m.Fields {
		p.tokens(f.Name.Tokens)
		p.token(f.Colon)
		p.value(f.Value)
		p.token(f.Separator)
		p.tokens(f.Junk)
	}
	p.token(m.Close)
}

func (p *printer) list(l *List) {
	p.token(l.Open)
	p.tokens(l.Junk)
	for _, e := range l.Elements {
		p.value(e.Value)
		p.tokens(e.Junk)
		p.token(e.Comma)
	}
	p.token(l.Close)
}

func (p *printer) value(v Value) {
	switch v := v.(type) {
	case *Scalar:
		p.token(v.Minus)
		p.tokens(v.Parts)
	case *Message:
		p.message(v)
	case *List:
		p.list(v)
	}
}
