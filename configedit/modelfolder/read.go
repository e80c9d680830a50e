package modelfolder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// Question says what to read of a folder.
type Question struct {
	// Name is the model's name.
	Name string
	// Config is the config as written; nil where there is none. It is not changed.
	Config *modelconfig.ModelConfig
	// Version is the name of the version folder whose model file is read; with "" none is.
	Version string
}

// Reading is the result.
type Reading struct {
	// Facts has the files of the first folder, and the content of the model file.
	Facts derive.Facts
	// File is the path of the model file in the folder. It is "" if the config has no model file that can be read.
	File string
	// Broken says why that file cannot be read. It is nil for a file that is not there.
	Broken error
	target target
}

// Read gathers the facts. The error says why the folder cannot be listed; the facts are good without it.
func Read(fsys fs.FS, q Question) (Reading, error) {
	in, files, err := firstFolder(fsys)
	r := Reading{Facts: derive.Facts{ModelName: q.Name, Files: files, FilesIn: in, AutoComplete: true}}
	r.readModel(fsys, q)
	return r, err
}

// Again gathers the facts for another config of the same folder, in which nothing has changed since. What was read is
// not read again, and where there is no folder nothing is.
func (r Reading) Again(fsys fs.FS, q Question) Reading {
	if r.Facts.Alone || targetOf(q, r.Facts.Files) == r.target {
		return r
	}
	again := Reading{Facts: derive.Facts{ModelName: q.Name, Files: r.Facts.Files, FilesIn: r.Facts.FilesIn, AutoComplete: true}}
	again.readModel(fsys, q)
	return again
}

func (r *Reading) readModel(fsys fs.FS, q Question) {
	r.target = targetOf(q, r.Facts.Files)
	if r.target.path == "" {
		return
	}
	r.File = r.target.inside(fsys)
	r.Broken = r.target.read(fsys, r.File, &r.Facts)
}

// target is the model file that a config means, as it is named there.
type target struct {
	path   string // relative to the folder; "" for none that can be read
	format backends.Format
}

// reader reads a format.
type reader func(io.ReaderAt, int64, *derive.Facts) error

// readers are those of the formats that can be read.
var readers = map[backends.Format]reader{
	backends.ONNX: func(r io.ReaderAt, size int64, f *derive.Facts) (err error) {
		f.ONNX, err = modelfile.ReadONNX(r, size)
		return err
	},
	backends.SavedModel: func(r io.ReaderAt, size int64, f *derive.Facts) (err error) {
		f.SavedModel, err = modelfile.ReadSavedModel(r, size)
		return err
	},
	backends.OpenVINOModel: func(r io.ReaderAt, size int64, f *derive.Facts) (err error) {
		f.OpenVINO, err = modelfile.ReadOpenVINO(r, size)
		return err
	},
	backends.TorchScript: func(r io.ReaderAt, size int64, f *derive.Facts) (err error) {
		f.Torch, err = modelfile.ReadTorchScript(r, size)
		return err
	},
	backends.TensorRTPlan: func(r io.ReaderAt, size int64, f *derive.Facts) (err error) {
		f.Plan, err = modelfile.ReadPlan(r, size)
		return err
	},
}

// Reads reports whether files of a format can be read for what they declare.
func Reads(f backends.Format) bool { return readers[f] != nil }

// ReadFile gathers what a model file alone tells, which need not lie in a model's folder. Its form is told by the end of
// its name; without a known one it is taken for ONNX. called is what people call that form.
func ReadFile(name string, r io.ReaderAt, size int64) (facts derive.Facts, called string, err error) {
	format := backends.ONNX
	for f := range readers {
		if path.Ext(cmp.Or(f.Inside, f.File)) == path.Ext(name) {
			format = f
		}
	}
	err = readers[format](r, size, &facts)
	return facts, format.Called, err
}

// ReadOutside gathers what a model file tells that is outside all version folders: nothing where its format cannot be read, such as that
// of a program. A model that is a folder has it inside. The error says why it cannot be read.
func ReadOutside(fsys fs.FS, name string) (facts derive.Facts, err error) {
	_, format, _ := backends.OfEnding(name)
	if !Reads(format) {
		return facts, nil
	}
	if format.Form == backends.Folder {
		name = path.Join(name, format.Inside)
	}
	t := target{path: name, format: format}
	err = t.read(fsys, name, &facts)
	return facts, err
}

// targetOf finds the file that the backend opens. A Python program that replaces the backend opens files in its own way.
func targetOf(q Question, files []derive.File) target {
	cfg := &modelconfig.ModelConfig{
		Name: q.Name, Backend: q.Config.GetBackend(), Platform: q.Config.GetPlatform(), DefaultModelFilename: q.Config.GetDefaultModelFilename(),
	}
	facts := derive.Facts{ModelName: q.Name, Files: files}
	if meant := derive.Meant(cfg, facts); meant != nil { // the checks compare the file that is meant
		cfg = meant
	}
	if _, err := derive.CompleteBackend(cfg, facts); err != nil ||
		q.Version == "" || q.Config.GetRuntime() == backends.PythonRuntime {
		return target{}
	}
	for _, f := range backends.Named(cfg.Backend).Formats {
		if f.Platform != cfg.Platform || readers[f] == nil {
			continue
		}
		name := cmp.Or(cfg.DefaultModelFilename, f.File)
		if f == backends.OpenVINOModel && path.Ext(name) != path.Ext(f.File) {
			return target{} // OpenVINO reads other forms, too
		}
		if rel := path.Join(q.Version, name); !folder.Outside(name) && !folder.Outside(rel) {
			return target{rel, f}
		}
	}
	return target{}
}

// inside is the file that is opened: a model may be a folder that holds it.
func (t target) inside(fsys fs.FS) string {
	if t.format.Inside == "" {
		return t.path
	}
	if info, err := fs.Stat(fsys, t.path); t.format.Form == backends.Folder || err == nil && info.IsDir() {
		return path.Join(t.path, t.format.Inside)
	}
	return t.path
}

// read reads the file's header. A missing file is not an error here; the checks report it.
func (t target) read(fsys fs.FS, name string, facts *derive.Facts) error {
	info, err := fs.Stat(fsys, name)
	if err != nil || info.IsDir() {
		return nil
	}
	if special := folder.Special(info.Mode()); special != nil {
		return special
	}
	f, err := fsys.Open(name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied; change its permissions")
	case err != nil:
		return fmt.Errorf("open it: %w", err)
	}
	defer func() { _ = f.Close() }()
	at, ok := f.(io.ReaderAt)
	if !ok {
		return fmt.Errorf("open it: %s cannot be read at an offset", name)
	}
	return readers[t.format](at, info.Size(), facts)
}

// firstFolder lists the folder in which Triton looks for a model file when a config names no backend
// (docs/triton/completion.md, "Backend and platform"); nil when there is no folder.
func firstFolder(fsys fs.FS) (name string, files []derive.File, err error) {
	entries, err := list(fsys, ".")
	if err != nil {
		return "", nil, err
	}
	var folders []string
	for _, e := range entries {
		if e.Dir {
			folders = append(folders, e.Name)
		}
	}
	if name = derive.FirstFolder(folders); name != "" {
		files, err = list(fsys, name)
	}
	return name, files, err
}

// list reads a folder, sorted by name. It follows links, as Triton does.
func list(fsys fs.FS, dir string) ([]derive.File, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	files := make([]derive.File, 0, len(entries))
	for _, e := range entries {
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := fs.Stat(fsys, path.Join(dir, e.Name()))
			isDir = err == nil && info.IsDir()
		}
		files = append(files, derive.File{Name: e.Name(), Dir: isDir})
	}
	return files, nil
}

// None is the answer for a model that has no folder.
func None(q Question) Reading {
	return Reading{Facts: derive.Facts{ModelName: q.Name, Alone: true, AutoComplete: true}}
}
