package kserve

import (
	"fmt"
	"slices"
	"strings"
)

// Categories are the groups of calls that can be restricted (docs/triton/http.md, "Restricted
// APIs").
var Categories = []string{
	"health", "metadata", "inference", "shared-memory", "model-config", "model-repository", "statistics", "trace", "logging",
}

// Restriction is the header that calls of a category must have.
type Restriction struct{ Key, Value string }

// Restrictions are the restrictions of a transport, by category.
type Restrictions map[string]Restriction

// ParseRestrictions reads the values of a flag, each "category[,category]:key=value". prefix comes before every key on
// the wire.
func ParseRestrictions(flag, prefix string, values []string) (Restrictions, error) {
	all := Restrictions{}
	for _, value := range values {
		categories, pair, ok := strings.Cut(value, ":")
		key, secret, paired := strings.Cut(pair, "=")
		if !ok || !paired || key == "" {
			return nil, fmt.Errorf("%s option format is '<api1>,<api2>:<key>=<value>'. Got %s", flag, value)
		}
		for _, category := range strings.Split(categories, ",") {
			category = strings.TrimSpace(category)
			if !slices.Contains(Categories, category) {
				return nil, fmt.Errorf("%s: unknown restricted api '%s'; there are %s", flag, category, strings.Join(Categories, ", "))
			}
			if _, twice := all[category]; twice {
				return nil, fmt.Errorf("%s: restricted api '%s' can not be specified in multiple config groups", flag, category)
			}
			all[category] = Restriction{prefix + key, secret}
		}
	}
	return all, nil
}
