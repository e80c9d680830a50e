// Package pip says how a Python's pip is run. What is installed, and from where, is for its callers to say.
package pip

// program runs pip without the folder that the command begins in. `python -m pip` would import a pip.py, or any module
// that pip needs, from there, and that folder may be a repository of a stranger.
const program = "import sys; sys.path[:] = [p for p in sys.path if p]; import runpy; runpy.run_module('pip', run_name='__main__', alter_sys=True)"

// Command is the beginning of a command that runs the pip of an interpreter; pip's own words follow. It may be run in any folder.
func Command(interpreter string) []string { return []string{interpreter, "-c", program} }
