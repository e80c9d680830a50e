package openapi

import "embed"

// Policy is the Content-Security-Policy of the page: it takes scripts, styles and answers from this server alone, and no
// other page may frame it.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page
var page embed.FS

// File is a file of the page.
type File struct {
	Name, Type string
}

// Files are the files of the page; the first is the page itself.
var Files = []File{
	{"page.html", "text/html; charset=utf-8"}, {"page.js", "text/javascript; charset=utf-8"}, {"page.css", "text/css; charset=utf-8"},
}

// Read returns the content of a file of the page.
func (f File) Read() ([]byte, error) { return page.ReadFile("page/" + f.Name) }
