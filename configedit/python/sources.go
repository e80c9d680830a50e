package python

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"path"
	"slices"
	"strings"
)

// Source is a file of the model's folder that a run of a program may read.
type Source struct {
	Path string // relative to the model's folder
	Sum  [sha256.Size]byte
}

// maxNamed bounds how many strings are taken for names of files, maxName how long such a string may be.
const (
	maxNamed = 1000
	maxName  = 200
)

// Sources lists the files that a run may read, by path: the modules that the program imports anywhere, also in functions, and
// the files of the folder that it names in strings. What it finds in another way, such as by listing a folder, is not there.
// whole is false for a program that is too large to be followed.
func (p *Program) Sources() (list []Source, whole bool) {
	p.once.Do(func() { p.sources, p.followed = p.collect() })
	return p.sources, p.followed
}

func (p *Program) collect() (list []Source, whole bool) {
	w := &walk{
		Program: &Program{main: p.main, open: p.open, roots: p.roots, modules: maps.Clone(p.modules)}, // p does not change
		seen:    map[*module]bool{}, found: map[string]Source{},
	}
	w.module(p.main)
	list = slices.SortedFunc(maps.Values(w.found), func(a, b Source) int { return cmp.Compare(a.Path, b.Path) })
	return list, len(w.modules) < maxFiles && w.looks < maxLooks && w.named < maxNamed
}

// walk collects the sources of a program.
type walk struct {
	*Program
	seen  map[*module]bool
	found map[string]Source
	named int // strings that were looked up
}

// module adds a module, and what it mentions.
func (w *walk) module(m *module) {
	if m == nil || w.seen[m] {
		return
	}
	w.seen[m] = true
	if m.there {
		w.found[m.file] = Source{m.file, m.sum}
	}
	for _, f := range m.mentions {
		w.module(w.modules[w.find(m, f)])
	}
	dynamic := slices.ContainsFunc(byName, func(word string) bool { return m.words[word] })
	for _, text := range slices.Sorted(maps.Keys(m.texts)) {
		if dynamic && plain(text) {
			w.module(w.modules[w.find(m, from{path: text})])
		}
		w.file(text)
	}
}

// byName are the words with which a program imports a module whose name is a string.
var byName = []string{"importlib", "import_module", "__import__", "runpy"}

// plain reports whether a text may be the name of a module.
func plain(text string) bool {
	return text != "" && len(text) <= maxName && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// file adds the file that a string names, as "labels.txt" or "{folder}/labels.txt".
func (w *walk) file(text string) {
	name := path.Clean(strings.TrimLeft(text[strings.LastIndexByte(text, '}')+1:], "/"))
	if len(name) > maxName || !strings.Contains(name, ".") || name == "." || strings.HasPrefix(name, "..") ||
		strings.ContainsAny(name, "\n\x00") || w.named >= maxNamed {
		return
	}
	w.named++
	for _, root := range w.roots {
		rel := path.Join(root, name)
		if _, known := w.found[rel]; known {
			continue
		}
		if content := w.open(rel); content != nil {
			w.found[rel] = Source{rel, sha256.Sum256(content)}
		}
	}
}

// mentioned lists the modules that the import statements of a line name.
func mentioned(tokens []token) (found []from) {
	begin := 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) && !tokens[i].is(":") && !tokens[i].is(";") {
			continue
		}
		found = append(found, mentionedIn(tokens[begin:i])...)
		begin = i + 1
	}
	return found
}

// mentionedIn takes one statement. "import a.b" runs a and a.b, and "from a import b" may mean the module a.b.
func mentionedIn(statement []token) (found []from) {
	if len(statement) == 0 || !statement[0].is("import") && !statement[0].is("from") {
		return nil
	}
	r := &reader{module: &module{names: map[string]binding{}, classes: map[string]*class{}}}
	r.statements(statement, true)
	for _, f := range r.needs {
		for i, c := range f.path {
			if c == '.' {
				found = append(found, from{f.level, f.path[:i]})
			}
		}
		found = append(found, f)
	}
	for _, key := range slices.Sorted(maps.Keys(r.names)) {
		if b := r.names[key]; b.attr != "" {
			found = append(found, from{b.from.level, strings.TrimPrefix(b.from.path+"."+b.attr, ".")})
		}
	}
	return found
}
