// Package rules holds what the tests beside it execute: who may import whom, and that every package says
// what it is for. The table is DESIGN.md's; who changes one changes the other.
package rules

// Module is the import path that all of Conch's packages begin with.
const Module = "conch"

// Allow says which of Conch's own packages a part of the tree may import. A part is the longest key
// that a package's path begins with; a package may always import below its own part.
//
// Reading the table: configedit knows nobody, repo knows the config language, the engine knows the
// language but neither the repository on disk nor the workbench, the workbench speaks to the engine
// only as a client, and only main sees all.
var Allow = map[string][]string{
	"":           {"app", "engine", "repo", "configedit", "frontend", "examples"},
	"configedit": {},
	"repo":       {"configedit"},
	"engine": {
		"configedit/modelconfig", "configedit/backends", "configedit/modelfile", "configedit/modelfolder", "configedit/derive",
		"configedit/check", "configedit/rule", "configedit/diag", "configedit/text", "configedit/folder", "configedit/reach", "configedit/bytesize",
		"configedit/python", // whether a program has a function, without running it
	},
	"engine/sched":     {"engine/infer", "engine/tensor", "configedit/modelconfig", "configedit/rule"},
	"engine/tensor":    {},
	"engine/infer":     {"engine/tensor", "configedit/modelconfig", "configedit/rule"},
	"engine/origin":    {},                 // facts of HTTP requests, which the workbench's port asks too
	"engine/framing":   {},                 // which requests have no certain end, for both
	"engine/memory":    {},                 // what this process may use, which the workbench says of a model too
	"engine/filelock":  {"engine/guarded"}, // locks and turns of processes, for both
	"engine/pip":       {},                 // how pip is run, for both
	"engine/histogram": {},                 // one histogram: the engine counts with it, the workbench keeps it
	"engine/agreement": {"engine/tensor"},  // how far two answers agree, for conversions and for the workbench
	"engine/option":    {},                 // the options and their defaults, such as the ports, which the workbench names too
	"engine/userdir":   {},                 // the folders of the user, for both
	"engine/stopped":   {},                 // how a process was ended, for both
	"engine/gpulost":   {},                 // what is said of GPUs that are lost, for both
	"engine/lastwords": {},                 // what is said of a process that ended, for both
	"engine/period":    {},                 // how limits and delays are written, for both
	// What Python programs answered: the engine writes it, the workbench and `conch check` read it.
	"engine/completed":       {"configedit/modelconfig", "configedit/python", "engine/userdir"},
	"engine/kserve/kservepb": {"configedit/modelconfig"},
	"engine/kserve/enginepb": {"configedit/modelconfig"},
	"app":                    {"repo", "configedit", "engine/kserve/kservepb", "engine/kserve/enginepb", "engine/origin", "engine/framing", "engine/memory", "engine/histogram", "engine/option", "engine/userdir", "engine/completed", "engine/agreement", "engine/pip", "engine/stopped", "engine/gpulost", "engine/lastwords", "engine/period"},
	"app/about":              {},
	"app/api":                {},
	"app/remote":             {"app/enginehost", "app/pulse", "configedit", "engine/histogram", "engine/option", "engine/kserve/kservepb", "engine/kserve/enginepb"},
	"app/remote/rest":        {"app/tensorjson", "engine/kserve/kservepb"},
	"app/servers":            {"app/remote", "app/store", "app/enginehost"},
	"app/store":              {"app/userfile", "engine/histogram", "engine/userdir"},
	"app/difference":         {"configedit/modelconfig"},
	"app/overlay":            {"configedit/text"},
	"app/pulse":              {}, // ends calls to a server that fell silent, whatever server that is
	"app/recovery":           {"app/overlay", "app/userfile", "engine/userdir"},
	"app/upload":             {"repo", "configedit", "app/language", "engine/filelock"},
	"app/conversion":         {"repo", "configedit", "app/api", "app/language", "app/runtimecmd", "app/store", "app/tensorjson", "app/userfile", "app/workspace", "engine/filelock"},
	"app/userfile":           {"engine/filelock", "engine/userdir"},
	"frontend":               {},
	"examples":               {},
	"build":                  {"engine/kserve/kservepb"},
	"build/rulebook":         {"configedit/explain"}, // writes docs/rules.md
	"build/golden":           {},                     // golden cases, for the tests of any part
	"build/realtriton":       {},                     // starts the real server, for the tests of any part
	// The table of backends and the name of configs are held against what is written elsewhere.
	"build/rules": {"configedit/backends", "configedit/folder"},
	// The judge writes the ONNX models that it asks about.
	"build/oracle": {"engine/kserve/kservepb", "engine/backend/onnx/onnxtest", "build/golden/sections", "build/golden/exchange"},
	// The benchmarks hold parts against their peers in one process.
	"build/bench": {"engine", "configedit", "repo/scan", "app/language", "app/store"},
}
