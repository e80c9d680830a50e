package serve

import (
	"fmt"
	"regexp"
	"strings"
)

// unbuilt are flags of tritonserver that clients would notice and that Conch does not have, by the beginning of
// their names, with what to do instead.
var unbuilt = []struct{ prefix, why string }{
	{"grpc-http2-max-", "the limits of pings are fixed; leave the flag out, or give its default"},
	{"allow-sagemaker", "there is no SageMaker endpoint"},
	{"sagemaker-", "there is no SageMaker endpoint"},
	{"allow-vertex-ai", "there is no Vertex AI endpoint"},
	{"vertex-ai-", "there is no Vertex AI endpoint"},
	{"reuse-", "a port belongs to one process; use a free one with --any-port"},
	{"trace-", "use --trace-config, for example triton,file=FILE, triton,log-frequency=N, level=TIMESTAMPS, rate=N or count=N"},
	{"strict-model-config", "use --disable-auto-complete-config"},
}

var unknownFlag = regexp.MustCompile(`unknown flag --(?:no-)?([a-z0-9-]+)`)

// Explain explains the error of a command line with a flag that only tritonserver has. It returns any other error
// unchanged.
func Explain(err error) error {
	found := unknownFlag.FindStringSubmatch(fmt.Sprint(err))
	if found == nil {
		return err
	}
	for _, u := range unbuilt {
		if strings.HasPrefix(found[1], u.prefix) {
			return fmt.Errorf("--%s is a flag of tritonserver that conch serve does not have: %s", found[1], u.why)
		}
	}
	return err
}
