package serve

import (
	"fmt"
	"regexp"
	"strings"
)

// unbuilt are flags of tritonserver that would change what clients see and that are not there, by the beginning of
// their name, with what to do instead.
var unbuilt = []struct{ prefix, why string }{
	{"grpc-use-ssl", "the ports speak plainly; put a proxy that does TLS in front"},
	{"grpc-server-", "the ports speak plainly; put a proxy that does TLS in front"},
	{"grpc-root-cert", "the ports speak plainly; put a proxy that does TLS in front"},
	{"grpc-http2-max-", "the limits of pings are fixed"},
	{"allow-client-shm", "clients send tensors in their requests; there is no shared memory with them"},
	{"allow-sagemaker", "there is no SageMaker endpoint"},
	{"sagemaker-", "there is no SageMaker endpoint"},
	{"allow-vertex-ai", "there is no Vertex AI endpoint"},
	{"vertex-ai-", "there is no Vertex AI endpoint"},
	{"reuse-", "a port belongs to one process; take a free one with --any-port"},
	{"host-policy", "threads are not bound to processors; start the program with numactl or taskset"},
	{"trace-", "give it as --trace-config, such as triton,file=FILE, triton,log-frequency=N, level=TIMESTAMPS, rate=N or count=N"},
	{"strict-model-config", "--disable-auto-complete-config has taken its place"},
}

var unknownFlag = regexp.MustCompile(`unknown flag --(?:no-)?([a-z0-9-]+)`)

// Explain says of a command line that could not be read because of a flag that only tritonserver has why that is so;
// any other error it gives back as it is.
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
