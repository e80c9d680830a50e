package rpc

import (
	"slices"
	"strings"

	"conch/app/api"
	"conch/app/language"
	"conch/app/workspace"
)

// rejudge replaces the problems of models whose text is not saved, and of those that depend on one, by what they are
// with the texts as they stand.
func (s *Server) rejudge(out *api.ListProblemsResponse, unsaved []*api.Unsaved) error {
	if len(unsaved) == 0 {
		return nil
	}
	library, err := s.edited(unsaved)
	if err != nil {
		return err
	}
	out.Rejudged = dependOn(library, unsaved)
	out.Files = slices.DeleteFunc(out.Files, func(f *api.FileProblems) bool { return slices.Contains(out.Rejudged, f.Model) })
	for _, name := range out.Rejudged {
		if m, ok := library.Model(name); ok {
			out.Files = append(out.Files, workspace.Examine(library, m)...)
		}
	}
	slices.SortStableFunc(out.Files, func(a, b *api.FileProblems) int { return strings.Compare(a.Model, b.Model) })
	return nil
}

// mostRejudged bounds the models that are judged with every pause in typing.
const mostRejudged = 64

// dependOn are the models of these texts, and the ensembles that are made of them, directly or not; each once.
func dependOn(l *language.Library, texts []*api.Unsaved) []string {
	var list []string
	for _, u := range texts {
		if m, ok := l.Model(u.Model); ok && u.Path == configPath(m) && !slices.Contains(list, u.Model) {
			list = append(list, u.Model)
		}
	}
	for i := 0; i < len(list) && len(list) < mostRejudged; i++ {
		for _, user := range l.Users(list[i]) {
			if !slices.Contains(list, user.Scan.Name) {
				list = append(list, user.Scan.Name)
			}
		}
	}
	return list
}
