package language

import (
	"os"
	"strings"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// mostLabels limits the labels: nobody looks through more.
const mostLabels = 50_000

// Labels reads a label file of the model, one label a line; nil when it cannot be read.
func (m *Model) Labels(name string) []string {
	dir := m.Scan.Dir
	if name == "" || dir == "" {
		return nil
	}
	path, err := layout.Inside(dir, name)
	if _, missing := os.Lstat(path); err == nil && missing != nil {
		path, err = layout.Inside(dir, folder.Raw(name)) // the config may name it by bytes that are not UTF-8
	}
	if err != nil {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	lines, err := folder.Labels(f, mostLabels)
	if err != nil {
		return nil
	}
	for i := range lines {
		lines[i] = strings.ToValidUTF8(strings.TrimSuffix(lines[i], "\r"), "\uFFFD")
	}
	return lines
}
