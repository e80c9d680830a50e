package sched

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseLimiter reads --rate-limit and --rate-limit-resource. It returns nil for off; the resources are ignored then.
func ParseLimiter(mode string, resources []string) (*Limiter, error) {
	given := make([]Supply, len(resources))
	for i, text := range resources {
		var err error
		if given[i], err = parseSupply(text); err != nil {
			return nil, err
		}
	}
	switch strings.ToLower(mode) {
	case "off", "":
		return nil, nil
	case "execution_count":
		return NewLimiter(given), nil
	}
	return nil, fmt.Errorf("--rate-limit: expected 'off' or 'execution_count', got '%s'", mode)
}

// parseSupply reads "name:count" or "name:count:device".
func parseSupply(text string) (Supply, error) {
	wrong := fmt.Errorf("--rate-limit-resource option format is '<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got %s", text)
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Supply{}, wrong
	}
	count, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil || count < 0 {
		return Supply{}, wrong
	}
	s := Supply{Name: parts[0], Count: count, Device: AnyDevice}
	if len(parts) == 3 {
		device, err := strconv.ParseInt(parts[2], 10, 32)
		if err != nil || device < AnyDevice {
			return Supply{}, wrong
		}
		s.Device = int(device)
	}
	return s, nil
}
