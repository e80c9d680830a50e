package workspace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"conch/app/api"
)

// Above nearlyFull of its memory people are told that a GPU is nearly full; below roomAgain they may be told again.
const (
	nearlyFull = 0.9
	roomAgain  = 0.85
)

// fullGPUs are the GPUs, by UUID, of which people were told that they are nearly full.
type fullGPUs map[string]bool

// next returns what people are told now: a sentence for each GPU that has become nearly full and that models run on.
func (f fullGPUs) next(gpus []*api.Gpu, on []string) (texts []string) {
	for _, g := range programGPUs(gpus) {
		if g.TotalBytes <= 0 || g.UsedBytes < 0 {
			continue
		}
		share := g.UsedBytes / g.TotalBytes
		switch {
		case share < roomAgain:
			delete(f, g.Uuid)
		case share >= nearlyFull && !f[g.Uuid] && slices.Contains(on, g.Device):
			f[g.Uuid] = true
			texts = append(texts, fmt.Sprintf(
				"%s is nearly full: %.0f %% of its memory is in use. Another model, or a larger batch, may find no room. Devices… in the menu of the engine shows who holds it",
				g.Device, math.Floor(100*share))) // a part that is free does not read as full
		}
	}
	return texts
}

// programGPUs are the GPUs as models have them: of a divided one the instance that they get.
func programGPUs(gpus []*api.Gpu) (list []*api.Gpu) {
	for _, g := range gpus {
		if g.Device != "" {
			list = append(list, g)
		}
		for _, one := range g.Instances {
			if one.Device != "" {
				list = append(list, &api.Gpu{Device: one.Device, Uuid: one.Uuid, TotalBytes: one.TotalBytes, UsedBytes: one.UsedBytes})
			}
		}
	}
	return list
}

// noteFull makes a notice of each GPU that has become nearly full under models of this repository. It needs Workspace.mu.
func (s *openRepository) noteFull(c *change) {
	if s.full == nil {
		s.full = fullGPUs{}
	}
	for _, text := range s.full.next(s.process.gpus, strings.Split(devicesOf(s.running.models), ", ")) {
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_WARNING, "", text))
	}
}
