package conversion

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"conch/app/api"
	"conch/app/language"
	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/repo/scan"
)

// Source is an ONNX model whose versions can be converted.
type Source struct {
	Model  *scan.Model
	Config *modelconfig.ModelConfig // the effective one
	// File is the name of the model file in a version's folder.
	File string
	// Versions are those that have the file.
	Versions []scan.Version
}

// ErrUnfit is the reason of errors that say why a model is not converted, for errors.Is.
var ErrUnfit = errors.New("the model is not converted")

type unfitError struct{ error }

func (unfitError) Is(target error) bool { return target == ErrUnfit }

func unfit(format string, args ...any) error { return unfitError{fmt.Errorf(format, args...)} }

// Of returns what can be converted of a model.
func Of(m *language.Model) (Source, error) {
	cfg := m.Effective()
	s := Source{Model: m.Scan, Config: cfg, File: cmp.Or(cfg.GetDefaultModelFilename(), backends.ONNX.File)}
	switch {
	case m.Scan.Dir == "":
		return s, unfit("%s has no folder on this machine", m.Scan.Name)
	case cfg.GetBackend() != backends.ONNXRuntime && cfg.GetPlatform() != backends.ONNX.Platform:
		return s, unfit("%s is not an ONNX model: only those can be converted", m.Scan.Name)
	case cfg.GetRuntime() == backends.PythonRuntime:
		return s, unfit("%s is run by a program of its own, which may read its file in its own way", m.Scan.Name)
	case filepath.Base(s.File) != s.File:
		return s, unfit("the file of %s lies in a folder of its version (%s), which Conch does not convert", m.Scan.Name, s.File)
	}
	for _, v := range m.Scan.Versions {
		if slices.ContainsFunc(v.Files, func(f scan.File) bool { return f.Path == s.File }) {
			s.Versions = append(s.Versions, v)
		}
	}
	if len(s.Versions) == 0 {
		return s, unfit("no version of %s has the file %s", m.Scan.Name, s.File)
	}
	return s, nil
}

// Narrowed says what a version has been made already: "FP16" or "INT8", of which neither is made; "" otherwise.
func (s Source) Narrowed(v scan.Version) string {
	return modelfile.Narrowed(filepath.Join(v.Dir, s.File))
}

// Usual is the version that is converted where nobody names one: the newest one that can become the target, or else the newest.
func (s Source) Usual(target string) scan.Version {
	for _, v := range slices.Backward(s.Versions) {
		// TensorRT takes FP16 as well as FP32. What INT8 has lost, a plan of it has lost, too.
		if made := s.Narrowed(v); made == "" || target == Plan && made == "FP16" {
			return v
		}
	}
	return s.Versions[len(s.Versions)-1]
}

// Version finds a version; 0 means the usual one for the target.
func (s Source) Version(number int64, target string) (scan.Version, error) {
	if number == 0 {
		return s.Usual(target), nil
	}
	i := slices.IndexFunc(s.Versions, func(v scan.Version) bool { return v.Number == number })
	if i < 0 {
		return scan.Version{}, unfit("%s has no version %d with the file %s", s.Model.Name, number, s.File)
	}
	return s.Versions[i], nil
}

// Next is the number of a new version. It is above all that there are, so that it counts as the newest.
func (s Source) Next() int64 {
	next := int64(1)
	for _, v := range s.Model.Versions {
		next = max(next, v.Number+1)
	}
	return next
}

// now is the source with the versions that its folder has now. All that has the name of a version counts, also an empty folder.
func (s Source) now() (Source, error) {
	entries, err := os.ReadDir(s.Model.Dir)
	if err != nil {
		return s, fmt.Errorf("read the versions of %s: %w", s.Model.Name, err)
	}
	m := *s.Model
	m.Versions = nil
	for _, e := range entries {
		if number, is := folder.Version(e.Name()); is {
			m.Versions = append(m.Versions, scan.Version{Number: number, Dir: filepath.Join(m.Dir, e.Name())})
		}
	}
	slices.SortFunc(m.Versions, func(a, b scan.Version) int { return cmp.Compare(a.Number, b.Number) })
	s.Model = &m
	return s, nil
}

// Size is the size of a version's model file and of the files beside it with its weights.
func (s Source) Size(v scan.Version) (sum int64) {
	names := append(modelfile.ExternalFiles(filepath.Join(v.Dir, s.File)), s.File)
	for _, f := range v.Files {
		if slices.Contains(names, f.Path) {
			sum += f.Size
		}
	}
	return sum
}

// Serving says what the version policy makes of a new version.
func (s Source) Serving() string {
	next := s.Next()
	var before []int64
	for _, v := range s.Model.Versions {
		before = append(before, v.Number)
	}
	policy := s.Config.GetVersionPolicy()
	was := derive.Versions(policy, before)
	will := derive.Versions(policy, append(slices.Clone(before), next))
	if !slices.Contains(will, next) {
		return fmt.Sprintf("The version policy of the config does not name version %d: it is not served until you change the policy.", next)
	}
	gone := slices.DeleteFunc(slices.Clone(was), func(v int64) bool { return slices.Contains(will, v) })
	text := fmt.Sprintf("Version %d is served as soon as the model is loaded again, at once where it follows its files", next)
	if len(gone) > 0 {
		return text + fmt.Sprintf(", and %s is not served any more: the version policy keeps the newest. Its folder stays.", versionsText(gone))
	}
	return text + fmt.Sprintf(", beside %s.", versionsText(was))
}

func versionsText(list []int64) string {
	var words []string
	for _, v := range list {
		words = append(words, strconv.FormatInt(v, 10))
	}
	if len(words) == 1 {
		return "version " + words[0]
	}
	return "versions " + strings.Join(words, ", ")
}

// Inputs are the inputs with the batch, as the model file has them; -1 where a size varies.
func (s Source) Inputs() (list []*api.ConvertedTensor) {
	for _, in := range s.Config.GetInput() {
		dims := in.GetDims()
		if in.GetReshape() != nil {
			dims = in.GetReshape().GetShape()
		}
		if s.Config.GetMaxBatchSize() > 0 {
			dims = append([]int64{-1}, dims...)
		}
		list = append(list, &api.ConvertedTensor{
			Name: in.GetName(), Datatype: language.Datatype(in.GetDataType()), Shape: dims, Input: true,
		})
	}
	return list
}
