package runtimecmd

import "regexp"

// menu is where the window has what `conch runtime` does.
const menu = "ONNX Runtime… in the menu of the engine"

// windowWays are the window's ways for what a command line tells to do. The last one is for what has none of its own.
var windowWays = []struct {
	command *regexp.Regexp
	window  string
}{
	{regexp.MustCompile("(" + menu + "), or (?:by |with )?`conch runtime [^`]*`,?"), "$1"},
	{regexp.MustCompile("`conch runtime remove [^`]*`"), "Remove… in its row"},
	{regexp.MustCompile(", as in `conch runtime install NAME --from …`"), ", in the field beside its folder"},
	{regexp.MustCompile("from there: `conch runtime install --from FILE`"), "under “To install from a folder”"},
	{regexp.MustCompile("`conch runtime install ([a-z0-9]+)` takes"), "Install in the row of $1 takes"},
	{regexp.MustCompile("as `conch runtime list` shows them"), "of this list"},
	{regexp.MustCompile("`conch runtime list` shows"), "this list shows"},
	{regexp.MustCompile("`conch runtime [^`]*`"), menu},
}

// inWindow has what a command said name the window's ways.
func inWindow(text string) string {
	for _, way := range windowWays {
		text = way.command.ReplaceAllString(text, way.window)
	}
	return text
}
