package wire

import "regexp"

// changing are the parts of answers that differ from run to run, and what stands for them.
var changing = []struct {
	text *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`("count":"?[1-9][0-9]*"?,"ns":)"?[0-9]+"?`), `${1}N`},
	{regexp.MustCompile(`("count":"[1-9][0-9]*")}`), `$1,"ns":N}`}, // gRPC leaves out a time of 0
	{regexp.MustCompile(`"(last_inference|lastInference)":"?[1-9][0-9]*"?`), `"$1":N`},
	{regexp.MustCompile(`("version":")2\.[0-9]+\.0(","extensions")`), `${1}VERSION$2`},
	{regexp.MustCompile(`/[^" ]*/(\w+/1/model\.py)`), `REPOSITORY/$1`},
	{regexp.MustCompile(`(failed to register shared memory region: invalid args: )[^"\n]+`), `${1}WHY`}, // the machine's words
}

// plain replaces what differs from run to run, or from release to release: times, where the files are, the version.
func plain(answer string) string {
	for _, c := range changing {
		answer = c.text.ReplaceAllString(answer, c.as)
	}
	return answer
}
