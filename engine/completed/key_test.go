package completed_test

import (
	"maps"
	"testing"

	"conch/configedit/modelconfig"
	"conch/configedit/python"
	"conch/engine/completed"
)

// TestKey: what the answer was made from is in its key, and nothing else.
func TestKey(t *testing.T) {
	files := map[string]string{"1/model.py": "import shapes\nopen('labels.txt')\n", "shapes.py": "", "labels.txt": "a", "other.py": ""}
	keyOf := func(cfg *modelconfig.ModelConfig, changes map[string]string) string {
		now := maps.Clone(files)
		maps.Copy(now, changes)
		return completed.Key(cfg, python.Read("1/model.py", func(rel string) []byte {
			if text, ok := now[rel]; ok {
				return []byte(text)
			}
			return nil
		}))
	}
	config := func() *modelconfig.ModelConfig {
		return &modelconfig.ModelConfig{Name: "m", Backend: "python", InstanceGroup: []*modelconfig.ModelInstanceGroup{{Count: 1}}}
	}
	before := keyOf(config(), nil)
	groups := config()
	groups.InstanceGroup[0].Count = 4
	batch := config()
	batch.MaxBatchSize = 4
	for name, c := range map[string]struct {
		cfg     *modelconfig.ModelConfig
		changes map[string]string
		same    bool
	}{
		"nothing":                             {config(), nil, true},
		"the instance groups":                 {groups, nil, true},
		"a file that it does not read":        {config(), map[string]string{"other.py": "x"}, true},
		"the config":                          {batch, nil, false},
		"the program":                         {config(), map[string]string{"1/model.py": "import shapes\nopen('labels.txt') \n"}, false},
		"a module":                            {config(), map[string]string{"shapes.py": "x"}, false},
		"a module that comes first now":       {config(), map[string]string{"1/shapes.py": ""}, false},
		"a file that it names":                {config(), map[string]string{"labels.txt": "b"}, false},
		"a file that it names, at its side":   {config(), map[string]string{"1/labels.txt": "a"}, false},
		"what a file is, with the same texts": {config(), map[string]string{"shapes.py": "a", "labels.txt": ""}, false},
	} {
		if same := keyOf(c.cfg, c.changes) == before; same != c.same {
			t.Errorf("%s has changed: same key %v, want %v", name, same, c.same)
		}
	}
	reads := map[string]string{"1/model.py": "config['instance_group']\n"}
	if keyOf(config(), reads) == keyOf(groups, reads) {
		t.Error("a program that names the instance groups may answer by them")
	}
	if completed.Key(config(), nil) != "" {
		t.Error("there is a key without a program")
	}
}
