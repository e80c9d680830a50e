package check

import (
	"io"
	"slices"
	"strings"

	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/release"
)

// Model is one model as its folder has it, or as it is being typed.
type Model struct {
	// Name is the name of the folder.
	Name string
	// Decoded is the config as written; nil where there is none.
	Decoded *modelconfig.Decoded
	// Syntax is what modelconfig.Parse said about the text. It is not repeated, but what only follows from it
	// is not said either.
	Syntax []diag.Diagnostic
	// Effective is the completed config, and Problem the error, of derive.Effective.
	Effective *modelconfig.ModelConfig
	Problem   error
	Facts     derive.Facts
	// Completed tells that the backend has completed Effective already, as it has when the engine asks: nothing is filled
	// in any more, and whether there was a text does not matter.
	Completed bool
	// FileProblem says why the model file of the newest version cannot be read; nil when it can, or is not looked at.
	FileProblem error
	// Folder is what lies beside the config; nil where only a text is known, so that rules about files wait.
	Folder *Folder
	// Release is the release of Triton that is to serve the model; nil where none is chosen, so that nothing of it is judged.
	Release *release.Release
	// Workbench tells that the config is for Conch's own engine, which takes less than Triton where safety asks for it.
	Workbench bool
}

// Folder is a model's folder.
type Folder struct {
	// Dir is its path, for Triton's sentences that name files.
	Dir string
	// Away tells that the folder cannot be read now. The functions below give what was found before, and what they do not
	// give is not missed.
	Away bool
	// Versions are the version folders that Triton would consider, ascending.
	Versions []int64
	// Unread are folders, relative to Dir, that are there and cannot be read; "" is the model's own. What may lie in
	// them is not missed.
	Unread []string
	// Odd are folders that look like versions and are none.
	Odd []OddFolder
	// Files are the files outside of the version folders, slash-separated and relative to Dir.
	Files []string
	// Has reports whether a file or folder of that path, slash-separated and relative to the model's folder, exists.
	Has func(rel string) bool
	// Size is the size of a file, false where there is none; Open opens one to be read. Where they are nil, rules about
	// what is in files wait.
	Size func(rel string) (int64, bool)
	Open func(rel string) (io.ReadCloser, error)
	// Leads is the file that a link leads to which leaves the repository; "" for any other file, nil where links are not known.
	Leads func(rel string) string
	// Special says why what lies there is neither a file nor a folder; nil where it is one, or nothing does.
	Special func(rel string) error

	programs programs
}

// Read gives the first bytes of a file; nil where it cannot be read.
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

// special says why what should be a file is none; nil where that is not known.
func (f *Folder) special(rel string) error {
	if f == nil || f.Special == nil {
		return nil
	}
	return f.Special(rel)
}

// hasFile reports whether a file exists; true where that is not known.
func (f *Folder) hasFile(rel string) bool {
	if f == nil || f.Has == nil || f.unread(rel) {
		return true
	}
	return f.Has(rel)
}

// unread reports whether a file or folder may lie in a folder that cannot be read.
func (f *Folder) unread(rel string) bool {
	return f != nil && slices.ContainsFunc(f.Unread, func(dir string) bool {
		return dir == "" || rel == dir || strings.HasPrefix(rel, dir+"/")
	})
}

// sizeOf is the size of a file, false where that is not known.
func (f *Folder) sizeOf(rel string) (int64, bool) {
	if f == nil || f.Size == nil {
		return 0, false
	}
	return f.Size(rel)
}

// OddFolder is a folder that Triton passes over, and why.
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

// Remembers is an Env that never changes, and keeps what was found out about its models from one Check to the next.
type Remembers interface{ Judgements() *Judgements }

// File is the name of the config of a model of this name in Related and Edit.
func File(model string) string { return model + "/config.pbtxt" }
