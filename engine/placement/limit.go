package placement

import (
	"fmt"
	"strconv"
	"strings"

	"conch/engine/backend"
	"conch/engine/infer"
)

// Limits are the shares of GPUs' memory beyond which no instance is made on them, by the GPU's number: --model-load-gpu-limit
// (docs/triton/completion.md, "Groups on GPUs").
type Limits map[int]float64

// ParseLimits reads values of --model-load-gpu-limit, "DEVICE:FRACTION".
func ParseLimits(list []string) (Limits, error) {
	limits := Limits{}
	for _, text := range list {
		device, fraction, ok := strings.Cut(text, ":")
		id, err := strconv.Atoi(device)
		share, err2 := strconv.ParseFloat(fraction, 64)
		switch {
		case !ok || err != nil || err2 != nil || id < 0:
			return nil, fmt.Errorf("--model-load-gpu-limit option format is '<device id>:<fraction>'. Got %s", text)
		case !(share >= 0 && share <= 1):
			return nil, fmt.Errorf("setting model load GPU limit: Invalid argument - expects limit fraction to be in range [0.0, 1.0], got %f", share)
		}
		limits[id] = share
	}
	return limits, nil
}

// Refuse returns Triton's error when more of a device's memory is used than its limit, once the instance is made. Memory that
// is unknown is no reason to refuse. now is asked for devices with a limit only.
func (l Limits) Refuse(instance string, at backend.Device, now func() Machine) error {
	share, limited := l[at.ID]
	if !at.GPU || !limited {
		return nil
	}
	if g, known := now().gpu(at.ID); !known || g.Total == 0 || g.Used <= share*g.Total {
		return nil
	}
	return infer.Errorf(infer.Unavailable, "can not create model '%s': memory limit set for GPU %d has exceeded, model loading is rejected.", instance, at.ID)
}
