package environments

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// reasons are what the tools' words mean, in the order in which they are looked for: a network that is away is told before the
// package that was not found because of it.
var reasons = []struct {
	words []string
	means string
}{
	{[]string{"No space left on device"}, "the disk is full"},
	{[]string{"ensurepip is not available", "No module named venv"}, "this Python cannot make environments: install its package 'venv' (python3-venv on Debian and Ubuntu), or install uv"},
	{[]string{
		"NewConnectionError", "Failed to establish a new connection", "name resolution", "dns error", "error sending request", "Connection refused",
		"Network is unreachable", "ConnectTimeoutError", "Could not connect", "network connectivity is disabled",
	}, "the package index cannot be reached: look at the network and at the settings of pip or uv, then load the model again"},
	{[]string{"requires a different Python", "Requires-Python", "does not satisfy Python", "requires Python ", "require a different python version", "no wheels with a matching Python"}, "a package is not made for this version of Python: name another interpreter, or another version of the package"},
	{[]string{notFound, "was not found in the package registry", "was not found in the cache", "there are no versions of", "there is no version of", "was not found in the provided package locations"}, "a package, or the version that is asked for, was not found"},
	{[]string{"ResolutionImpossible", "No solution found"}, "the packages contradict each other"},
	{[]string{"Invalid requirement", "Couldn't parse requirement", "no such option"}, "a line of the list cannot be read"},
}

// failure says why a tool failed.
func failure(ctx context.Context, name string, out []string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	said, others := skipped(out)
	text := strings.Join(said, "\n")
	for _, r := range reasons {
		for _, words := range r.words {
			if !strings.Contains(text, words) {
				continue
			}
			means := r.means
			if words == notFound && len(others) > 0 {
				means = notForThis
			}
			return fmt.Errorf("%s. %s says: %s", means, name, tail(slices.Concat(said, others)))
		}
	}
	return fmt.Errorf("%s failed (%w) and says: %s", name, err, tail(out))
}

const (
	// notFound is what pip says of a package without a version that fits.
	notFound = "No matching distribution found for"
	// notForThis is what that means where pip left versions out that other versions of Python can have. They may be those of
	// other packages.
	notForThis = "a package, or the version that is asked for, was not found for this version of Python: its name may be wrong, or another interpreter may have it"
	// leftOut begins pip's list of these versions, which names no package.
	leftOut = "ERROR: Ignored the following versions that require a different python version"
)

// skipped takes pip's lists of versions that it left out from its lines. It prints them with every failure.
func skipped(out []string) (said, lists []string) {
	for _, line := range out {
		if strings.HasPrefix(line, leftOut) {
			lists = append(lists, line)
			continue
		}
		said = append(said, line)
	}
	return said, lists
}

// tailLines is how many lines an error shows; the log has all.
const tailLines = 6

// tail returns the lines from the first error on, else the last ones.
func tail(out []string) string {
	isError := func(line string) bool {
		line = strings.ToLower(strings.TrimSpace(line))
		return strings.HasPrefix(line, "error") || strings.HasPrefix(line, "×")
	}
	if first := slices.IndexFunc(out, isError); first >= 0 {
		out = out[first:min(len(out), first+tailLines)]
	} else if len(out) > tailLines {
		out = out[len(out)-tailLines:]
	}
	return strings.Join(out, "\n")
}
