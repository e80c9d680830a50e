package language

import (
	"path/filepath"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/repo/scan"
)

// OfRepository is a finding about no model: about a repository as a whole, or about an entry of it.
type OfRepository struct {
	Path string
	// Stray says that it is about an entry that is not a model. Triton reads the others, where they are asked for by name.
	Stray bool
	diag.Diagnostic
}

// DiagnoseRepository lists what keeps Triton from reading the repositories, and from starting with them, beside what is wrong with their
// models.
func DiagnoseRepository(index *scan.Index) []OfRepository {
	var list []OfRepository
	for _, p := range index.Problems {
		list = append(list, OfRepository{Path: p.Path, Diagnostic: rootProblem(p)})
	}
	for _, s := range index.Strays {
		if s.TakenForModel() {
			found := diag.Diagnostic{Code: rule.STRAY.ID, Message: s.Why, Triton: strayWords(filepath.Base(s.Path)), First: true}
			list = append(list, OfRepository{Path: s.Path, Stray: true, Diagnostic: found})
		}
	}
	return list
}

// rootProblem turns a failed read into a diagnostic. A broken link in a model may be valid where the model is served; one in the repository
// itself keeps Triton from listing it.
func rootProblem(p scan.Problem) diag.Diagnostic {
	d := FolderProblem(p)
	if p.Code == scan.DanglingLink {
		d.Severity = diag.Error
	}
	return d
}

// FolderProblem turns a failed read of a model's folder into a diagnostic.
func FolderProblem(p scan.Problem) diag.Diagnostic {
	d := diag.Diagnostic{Code: string(p.Code), Message: p.What}
	if p.Code.Harmless() {
		d.Severity = diag.Warning
	}
	return d
}

// strayWords is Triton's sentence about a folder that has nothing of a model. Triton takes what
// follows a dot in the name as the backend, and then finds no version (docs/triton/repository.md,
// "Layout").
func strayWords(name string) string {
	if !strings.Contains(name, ".") {
		return rule.AC1.Sentence(name)
	}
	return rule.L1.Sentence(name)
}
