package hostpolicy_test

import (
	"fmt"
	"testing"

	"conch/engine/hostpolicy"
	"conch/engine/infer"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"cpu,numa-node=0":        "<nil>",
		"a b,cpu-cores=0-3,8-9":  "<nil>",
		"cpu,cpu-cores=nonsense": "<nil>", // until an instance needs it
		"cpu":                    "--host-policy option format is '<policy name>,<setting>=<value>'. Got cpu",
		",cpu-cores=1":           "--host-policy option format is '<policy name>,<setting>=<value>'. Got ,cpu-cores=1",
		"cpu,=1":                 "--host-policy option format is '<policy name>,<setting>=<value>'. Got cpu,=1",
		"cpu,cpu-cores=":         "--host-policy option format is '<policy name>,<setting>=<value>'. Got cpu,cpu-cores=",
		"cpu,foo=1": "setting host policy: Unsupported - Unsupported host policy setting 'foo' is specified, " +
			"supported settings are 'numa-node', 'cpu-cores'",
	} {
		if _, err := hostpolicy.Parse([]string{text}); fmt.Sprint(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The words are those of tritonserver 24.10.
func TestValues(t *testing.T) {
	for value, want := range map[string]string{
		"cpu-cores=1-1":       "1 <nil>",
		"cpu-cores=0-0,1-1":   "2 <nil>",
		"cpu-cores=0-3,2-5":   "6 <nil>",
		"cpu-cores=0-1x,1-1":  "2 <nil>",
		"cpu-cores=3-1":       "0 <nil>",
		"cpu-cores=0-2000000": "1024 <nil>",
		"cpu-cores=1":         "0 host policy setting 'cpu-cores' format is '<lower_cpu_core_id>-<upper_cpu_core_id>'. Got 1",
		"cpu-cores=0-1,1":     "0 host policy setting 'cpu-cores' format is '<lower_cpu_core_id>-<upper_cpu_core_id>'. Got 1",
		"cpu-cores=x-1":       "0 Parsing 'cpu-cores' value: Can't parse 'x' to integer",
		"numa-node=0":         "0 <nil>",
		"numa-node=x":         "0 Parsing 'numa-node' value: Can't parse 'x' to integer",
	} {
		settings, err := hostpolicy.Parse([]string{"p," + value})
		if err != nil {
			t.Fatal(err)
		}
		p, err := settings.Policy("p")
		if got := fmt.Sprint(p.Cores(), " ", err); got != want {
			t.Errorf("%s: %s", value, got)
		}
		if err != nil && infer.CodeOf(err) != infer.InvalidArg {
			t.Errorf("%s: code %v", value, infer.CodeOf(err))
		}
	}
	settings, err := hostpolicy.Parse([]string{"p,cpu-cores=0-0", "p,numa-node=1", "p,cpu-cores=1-2"})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := settings.Policy("p"); err != nil || p.Cores() != 2 || p.Name != "p" {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := settings.Policy("other"); err != nil || p.Name != "" {
		t.Errorf("%v, %v", p, err)
	}
}
