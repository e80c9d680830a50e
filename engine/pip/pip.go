// Package pip says how a Python's pip is run. What is installed, and from where, is for its callers to say.
package pip

import "strings"

// program runs pip without the folder that the command begins in. `python -m pip` would import a pip.py, or any module
// that pip needs, from there, and that folder may be a repository of a stranger.
const program = "import sys; sys.path[:] = [p for p in sys.path if p]; import runpy; runpy.run_module('pip', run_name='__main__', alter_sys=True)"

// Command is the beginning of a command that runs the pip of an interpreter; pip's own words follow. It may be run in any folder.
func Command(interpreter string) []string { return []string{interpreter, "-c", program} }

// Line is the command with which a person installs packages for an interpreter, as a shell takes it: without quotes, the > of
// "openvino>=2024.0" would write a file.
func Line(interpreter string, requirements []string) string {
	words := []string{interpreter, "-m", "pip", "install"}
	for _, requirement := range requirements {
		words = append(words, word(requirement))
	}
	return strings.Join(words, " ")
}

// word leaves a plain name as it is.
func word(requirement string) string {
	if strings.ContainsAny(requirement, "<>=!~;*[]()&|$\"\\` \t") {
		return "'" + requirement + "'"
	}
	return requirement
}
