package checkcmd_test

import (
	"bytes"
	"strings"
	"testing"

	"conch/app/checkcmd"
)

const identityConfig = "backend: \"identity\"\ninput { name: \"A\" data_type: TYPE_FP32 dims: 1 }\noutput { name: \"B\" data_type: TYPE_FP32 dims: 1 }\n"

// TestAccepted: repositories that Triton 24.10 serves, and that conch check used to call wrong.
func TestAccepted(t *testing.T) {
	comment := "#" + strings.Repeat("x", 98) + "\n"
	for name, files := range map[string]map[string]string{
		"only a model called configs": {"configs/config.pbtxt": identityConfig, "configs/1/.keep": ""},
		"only a model called warmup":  {"warmup/config.pbtxt": identityConfig, "warmup/1/.keep": ""},
		"a config of 40 MB":           {"m/config.pbtxt": identityConfig + strings.Repeat(comment, 400_000), "m/1/.keep": ""},
		"a version folder 1abc":       {"m/config.pbtxt": identityConfig, "m/1abc/.keep": ""},
		"a version folder +1":         {"m/config.pbtxt": identityConfig, "m/+1/.keep": ""},
		"inputs named YOUR_A and YOUR_B": {
			"m/config.pbtxt": strings.ReplaceAll(identityConfig, `"A" data_type: TYPE_FP32 dims: 1`, `"YOUR_A" data_type: TYPE_FP32 dims: 1 } input { name: "YOUR_B" data_type: TYPE_FP32 dims: 1`),
			"m/1/.keep":      "",
		},
		"a version folder 1.5": {"m/config.pbtxt": identityConfig, "m/1.5/.keep": ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if status := checkcmd.Run(t.Context(), []string{lay(t, files)}, checkcmd.Options{}, &out); status != 0 {
				t.Errorf("exit status %d\n%s", status, &out)
			}
			if !strings.Contains(out.String(), "1 model: ") {
				t.Errorf("not one model:\n%s", &out)
			}
		})
	}
}
