package modelfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"conch/configedit/backends"
)

// What is read of an archive at most: its index, and each of the few small files in it. Real indexes are below a
// megabyte, and programs below two.
const (
	maxTorchIndex = 64 << 20
	maxTorchFile  = 8 << 20
	maxTorchFiles = 1 << 18
)

// ReadTorchScript reads the index of a TorchScript archive and the text of the program of its class. It never panics; an
// error is an *Error, or the error of r.
func ReadTorchScript(r io.ReaderAt, size int64) (*TorchScript, error) {
	if size <= 0 {
		return nil, &Error{Truncated: true, Message: "the file is empty"}
	}
	if err := lfsPointer(r); err != nil {
		return nil, err
	}
	limited := &budget{r: r, left: maxTorchIndex}
	index, err := zip.NewReader(limited, size)
	switch {
	case limited.err != nil:
		return nil, limited.err
	case err != nil:
		return noIndex(r, size)
	case len(index.File) > maxTorchFiles:
		return nil, &Error{Message: fmt.Sprintf("the archive holds more than %d files", maxTorchFiles)}
	}
	limited.left = 4 * maxTorchFile
	a := &torchArchive{files: map[string]*zip.File{}}
	return a.read(index.File)
}

// zipMagic begins every archive, flatMagic at byte 4 a mobile model, which libtorch also loads and which has no index.
const (
	zipMagic  = "PK\x03\x04"
	flatMagic = "PTMF"
)

// noIndex says what a file is if it has no archive index at its end.
func noIndex(r io.ReaderAt, size int64) (*TorchScript, error) {
	head := make([]byte, 8)
	n, _ := r.ReadAt(head, 0)
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte(zipMagic)):
		return nil, &Error{
			Offset: size, Truncated: true,
			Message: "the archive has no index at its end: it was cut off or is still being copied",
		}
	case len(head) == 8 && string(head[4:]) == flatMagic:
		return &TorchScript{}, nil
	}
	return nil, &Error{Message: "this is not a TorchScript archive, which torch.jit.save writes; " +
		"torch.save does not write one"}
}

// torchArchive is an archive while it is read. All its files are in one folder, which has the original name of the archive.
type torchArchive struct {
	files map[string]*zip.File // by path in that folder
	model TorchScript
}

func (a *torchArchive) read(files []*zip.File) (*TorchScript, error) {
	for _, f := range files {
		_, rel, _ := strings.Cut(f.Name, "/")
		a.files[rel] = f
		if name, ok := strings.CutPrefix(rel, "extra/"); ok {
			a.model.Extra = append(a.model.Extra, name)
		}
	}
	slices.Sort(a.model.Extra)
	switch {
	case a.files["constants.pkl"] != nil:
	case a.files["model.json"] != nil: // the form before PyTorch 1.4, which libtorch still loads
		return &a.model, nil
	case a.files["archive_format"] != nil:
		return nil, &Error{Lacks: "constants.pkl", Message: "this was written by torch.export.save, not torch.jit.save; such a model is served as " +
			backends.TorchAOTI.File + " with platform " + backends.TorchAOTI.Platform}
	case a.files["data.pkl"] != nil:
		return nil, &Error{Lacks: "constants.pkl", Message: "this was written by torch.save: it holds a model or its weights, but no program; " +
			"save a scripted or traced model with torch.jit.save"}
	default:
		return nil, &Error{Lacks: "constants.pkl", Message: "this is an archive of something else, not of a TorchScript model"}
	}
	if err := a.program(); err != nil {
		return nil, err
	}
	return &a.model, nil
}

// program finds the class and reads its forward.
func (a *torchArchive) program() error {
	version, err := a.content("version", 32)
	if err != nil {
		return err
	}
	a.model.Version = strings.TrimSpace(string(version))
	head, err := a.content("data.pkl", 4096)
	if err != nil {
		return err
	}
	module, class, ok := firstClass(head)
	if !ok {
		return nil
	}
	a.model.Class = module + "." + class
	path := "code/" + strings.ReplaceAll(module, ".", "/") + ".py"
	if a.files[path] == nil {
		return nil
	}
	source, err := a.content(path, maxTorchFile)
	if err != nil {
		return err
	}
	a.model.Known = a.model.readClass(string(source), class)
	return nil
}

// firstClass takes the class of the pickled object from the first bytes of a pickle: PROTO 2, then GLOBAL with module
// and name, each ended by a newline.
func firstClass(pickle []byte) (module, class string, ok bool) {
	rest, ok := bytes.CutPrefix(pickle, []byte("\x80\x02c"))
	if !ok {
		return "", "", false
	}
	lines := bytes.SplitN(rest, []byte("\n"), 3)
	if len(lines) < 3 || !bytes.HasPrefix(lines[0], []byte("__torch__")) {
		return "", "", false
	}
	return string(lines[0]), string(lines[1]), true
}

// content reads the first bytes of a file in the archive, or nothing if the file is missing.
func (a *torchArchive) content(path string, limit int64) ([]byte, error) {
	f := a.files[path]
	if f == nil {
		return nil, nil
	}
	in, err := f.Open()
	if err != nil {
		return nil, broken(path, err)
	}
	defer func() { _ = in.Close() }()
	content, err := io.ReadAll(io.LimitReader(in, limit))
	if err != nil {
		return nil, broken(path, err)
	}
	return content, nil
}

// broken says which file of an archive cannot be read.
func broken(path string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	return &Error{Message: fmt.Sprintf("%s in the archive cannot be read (%v): the file is damaged", path, err)}
}

// budget bounds how much of a file is read, so that no file can take all memory.
type budget struct {
	r    io.ReaderAt
	left int64
	err  error
}

// ReadAt implements io.ReaderAt.
func (b *budget) ReadAt(p []byte, off int64) (int, error) {
	b.left -= int64(len(p))
	if b.left < 0 {
		b.err = &Error{Offset: off, Message: "the archive's index is larger than any that PyTorch makes"}
		return 0, b.err
	}
	return b.r.ReadAt(p, off)
}
