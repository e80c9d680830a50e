package checkcmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// file judges a config by itself, without its folder and the rest of the repository.
func (j *judge) file(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	decoded, syntax := modelconfig.Parse(filepath.Base(path), src)
	m := &check.Model{
		Decoded: decoded, Syntax: syntax,
		Facts:   derive.Facts{ModelName: filepath.Base(filepath.Dir(path)), Alone: true, AutoComplete: !j.flags.Strict},
		Release: j.flags.Release,
	}
	m.Effective, _, m.Problem = derive.Effective(decoded.Config, m.Facts)
	list := slices.Concat(syntax, check.Check(m, nil))
	if bool(j.advice) {
		list = append(list, check.Advise(m)...)
	}
	diag.Sort(list)
	j.result.Models++
	j.add(Report{Path: j.shown(path), File: decoded.File, List: j.told(list)})
	return nil
}
