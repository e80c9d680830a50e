package python

import (
	"strings"
	"testing"
)

// TestStacksWithoutDebugger: the threads of debugpy itself are left out, and a thread of the model that runs under it is not.
func TestStacksWithoutDebugger(t *testing.T) {
	const waits = `Thread 0x00007f01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 331 in wait
  File "/venv/lib/python3.11/site-packages/debugpy/_vendored/pydevd/_pydevd_bundle/pydevd_timeout.py", line 43 in _on_run
  File "/venv/lib/python3.11/site-packages/debugpy/_vendored/pydevd/_pydevd_bundle/pydevd_daemon_thread.py", line 53 in run
  File "/usr/lib/python3.11/threading.py", line 1045 in _bootstrap_inner

`
	const main = `Thread 0x00007f03 (most recent call first):
  File "/conch/lib/conch_worker/main.py", line 7 in <module>
`
	const old = `  File "/usr/lib/python3.9/runpy.py", line 87 in _run_code
  File "/usr/lib/python3.9/runpy.py", line 197 in _run_module_as_main
`
	const work = `Thread 0x00007f02 (most recent call first):
  File "/r/m/1/model.py", line 9 in wait
  File "/venv/lib/python3.11/site-packages/debugpy/_vendored/pydevd/_pydev_bundle/pydev_monkey.py", line 1118 in __call__

`
	for text, want := range map[string]string{
		main + waits:        "No code of the model runs: the process waits for a request.",
		main + old:          "No code of the model runs: the process waits for a request.", // as it is until Python 3.10
		main + waits + work: "  File \"/r/m/1/model.py\", line 9 in wait",
	} {
		got := readable(strings.Split(text, "\n"), "/conch/lib")
		if !strings.Contains(got, want) || strings.Contains(got, "pydevd_timeout") {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}
