package traceback_test

import (
	"reflect"
	"testing"

	"conch/app/traceback"
)

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want traceback.Error
	}{
		"a request": {
			"Failed to process the request(s) for model 'm_0', message: ValueError: no such thing\n\nAt:\n  /r/m/1/helper.py(7): check\n  /r/m/1/model.py(12): execute\n",
			traceback.Error{Message: "ValueError: no such thing", Places: []traceback.Place{{"/r/m/1/helper.py", 7, "check"}, {"/r/m/1/model.py", 12, "execute"}}},
		},
		"a load": {
			"ModuleNotFoundError: No module named 'x'\n\nAt:\n  /r/m (2)/1/model.py(1): <module>\n",
			traceback.Error{Message: "ModuleNotFoundError: No module named 'x'", Places: []traceback.Place{{"/r/m (2)/1/model.py", 1, "<module>"}}},
		},
		"a mistake of syntax": {
			"SyntaxError: '(' was never closed (model.py, line 3)",
			traceback.Error{Message: "SyntaxError: '(' was never closed (model.py, line 3)", Places: []traceback.Place{{"model.py", 3, ""}}, Unread: true},
		},
		"Python's own": {
			"Traceback (most recent call last):\n  File \"/r/m/1/model.py\", line 12, in execute\n    check()\n  File \"/r/m/1/helper.py\", line 7, in check\n    raise KeyError('a')\nKeyError: 'a'\n",
			traceback.Error{Message: "KeyError: 'a'", Places: []traceback.Place{{"/r/m/1/helper.py", 7, "check"}, {"/r/m/1/model.py", 12, "execute"}}},
		},
		"a death": {
			"Stub process 'm_0' is not healthy. Its process was ended by signal 11 (segmentation fault); its last lines: Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n  File \"/usr/lib/ctypes.py\", line 519 in string_at\n  File \"/r/m/1/model.py\", line 15 in execute",
			traceback.Error{Message: "Its process was ended by signal 11 (segmentation fault)", Places: []traceback.Place{{"/usr/lib/ctypes.py", 519, "string_at"}, {"/r/m/1/model.py", 15, "execute"}}},
		},
	} {
		got, ok := traceback.Read(c.text)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v %+v, want %+v", name, ok, got, c.want)
		}
	}
	if got, ok := traceback.Read("Stub process 'm_0' is not healthy.\nAt: noon (somewhere)"); ok {
		t.Errorf("an error without a place: %+v", got)
	}
}
