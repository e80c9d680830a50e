package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/overlay"
	"conch/app/workspace"
	"conch/configedit/folder"
	"conch/repo/layout"
	"conch/repo/write"
)

type editorService struct{ *Server }

// maxText limits the files that are opened as text: far larger than any config, still fast in an
// editor.
const maxText = 8 << 20

// placeIn resolves a path in a model's folder, links included, and refuses a path that leads outside.
// then is the sentence about the action where the repository is away.
func placeIn(stay *workspace.Stay, model, rel, then string) (string, error) {
	dir, err := folderOf(stay, model, then)
	if err != nil {
		return "", err
	}
	if rel == "" || rel == "." {
		return "", invalid(fmt.Errorf("no file was named"))
	}
	return layout.Inside(dir, folder.Raw(rel))
}

// folderOf returns a model's folder, where it can be reached. then is as for placeIn.
func folderOf(stay *workspace.Stay, model, then string) (string, error) {
	if err := stay.Reach(model, then); err != nil {
		return "", err
	}
	m, ok := stay.Disk().Model(model)
	if !ok {
		return "", fmt.Errorf("%w: %q", workspace.ErrNoModel, model)
	}
	return m.Scan.Dir, nil
}

// ReadFile reads a text of a model. A text that cannot be saved back byte for byte is read-only, and
// the answer says why.
func (s *editorService) ReadFile(_ context.Context, r *connect.Request[api.ReadFileRequest]) (*connect.Response[api.ReadFileResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	file, err := placeIn(stay, r.Msg.Model, r.Msg.Path, workspace.ThenRead)
	var away *workspace.AwayError
	if errors.As(err, &away) {
		return s.remembered(stay, r.Msg, away)
	}
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err == nil {
		switch {
		case info.IsDir():
			return nil, invalid(fmt.Errorf("%s/%s is a folder; open one of its files", r.Msg.Model, r.Msg.Path))
		case info.Size() > maxText:
			return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("%s/%s has %d MiB; Conch opens texts of up to %d MiB. Edit it in another program", r.Msg.Model, r.Msg.Path, info.Size()>>20, maxText>>20))
		}
	}
	content, version, err := write.Read(file)
	if err != nil {
		return nil, err
	}
	if isBinary(content) && !workspace.IsTextName(r.Msg.Path) {
		return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("%s/%s is not a text, so it cannot be edited here", r.Msg.Model, r.Msg.Path))
	}
	out := s.opened(stay, r.Msg, version)
	out.Text, out.ReadOnly, out.Note = describe(content)
	if out.Exists && !out.ReadOnly {
		if why := unwritable(file); why != "" {
			out.ReadOnly, out.Note = true, join("saving is off: "+why, out.Note)
		}
	}
	return connect.NewResponse(out), nil
}

// opened describes a file that is being opened, and its unsaved texts.
func (s *editorService) opened(stay *workspace.Stay, r *api.ReadFileRequest, version write.Version) *api.ReadFileResponse {
	out := &api.ReadFileResponse{
		Version: version.Hash, Exists: version.Exists(), Run: s.Workspace.Run(), Repository: stay.ID(),
	}
	named := workspace.File{Model: r.Model, Path: r.Path}
	if draft, edited := stay.Draft(named); edited {
		out.Draft = workspace.DraftMessage(draft)
	}
	if rival, ok := stay.Rival(named); ok {
		out.Rival = workspace.DraftMessage(rival)
	}
	return out
}

// remembered returns a file whose folder is away: a config as it was read last, or the base of the
// unsaved text. Of other files nothing is known.
func (s *editorService) remembered(stay *workspace.Stay, r *api.ReadFileRequest, away *workspace.AwayError) (*connect.Response[api.ReadFileResponse], error) {
	m, _ := stay.Disk().Model(r.Model)
	draft, edited := stay.Draft(workspace.File{Model: r.Model, Path: r.Path})
	content, version := []byte(draft.Base.Text), write.Version{Hash: draft.Base.Version}
	switch {
	case r.Path == m.ConfigFile():
		content, version = m.Text(), write.VersionOf(m.Text(), time.Time{})
	case !edited:
		return nil, away
	}
	out := s.opened(stay, r, version)
	out.Text, out.ReadOnly, out.Note = describe(content)
	out.Note = join(out.Note, "the repository is away: this is the text as Conch last read it")
	return connect.NewResponse(out), nil
}

func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}

// What is said of a file that an editor here could only spoil.
const (
	notUTF8 = "This file is not UTF-8, so it cannot be saved here: \uFFFD stands for each byte that is not text. Save it as UTF-8 with the editor that wrote it."
	hasNUL  = "This file has NUL bytes, shown as ␀, so it cannot be saved here. Take them out with another editor."
)

// describe makes a text that an editor can show, and says what is unusual about it.
func describe(content []byte) (text string, readOnly bool, note string) {
	if !utf8.Valid(content) {
		return strings.ToValidUTF8(string(content), "\uFFFD"), true, notUTF8
	}
	if bytes.IndexByte(content, 0) >= 0 {
		return strings.ReplaceAll(string(content), "\x00", "\u2400"), true, hasNUL
	}
	if bytes.HasPrefix(content, []byte("\uFEFF")) {
		note = join(note, "begins with a byte order mark")
	}
	switch lineEnds(content) {
	case crlf:
		note = join(note, "CRLF line ends")
	case mixed:
		note = join(note, "mixed line ends: they stay as they are")
	}
	return string(content), false, note
}

func join(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + "; " + second
}

type ends uint8

const (
	lf ends = iota
	crlf
	mixed
)

func lineEnds(content []byte) ends {
	all, pairs := bytes.Count(content, []byte{'\n'}), bytes.Count(content, []byte("\r\n"))
	switch pairs {
	case 0:
		return lf
	case all:
		return crlf
	}
	return mixed
}

// unwritable says why a file cannot be written; "" where it can. It changes nothing. A file that nobody may
// write counts as read-only for root, too.
func unwritable(file string) string {
	const forbidden = "you have no permission to write the file"
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o222 == 0 {
		return forbidden
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		_ = f.Close()
		return ""
	}
	if met, ok := errors.AsType[*write.Error](write.Explain("write", file, err)); ok && !errors.Is(err, fs.ErrPermission) {
		return met.Why
	}
	return forbidden
}

// SaveFile saves a text, unless the file changed on disk since the edit began.
func (s *editorService) SaveFile(_ context.Context, r *connect.Request[api.SaveFileRequest]) (*connect.Response[api.SaveFileResponse], error) {
	if len(r.Msg.Text) > maxText {
		return nil, invalid(fmt.Errorf("the text of %s/%s was not saved: it has %d MiB, and Conch saves up to %d MiB. Make it shorter", r.Msg.Model, r.Msg.Path, len(r.Msg.Text)>>20, maxText>>20))
	}
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	file, err := placeIn(stay, r.Msg.Model, r.Msg.Path, workspace.ThenSave)
	if err != nil {
		return nil, err
	}
	named := workspace.File{Model: r.Msg.Model, Path: r.Msg.Path}
	part := overlay.Part{Version: r.Msg.Since, By: overlay.Turn{Writer: r.Msg.Writer, Number: r.Msg.Number}, Began: r.Msg.BaseVersion}
	if draft, edited := stay.Draft(named); edited && draft.Text != r.Msg.Text && !part.Knows(draft) {
		return connect.NewResponse(&api.SaveFileResponse{Newer: workspace.DraftMessage(draft)}), nil
	}
	version, err := save(file, r.Msg)
	var conflict *write.ConflictError
	if errors.As(err, &conflict) {
		text, _, _ := describe(conflict.Disk)
		return connect.NewResponse(&api.SaveFileResponse{Conflict: true, DiskText: text, DiskVersion: conflict.Version.Hash}), nil
	}
	if err != nil {
		return nil, err
	}
	stay.Saved(named, overlay.Base{Version: version.Hash, Text: r.Msg.Text}, part)
	stay.Touch(lyingAt(stay.Disk(), []pending{{asked: &api.FileWrite{Model: r.Msg.Model, Path: r.Msg.Path}}})...)
	draft, _ := stay.Draft(named)
	return connect.NewResponse(&api.SaveFileResponse{Version: version.Hash, DraftVersion: draft.Version}), nil
}

// withLineEndsOf gives a text of the editor, which knows only LF, the line ends of the file that it
// replaces.
func withLineEndsOf(old []byte, text string) []byte {
	if lineEnds(old) == crlf && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

func save(file string, r *api.SaveFileRequest) (write.Version, error) {
	old, _, _ := write.Read(file) // the save reports why a file cannot be read
	content := withLineEndsOf(old, r.Text)
	return write.Save(file, content, write.Version{Hash: r.BaseVersion})
}
