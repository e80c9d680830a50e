package rpc

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/repo/scan"
)

// maxFolders is how many folders are listed. Typing on finds more.
const maxFolders = 50

// ListFolders lists the folders that can complete a path that is being typed. Hidden ones are listed
// once a dot is typed.
func (s *workspaceService) ListFolders(_ context.Context, r *connect.Request[api.ListFoldersRequest]) (*connect.Response[api.ListFoldersResponse], error) {
	parent, begun := filepath.Split(s.Workspace.Path(r.Msg.Path))
	if strings.HasPrefix(r.Msg.Path, "~") && !strings.ContainsRune(r.Msg.Path, filepath.Separator) {
		parent, begun = s.Workspace.Path(r.Msg.Path), ""
	}
	out := &api.ListFoldersResponse{Parent: parent}
	if !filepath.IsAbs(parent) {
		return connect.NewResponse(out), nil
	}
	entries, _ := os.ReadDir(parent) // an incomplete path is not an error
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), begun) || begun == "" && strings.HasPrefix(e.Name(), ".") || !isFolder(parent, e) {
			continue
		}
		if len(out.Folders) == maxFolders {
			out.More = true
			break
		}
		found := scan.Diagnose(filepath.Join(parent, e.Name()))
		out.Folders = append(out.Folders, &api.Folder{Name: strings.ToValidUTF8(e.Name(), "\uFFFD"), Repository: found.Verdict == scan.Good})
	}
	return connect.NewResponse(out), nil
}

// isFolder follows links, as opening the folder does.
func isFolder(parent string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(parent, e.Name()))
	return err == nil && info.IsDir()
}
