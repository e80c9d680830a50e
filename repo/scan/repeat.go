package scan

import (
	"strings"

	"conch/repo/layout"
)

// repeat is a link to a folder that is listed under another path.
type repeat struct{ path, first string }

type repeats []repeat

// resolve returns the path under which something is listed. Each step leads to
// a folder that was found earlier, so it ends; the bound is for safety.
func (r repeats) resolve(rel string) string {
	for range layout.MaxDepth * 2 {
		step := r.step(rel)
		if step == rel {
			break
		}
		rel = step
	}
	return rel
}

func (r repeats) step(rel string) string {
	for _, link := range r {
		if rest, inside := strings.CutPrefix(rel, link.path+"/"); inside {
			return strings.TrimPrefix(link.first+"/"+rest, "/")
		}
	}
	return rel
}

// below returns the repeats of a folder as those of the folder around it.
func (r repeats) below(dir string) repeats {
	out := make(repeats, len(r))
	for i, link := range r {
		out[i] = repeat{dir + "/" + link.path, strings.TrimSuffix(dir+"/"+link.first, "/")}
	}
	return out
}
