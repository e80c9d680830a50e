package scan_test

import (
	"fmt"
	"path/filepath"
	"strings"

	"conch/repo/scan"
)

// dump prints an Index as the golden files have it: everything that does not
// depend on the time of day, with the temporary folder cut out of paths.
func dump(x *scan.Index, top string) string {
	d := &dumper{top: top}
	d.line("seq %d", x.Seq)
	for _, p := range x.Problems {
		d.line("problem %s: %s", p.Code, p.What)
	}
	for _, m := range x.Models {
		d.model(x, m)
	}
	for _, s := range x.Strays {
		d.line("stray %s (%s): %s", s.Path, s.Kind, s.Why)
	}
	return d.text.String()
}

type dumper struct {
	text strings.Builder
	top  string
}

func (d *dumper) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	text = strings.ReplaceAll(text, d.top+string(filepath.Separator), "")
	fmt.Fprintln(&d.text, strings.ReplaceAll(text, d.top, "TOP"))
}

func (d *dumper) model(x *scan.Index, m *scan.Model) {
	note := ""
	if x.Duplicate(m.Name) {
		note = " (duplicate)"
	}
	d.line("model %s in %s%s", m.Name, m.Root, note)
	switch {
	case m.ConfigErr != nil:
		d.line("  config error: %v", m.ConfigErr)
	case m.ConfigPath != "":
		d.line("  config %q", m.ConfigText)
	}
	for _, v := range m.Variants {
		d.line("  variant %s %q", v.Name, v.Text)
	}
	for _, v := range m.Versions {
		d.line("  version %d%s%s", v.Number, files(v.Files), folders(v.Folders))
	}
	for _, o := range m.OddVersionDirs {
		d.line("  odd %q: %s", o.Name, o.Why)
	}
	if len(m.LabelFiles) > 0 {
		d.line("  labels%s", files(m.LabelFiles))
	}
	if len(m.Other) > 0 {
		d.line("  other%s", files(m.Other))
	}
	d.line("  subdirs %q", m.Subdirs)
	for _, p := range m.Problems {
		d.line("  problem %s: %s", p.Code, p.What)
	}
}

func files(list []scan.File) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, " %s:%d", f.Path, f.Size)
	}
	return b.String()
}

func folders(list []string) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, " %s/", f)
	}
	return b.String()
}
