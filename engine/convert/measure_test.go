//go:build unix

package convert_test

import (
	"os/exec"
	"strings"
	"testing"
)

// roundsProgram counts rounds of 0.1 seconds whose first, alone, takes no time; each of 4 requests has one.
const roundsProgram = `import sys, time
sys.path.insert(0, "lib")
from conch_convert import measure
class Events:
    step = progress = lambda *_: None
ran = 0
for number in measure.rounds(Events(), "measuring", 0.2, 4):
    time.sleep(0.1 if number else 0)
    ran += 1
    if ran > 20:
        break
print(ran)
`

// TestSlowRounds: requests that take longer than the first one do not make the measuring endless, and each of them is still measured.
func TestSlowRounds(t *testing.T) {
	out, err := exec.Command(python(t), "-c", roundsProgram).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "4" {
		t.Errorf("%s, %v", out, err)
	}
}
