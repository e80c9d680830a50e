package model

import (
	"sync"

	"conch/engine/backend"
)

// mostImports is how many files of one load are remembered: somebody has to look at each.
const mostImports = 500

// imports are the files outside of a model's folder that the code of a load came from.
type imports struct {
	news func() // is called when there are more

	mu    sync.Mutex // guards what follows
	known map[string]bool
	list  []backend.Import
}

func newImports(news func()) *imports { return &imports{news: news, known: map[string]bool{}} }

// add adds those that are new.
func (i *imports) add(list []backend.Import) {
	if i.addNew(list) {
		i.news()
	}
}

func (i *imports) addNew(list []backend.Import) (news bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, one := range list {
		if i.known[one.Path] || len(i.list) == mostImports {
			continue
		}
		i.known[one.Path] = true
		i.list = append(i.list, one)
		news = true
	}
	return news
}

// Imports returns the files outside of the model's folder that the code of this load came from, as they were then.
func (v *Version) Imports() []backend.Import {
	v.imports.mu.Lock()
	defer v.imports.mu.Unlock()
	return v.imports.list[:len(v.imports.list):len(v.imports.list)]
}
