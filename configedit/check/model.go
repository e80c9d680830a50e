package check

import (
	"io"
	"slices"
	"strings"

	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/release"
)

// Model is one model as it is in its folder, or as it is being edited.
type Model struct {
	// Name is the name of the folder.
	Name string
	// Decoded is the config as written, or nil if there is none.
	Decoded *modelconfig.Decoded
	// Syntax is what modelconfig.Parse reported about the text. The check does not repeat it, and does not report its
	// consequences either.
	Syntax []diag.Diagnostic
	// Effective is the completed config, and Problem the error, of derive.Effective.
	Effective *modelconfig.ModelConfig
	Problem   error
	Facts     derive.Facts
	// Completed means that the backend has already completed Effective, as when the engine calls: nothing is filled
	// in any more, and it does not matter whether there was a text.
	Completed bool
	// FileProblem says why the model file of the newest version cannot be read. It is nil if the file can be read or was
	// not checked.
	FileProblem error
	// Folder is the folder of the config. It is nil if only a text is known; then rules about files do not apply.
	Folder *Folder
	// Release is the release of Triton that will serve the model. It is nil if none is chosen; then no rule about
	// releases applies.
	Release *release.Release
	// Workbench means that the config is for Conch's own engine, which for safety accepts less than Triton.
	Workbench bool
}

// Folder is a model's folder.
type Folder struct {
	// Dir is its path, for Triton's sentences that name files.
	Dir string
	// Away means that the folder cannot be read now. The functions below return what was found before. What they do not
	// return is not reported as missing.
	Away bool
	// Versions are the version folders that Triton would consider, ascending.
	Versions []int64
	// Unread are folders, relative to Dir, that exist but cannot be read; "" is the model's own. Files that may be in
	// them are not reported as missing.
	Unread []string
	// Odd are folders that look like versions but are not.
	Odd []OddFolder
	// Files are the files outside of the version folders, slash-separated and relative to Dir.
	Files []string
	// Within returns the files of a version folder, relative to that one. It is nil if they are unknown.
	Within func(version int64) []string
	// Has reports whether a file or folder of that path, slash-separated and relative to the model's folder, exists.
	Has func(rel string) bool
	// Size returns the size of a file, or false if there is none. Open opens a file for reading. If they are nil, rules
	// about the content of files do not apply.
	Size func(rel string) (int64, bool)
	Open func(rel string) (io.ReadCloser, error)
	// Leads returns the target of a link that leads out of the repository, or "" for any other file. It is nil if links
	// are unknown.
	Leads func(rel string) string
	// Special says why an entry is neither a file nor a folder. It returns nil if it is one, or if there is no entry.
	Special func(rel string) error

	programs programs
}

// Read returns the first bytes of a file, or nil if it cannot be read.
func (f *Folder) Read(rel string, limit int) []byte {
	if f.Open == nil {
		return nil
	}
	file, err := f.Open(rel)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, int64(limit)))
	if err != nil {
		return nil
	}
	return content
}

// special says why an entry that should be a file is not one. It returns nil if that is unknown.
func (f *Folder) special(rel string) error {
	if f == nil || f.Special == nil {
		return nil
	}
	return f.Special(rel)
}

// hasFile reports whether a file exists. It returns true if that is unknown.
func (f *Folder) hasFile(rel string) bool {
	if f == nil || f.Has == nil || f.unread(rel) {
		return true
	}
	return f.Has(rel)
}

// unread reports whether a file or folder may be in a folder that cannot be read.
func (f *Folder) unread(rel string) bool {
	return f != nil && slices.ContainsFunc(f.Unread, func(dir string) bool {
		return dir == "" || rel == dir || strings.HasPrefix(rel, dir+"/")
	})
}

// sizeOf returns the size of a file, or false if it is unknown.
func (f *Folder) sizeOf(rel string) (int64, bool) {
	if f == nil || f.Size == nil {
		return 0, false
	}
	return f.Size(rel)
}

// OddFolder is a folder that Triton skips, and the reason.
type OddFolder struct{ Name, Why string }

// Env is the repository around a model.
type Env interface {
	// Model finds a model by name. Its Effective config is filled in.
	Model(name string) (*Model, bool)
	// Names lists all models.
	Names() []string
}

// Clashes is an Env that knows of models of the same name in other repositories.
type Clashes interface {
	// Clashes are the paths of the other folders of that name.
	Clashes(name string) []string
}

// Remembers is an Env that never changes, and keeps results about its models from one Check to the next.
type Remembers interface{ Judgements() *Judgements }

// File is the name of the config of a model of this name in Related and Edit.
func File(model string) string { return model + "/" + folder.ConfigName }
