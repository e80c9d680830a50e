package python

import (
	"crypto/sha256"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MaxFile bounds what is read of a file, and maxFiles how many files are read.
const (
	MaxFile  = 4 << 20
	maxFiles = 64
)

// Class is the class that a Python model has to define, and AutoComplete its function that completes the config.
const (
	Class        = "TritonPythonModel"
	AutoComplete = "auto_complete_config"
)

// Answer says how certain something is without running the program.
type Answer int

// The answers.
const (
	No Answer = iota
	Perhaps
	Yes
)

// Program is a module with those of the model's folder that it imports. It does not change once it is read.
type Program struct {
	main    *module
	open    func(rel string) []byte
	roots   []string // where modules are looked for
	modules map[string]*module
	wrong   []*SyntaxError

	steps, looks       int
	defined, completes Answer

	once     sync.Once
	sources  []Source // found on the first use
	followed bool
}

// Read reads a program: file is the path of its module, relative to the model's folder, and open reads a file there, nil
// where there is none.
func Read(file string, open func(rel string) []byte) *Program {
	p := &Program{open: open, roots: []string{path.Dir(file), "."}, modules: map[string]*module{}}
	p.main = p.load(file)
	if p.main == nil { // a file that is missing defines nothing
		p.main = parse(file, nil, true)
	}
	p.follow(p.main)
	p.defined = p.defines(p.main, Class, 0)
	p.completes = p.completed()
	return p
}

// Wrong are the mistakes of syntax: that of the program itself, and those of the modules that it imports in any case.
func (p *Program) Wrong() []*SyntaxError { return p.wrong }

// Main reports whether a mistake is in the program's own file.
func (p *Program) Main(e *SyntaxError) bool { return e.File == p.main.file }

// Said returns what Python says as far as all releases say the same: its class alone where they share no words.
func (e *SyntaxError) Said() string {
	said := e.Kind + ": " + e.Message
	switch {
	case slices.Contains(ownWords, e.Message):
		return e.Kind
	case strings.HasPrefix(e.Message, "unterminated"), e.Message == noBlock:
		return said
	}
	return said + " (" + path.Base(e.File) + ", line " + strconv.Itoa(e.Line) + ")"
}

// load reads a module once; nil where there is none.
func (p *Program) load(file string) *module {
	if m, known := p.modules[file]; known || len(p.modules) >= maxFiles {
		return m
	}
	text := p.open(file)
	if text == nil {
		p.modules[file] = nil
		return nil
	}
	lines, err := read(text)
	if err != nil && len(text) < MaxFile {
		err.File = file
		p.wrong = append(p.wrong, err)
	}
	m := parse(file, lines, err == nil && lines != nil && len(text) < MaxFile || len(text) == 0)
	m.there, m.sum = true, sha256.Sum256(text)
	p.modules[file] = m
	return m
}

// follow loads what a module imports in any case.
func (p *Program) follow(m *module) {
	for _, f := range m.needs {
		file := p.find(m, f)
		if _, known := p.modules[file]; file == "" || known {
			continue
		}
		if next := p.load(file); next != nil {
			p.follow(next)
		}
	}
}

// find returns the file of a module that another one imports, or "" if the folder has none.
func (p *Program) find(m *module, f from) string {
	if p.looks++; p.looks > maxLooks || len(f.path) > maxPath {
		return ""
	}
	roots := p.roots
	if f.level > 0 {
		dir := path.Dir(m.file)
		for range f.level - 1 {
			dir = path.Dir(dir)
		}
		roots = []string{dir}
	}
	for _, root := range roots {
		base := path.Join(root, strings.ReplaceAll(f.path, ".", "/"))
		for _, file := range []string{base + ".py", path.Join(base, "__init__.py")} {
			if _, known := p.modules[file]; p.load(file) != nil {
				return file
			} else if !known {
				delete(p.modules, file)
			}
		}
	}
	return ""
}

// Defines reports whether the program has the class Class, in the end.
func (p *Program) Defines() Answer { return p.defined }

// Raises is the class of an exception that the module raises at its top whatever happens, or "".
func (p *Program) Raises() string { return p.main.raises }

// maxDepth bounds how far names are followed, maxSteps how often.
const (
	maxDepth = 16
	maxSteps = 1000
	maxLooks = 1000 // how often a module is looked for
	maxPath  = 1000 // how long its name may be
)

// tired reports whether names have been followed far enough.
func (p *Program) tired(depth int) bool {
	p.steps++
	return depth > maxDepth || p.steps > maxSteps
}

// byOtherMeans are words with which a program may define a name that is not written in it.
var byOtherMeans = []string{
	"globals", "locals", "vars", "setattr", "exec", "eval", "global", "modules", "importlib", "import_module", "__import__", "__dict__", "__getattr__",
}

func (p *Program) defines(m *module, what string, depth int) Answer {
	if p.tired(depth) || !m.whole {
		return Perhaps
	}
	if _, bound := m.names[what]; bound {
		return p.imported(m, m.names[what], depth)
	}
	answer := No
	for _, f := range m.stars {
		from := p.modules[p.find(m, f)]
		if from == nil {
			answer = Perhaps
			continue
		}
		answer = max(answer, p.defines(from, what, depth+1))
	}
	if slices.ContainsFunc(byOtherMeans, func(w string) bool { return m.words[w] }) {
		answer = max(answer, Perhaps)
	}
	return answer
}

// imported reports whether a name that is bound is there in the end. Where the module is not looked at, it is; a module of
// another folder may come before one of this folder, so that nothing is certain there.
func (p *Program) imported(m *module, b binding, depth int) Answer {
	if b.attr == "" {
		return Yes
	}
	from := p.modules[p.find(m, b.from)]
	if from == nil || p.defines(from, b.attr, depth+1) != No {
		return Yes
	}
	return Perhaps
}

// Completes reports whether the class may complete its config: it or a class that it inherits from has AutoComplete.
func (p *Program) Completes() Answer { return p.completes }

func (p *Program) completed() Answer {
	answer := p.inherits(p.main, []string{Class}, 0) // which loads what it follows
	for _, m := range p.modules {
		if m != nil && (m.words[AutoComplete] || m.texts[AutoComplete]) {
			return Yes
		}
	}
	if p.defined == No {
		return No
	}
	return answer
}

// Says reports whether a string is in the program or in what it imports.
func (p *Program) Says(text string) bool {
	for _, m := range p.modules {
		if m != nil && text != "" && m.texts[text] {
			return true
		}
	}
	return false
}

// bare are modules of Python whose classes complete nothing.
var bare = []string{"abc", "typing", "enum", "threading", "logging", "dataclasses", "collections"}

// inherits reports whether a class may have AutoComplete from a class that is not looked at.
func (p *Program) inherits(m *module, name []string, depth int) Answer {
	if p.tired(depth) || !m.whole || len(name) == 0 || len(name) > maxDepth {
		return Perhaps
	}
	if c := m.classes[name[0]]; c != nil && len(name) == 1 {
		answer := No
		if c.vague {
			answer = Perhaps
		}
		for _, base := range c.bases {
			answer = max(answer, p.inherits(m, base, depth+1))
		}
		return answer
	}
	b, bound := m.names[name[0]]
	switch {
	case !bound && name[0] == "object" && len(m.stars) == 0:
		return No
	case !bound:
		return Perhaps
	case b.alias != nil:
		return p.inherits(m, append(slices.Clone(b.alias), name[1:]...), depth+1)
	case b.from.path == "" && b.from.level == 0:
		return Perhaps
	case b.attr != "":
		name = append([]string{b.attr}, name[1:]...)
	default:
		name = name[1:]
	}
	if b.from.level == 0 && slices.Contains(bare, b.from.path) {
		return No
	}
	from := p.modules[p.find(m, b.from)]
	for from == nil && len(name) > 1 { // a module in a package
		b.from.path, name = b.from.path+"."+name[0], name[1:]
		from = p.modules[p.find(m, b.from)]
	}
	if from == nil {
		return Perhaps
	}
	return p.inherits(from, name, depth+1)
}
