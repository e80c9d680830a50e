package environments

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// pip lists the versions that are not for this Python with every failure, also those of packages that have others: NumPy has some
// for each Python. The lists are not the reason.
func TestLeftOutVersionsAreNotTheReason(t *testing.T) {
	const (
		lists = "ERROR: Ignored the following versions that require a different python version: 1.21.2 Requires-Python >=3.7,<3.11; 2.5.0 Requires-Python >=3.12"
		none  = "ERROR: Could not find a version that satisfies the requirement emojis==1 (from versions: none)"
		found = "ERROR: No matching distribution found for emojis==1"
	)
	for _, c := range []struct {
		out  []string
		want string
	}{
		{[]string{"Collecting emoji", lists, none, found}, "a package, or the version that is asked for, was not found for this version of Python: its name may be wrong, or another interpreter may have it. pip says: " + none + "\n" + found + "\n" + lists},
		{[]string{"Collecting emoji", none, found}, "a package, or the version that is asked for, was not found. pip says: " + none + "\n" + found},
		{[]string{lists, "ERROR: ResolutionImpossible"}, "the packages contradict each other. pip says: "},
		{[]string{"ERROR: Package 'young' requires a different Python: 3.11.7 not in '>=4'"}, "a package is not made for this version of Python: "},
	} {
		if err := failure(context.Background(), "pip", c.out, errors.New("exit status 1")); !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v", c.out, err)
		}
	}
}
