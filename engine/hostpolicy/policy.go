package hostpolicy

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"conch/engine/infer"
)

// The settings that Triton knows.
const (
	nodeKey  = "numa-node"
	coresKey = "cpu-cores"
)

// Settings are the values of --host-policy: of each policy, its settings.
type Settings map[string]map[string]string

// Parse reads values of --host-policy, "POLICY,SETTING=VALUE". Of several values of a setting the last counts. What a value means is
// looked at when a model's instance needs it, as in Triton.
func Parse(list []string) (Settings, error) {
	settings := Settings{}
	for _, text := range list {
		policy, rest, _ := strings.Cut(text, ",")
		key, value, _ := strings.Cut(rest, "=")
		if policy == "" || key == "" || value == "" {
			return nil, fmt.Errorf("--host-policy option format is '<policy name>,<setting>=<value>'. Got %s", text)
		}
		if key != nodeKey && key != coresKey {
			return nil, fmt.Errorf("setting host policy: Unsupported - Unsupported host policy setting '%s' is specified, supported settings are '%s', '%s'",
				key, nodeKey, coresKey)
		}
		if settings[policy] == nil {
			settings[policy] = map[string]string{}
		}
		settings[policy][key] = value
	}
	return settings, nil
}

// Policy is what instances are bound to. The zero value binds nothing.
type Policy struct {
	// Name tells policies apart; "" for the one that binds nothing.
	Name  string
	cores []int // processors; nil for any
	node  *int  // of memory; nil for any
}

// Policy returns the policy of a name. One without settings binds nothing. An error is an *infer.Error in Triton's words.
func (s Settings) Policy(name string) (Policy, error) {
	settings := s[name]
	if len(settings) == 0 {
		return Policy{}, nil
	}
	p := Policy{Name: name}
	if text, set := settings[coresKey]; set {
		var err error
		if p.cores, err = parseCores(text); err != nil {
			return Policy{}, err
		}
	}
	if text, set := settings[nodeKey]; set {
		node, err := number(nodeKey, text)
		if err != nil {
			return Policy{}, err
		}
		p.node = &node
	}
	return p, nil
}

// Cores returns how many processors the policy names; 0 where it names none.
func (p Policy) Cores() int { return len(p.cores) }

// mostCores is more than a machine has (CPU_SETSIZE).
const mostCores = 1024

// parseCores reads "0-3,8-11".
func parseCores(text string) ([]int, error) {
	cores := []int{}
	for _, part := range strings.Split(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			return nil, infer.Errorf(infer.InvalidArg, "host policy setting '%s' format is '<lower_cpu_core_id>-<upper_cpu_core_id>'. Got %s", coresKey, part)
		}
		first, err := number(coresKey, low)
		if err != nil {
			return nil, err
		}
		last, err := number(coresKey, high)
		if err != nil {
			return nil, err
		}
		for core := max(first, 0); core <= min(last, mostCores-1); core++ {
			if !slices.Contains(cores, core) {
				cores = append(cores, core)
			}
		}
	}
	return cores, nil
}

// leading is the part of a number that C++'s stoi reads: "2x" is 2.
var leading = regexp.MustCompile(`^\s*[+-]?[0-9]+`)

func number(setting, text string) (int, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(leading.FindString(text)), 10, 32)
	if err != nil || n == math.MinInt32 {
		return 0, infer.Errorf(infer.InvalidArg, "Parsing '%s' value: Can't parse '%s' to integer", setting, text)
	}
	return int(n), nil
}
