package device

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"conch/engine/gpulost"
)

// OrderVariable is the variable of the environment that says how CUDA numbers GPUs. ByBus, their place on the bus, is how the driver's own
// tools number them, and GPU.Index.
const (
	OrderVariable = "CUDA_DEVICE_ORDER"
	ByBus         = "PCI_BUS_ID"
)

// GPU is a GPU of this machine and what it does. A number that the driver does not tell, or tells out of its range, is NaN.
type GPU struct {
	Index      int    // as CUDA counts them ByBus
	UUID       string // "GPU-5b3c…"
	Name       string // "NVIDIA A100-SXM4-40GB"
	Bus        string // "0000:01:00.0"
	Capability string // CUDA's compute capability, "8.0"; "" where it is unknown
	MIG        bool   // it is divided into Instances
	Empty      bool   // it is divided and has no instance, so that CUDA does not show it
	Device     string // as models have it, "GPU 0"; "" where CUDA does not show it to them. Who knows what CUDA shows sets it

	Total, Used     float64 // memory, bytes
	Utilization     float64 // the share of the last moments in which it ran something, 0 to 1
	Power, MaxPower float64 // watts
	Energy          float64 // joules since it was first read
	Temperature     float64 // degrees Celsius
	Clock, MemClock float64 // MHz
	Processes       []Process
	Instances       []Instance // by number
}

// Instance is a part of a GPU that is divided (MIG). CUDA sees it as a device of its own, by its UUID alone. Conch divides no GPU.
type Instance struct {
	Number, Compute int    // of the GPU instance, and of the compute instance in it; -1 where the driver does not tell
	UUID            string // "MIG-5b3c…"
	Profile         string // "1g.5gb"; "" where it is unknown
	Device          string // as GPU.Device

	Total, Used float64 // memory, bytes
}

// Counted names what is there more than once with how often: "8 × NVIDIA H100".
func Counted(names []string) (list []string) {
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	for _, name := range names {
		switch n := count[name]; {
		case n > 1:
			list = append(list, fmt.Sprintf("%d × %s", n, name))
		case n == 1:
			list = append(list, name)
		}
		delete(count, name)
	}
	return list
}

// Profiles names the parts of a GPU that is divided, "2 × 1g.5gb, 3g.20gb"; "" for one that is not.
func (g *GPU) Profiles() string {
	names := make([]string, len(g.Instances))
	for i, one := range g.Instances {
		names[i] = cmp.Or(one.Profile, one.UUID)
	}
	if g.MIG && len(names) == 0 {
		return "no instances"
	}
	return strings.Join(Counted(names), ", ")
}

// Process is a program that uses a GPU.
type Process struct {
	PID  int
	Used float64 // bytes; NaN where the driver does not tell
}

// Snapshot is what the driver told last.
type Snapshot struct {
	At      time.Time // of the answer; zero before the first one
	Driver  string    // its version, "550.54.15"; "" without one
	CUDA    string    // the newest CUDA that it runs, "12.4"
	GPUs    []GPU     // by index
	Lost    []int     // indexes of GPUs that the driver has lost: until the machine starts again
	NoCUDA  string    // why no program uses the GPUs that are there, and what to do; "" where CUDA is there
	Trouble string    // why nothing, or nothing newer, is known of the GPUs; "" also on a machine without a driver
}

// noneLeft reports that the driver has lost every GPU.
func (s *Snapshot) noneLeft() bool { return len(s.GPUs) == 0 && len(s.Lost) > 0 }

// Indexes are those of the GPUs that are there.
func (s *Snapshot) Indexes() (list []int) {
	for _, g := range s.GPUs {
		list = append(list, g.Index)
	}
	return list
}

// AllLost says that the driver has lost every GPU; "" where it has not.
func (s *Snapshot) AllLost() string {
	if !s.noneLeft() {
		return ""
	}
	return gpulost.Text(s.Lost, nil)
}

// Limits of what is believed: anything beyond is an error of the driver.
const (
	mostGPUs      = 64
	mostProcesses = 1024
	mostInstances = 64
	mostMemory    = 1 << 50 // bytes
	mostPower     = 10_000  // watts
	mostHeat      = 200     // degrees
	mostClock     = 100_000 // MHz
	mostVersion   = 999     // the parts of a version
	longestWord   = 200     // bytes of a name
)

// word returns a name as it can be shown: without what is not UTF-8 or not printable, and not endless.
func word(text string) string {
	text = text[:min(len(text), longestWord)]
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text))
}

// within returns a number if it is in its range, else NaN.
func within(n, low, high float64) float64 {
	if n >= low && n <= high {
		return n
	}
	return math.NaN()
}

func cudaText(version int) string {
	if version <= 0 || version/1000 > mostVersion {
		return ""
	}
	return fmt.Sprintf("%d.%d", version/1000, version%1000/10)
}
