package backends

import (
	"slices"
	"strings"

	"conch/configedit/near"
)

// OfPlatform returns the backend that a platform means, and how the platform is written. The platform may be misspelt, or what
// people call the backend or the format; there tells which format's file the folder has. The second result is "" where the backend alone
// says it better: it has no platforms, or several of which none is meant more than another.
func OfPlatform(platform string, there func(Format) bool) (Backend, string, bool) {
	name := strings.ToLower(platform)
	for i := range table {
		for _, f := range table[i].Formats {
			if f.Platform != "" && (f.Platform == name || strings.HasSuffix(f.Platform, "_"+name) ||
				near.Distance(name, f.Platform) <= len(name)/4) {
				return table[i], f.Platform, true
			}
		}
	}
	b, known := Meant(name)
	if !known || b.Name == name { // the backend itself in the wrong place
		return b, "", known
	}
	platforms := b.Platforms()
	if len(platforms) == 1 {
		return b, platforms[0], true
	}
	if i := slices.IndexFunc(b.Formats, func(f Format) bool { return f.Platform != "" && there(f) }); i >= 0 {
		return b, b.Formats[i].Platform, true
	}
	return b, "", true
}
