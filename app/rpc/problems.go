package rpc

import (
	"slices"

	"conch/app/api"
	"conch/app/language"
	"conch/app/workspace"
)

// rejudge lists the problems of texts that are not saved, and of what depends on them, as they stand.
func (s *Server) rejudge(unsaved []*api.Unsaved) (*api.ListProblemsResponse, error) {
	library, err := s.edited(unsaved)
	if err != nil {
		return nil, err
	}
	out := &api.ListProblemsResponse{Rejudged: dependOn(library, unsaved)}
	for _, name := range out.Rejudged {
		if m, ok := library.Model(name); ok {
			out.Files = append(out.Files, workspace.Examine(library, m)...)
		}
	}
	return out, nil
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
