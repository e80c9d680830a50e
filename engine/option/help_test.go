package option_test

import (
	"reflect"
	"strings"
	"testing"

	"conch/engine/option"
)

// --allow-client-shm is for both kinds of shared memory: without it, each registration is refused.
func TestHelpOfClientMemory(t *testing.T) {
	field, found := reflect.TypeFor[option.Options]().FieldByName("ClientSHM")
	if help := field.Tag.Get("help"); !found || !strings.Contains(help, "system or CUDA shared memory") {
		t.Errorf("the help says %q", help)
	}
}
