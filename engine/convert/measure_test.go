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

// usualProgram tells the usual times of two requests, of which the second takes ten times as long, and of few times.
const usualProgram = `import sys
sys.path.insert(0, "lib")
from conch_convert import measure
steady = measure.usual([1.0, 10.0] * 8, 2)
noisy = measure.usual([1.0, 2.0, 3.0, 4.0, 5.0], 1)
few = measure.usual([1.0, 2.0] * 3, 2)
print(*(f"{one['median']:g} {one['low']:g} {one['high']:g}" for one in (steady, noisy, few)), sep="; ")
`

// TestUsualTimes: that one request takes longer than another says nothing of noise, and of a few runs nothing is known of it.
func TestUsualTimes(t *testing.T) {
	out, err := exec.Command(python(t), "-c", usualProgram).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "5.5 5.5 5.5; 3 2 4; 1.5 0 0" {
		t.Errorf("%s, %v", out, err)
	}
}
