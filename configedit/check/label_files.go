package check

import (
	"fmt"
	"path"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// labelFiles checks the label files of the outputs.
type labelFiles struct{ *checker }

// checkLabels: L7 to L9.
func checkLabels(base *checker) {
	c := labelFiles{base}
	if c.m.Folder == nil || c.m.Folder.Has == nil {
		return
	}
	labelled := map[string]int{}
	for i, out := range c.cfg.GetOutput() {
		if out.LabelFilename == "" || c.full() {
			continue
		}
		if before, twice := labelled[out.Name]; twice {
			c.report(finding{
				rule: rule.L9, span: c.span("output", i, "label_filename"), args: values(out.Name),
				message: say("output %q has labels already", out.Name),
				related: []diag.Related{{Span: c.span("output", before, "label_filename"), Message: "given here first"}},
			})
			continue
		}
		labelled[out.Name] = i
		c.labelFile(i, out)
	}
}

// largeLabels: LBL1. Triton reads label files of any size; the engine here does not.
func (c labelFiles) largeLabels(span text.Span, name, rel string, size int64) {
	if c.m.Folder.Open == nil || size < folder.MaxLabels { // it has fewer lines than bytes
		return
	}
	file, err := c.m.Folder.Open(rel)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	if _, err := folder.Labels(file, 0); err != nil {
		c.report(finding{rule: rule.LBL1, span: span, message: say("label file %q is not read here: %s", name, err)})
	}
}

// labelFile: L7 and L8.
func (c labelFiles) labelFile(i int, out *modelconfig.ModelOutput) {
	span := c.span("output", i, "label_filename")
	if folder.Outside(out.LabelFilename) {
		c.report(finding{
			rule: rule.L7, span: span, args: values(out.LabelFilename, out.Name, c.cfg.GetName()),
			message: say("label file %q is outside the model's folder", out.LabelFilename),
		})
		return
	}
	rel := ownPath(out.LabelFilename)
	if c.m.Folder.unread(rel) {
		return
	}
	if special := c.m.Folder.special(rel); special != nil {
		c.report(finding{
			rule: rule.L8, span: span, unsaid: true,
			message: say("label file %q cannot be opened: %s", out.LabelFilename, special),
		})
		return
	}
	if c.m.Folder.Has(rel) {
		size, file := c.m.Folder.sizeOf(rel)
		if file {
			c.largeLabels(span, out.LabelFilename, rel, size)
		}
		if !file && c.m.Folder.Size != nil {
			c.report(finding{
				rule: rule.L8, span: span, unsaid: true,
				message: say("%q is a folder, not a label file; Triton crashes on this", out.LabelFilename),
			})
		}
		return
	}
	f := finding{
		rule: rule.L8, span: span, args: values(c.place(rel)),
		message: say("the model's folder holds no label file %q", out.LabelFilename),
	}
	if better := c.likelyLabels(rel); better != "" {
		tail, fixes := didYouMean(out.LabelFilename, better, span, text.Quote(better))
		f.message, f.fixes = f.message+tail, fixes
	} else {
		f.missing = rel
	}
	f.fixes = append(f.fixes, c.firstLabels(rel, out)...)
	c.report(f)
}

// likelyLabels is the file that is meant by the name of a label file that is not there: one of a similar name, else the
// only text file that may hold labels.
func (c labelFiles) likelyLabels(rel string) string {
	if near := guess(rel, c.m.Folder.Files); near != "" {
		return near
	}
	var texts []string
	for _, file := range c.m.Folder.Files {
		name := strings.ToLower(path.Base(file))
		if path.Ext(name) == ".txt" && name != "requirements.txt" && !strings.HasPrefix(name, "readme") && !strings.HasPrefix(name, "license") {
			texts = append(texts, file)
		}
	}
	if len(texts) != 1 {
		return ""
	}
	return texts[0]
}

// mostFirstLabels limits the lines of a label file that is proposed. A person replaces each of them.
const mostFirstLabels = 1000

// firstLabels is the fix that writes a label file to begin with: a line for each element, and an empty file where
// their number is not known or too large.
func (c labelFiles) firstLabels(rel string, out *modelconfig.ModelOutput) []diag.Fix {
	if c.m.Name == "" || rel == "" {
		return nil
	}
	var lines strings.Builder
	title := say("write %s, which is empty", rel)
	if classes := elements(out.Dims); classes > 1 && classes <= mostFirstLabels {
		for n := range classes {
			fmt.Fprintf(&lines, "class %d\n", n)
		}
		title = say("write %s with %d lines, one for each element of %q", rel, classes, out.Name)
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{File: c.m.Name + "/" + rel, Makes: true, New: lines.String()}}}}
}

// maxLabels bounds what is read of a label file to count its lines.
const maxLabels = 4 << 20

// countLabels counts the labels that an output has in its file, and the elements that they name. Both are 0 where one is
// unknown. Empty lines at the end of the file count only as far as there are elements for them: nobody misses those.
func (c *checker) countLabels(out *modelconfig.ModelOutput) (labels, classes int64) {
	classes = elements(out.Dims)
	if out.LabelFilename == "" || classes < 2 || folder.Outside(out.LabelFilename) || c.m.Folder == nil {
		return 0, 0
	}
	content := string(c.m.Folder.Read(ownPath(out.LabelFilename), maxLabels))
	if content == "" || len(content) == maxLabels {
		return 0, 0
	}
	lines := func(content string) int64 { return int64(strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1) }
	return max(min(lines(content), classes), lines(strings.TrimRight(content, "\r\n"))), classes
}

// labelsOf is a number of labels in words.
func labelsOf(n int64) string {
	if n == 1 {
		return "1 label"
	}
	return say("%d labels", n)
}

// ownPath is the path that a config gives of a file, relative to the model's folder. One that begins with a slash is
// still below that folder.
func ownPath(given string) string { return strings.TrimPrefix(path.Clean("/"+given), "/") }
