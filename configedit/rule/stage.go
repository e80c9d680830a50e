package rule

// Stage is the moment when Triton checks something (docs/triton/validation.md, "Stages"). Triton stops at
// the first stage with a mistake. The stages are listed in Triton's order.
type Stage int

// The stages.
const (
	Text      Stage = iota // the text is parsed
	Fill                   // the backend is guessed from folder and name
	Poll                   // ValidateModelConfig
	Name                   // the name against the folder
	Graph                  // models of an ensemble
	Depends                // whether they load
	Tensors                // tensors of an ensemble
	Versions               // version folders are chosen
	Backend                // the backend's library is found
	Groups                 // instance groups
	Complete               // the backend completes the config
	IO                     // ValidateModelIOConfig
	Labels                 // label files are read
	Instance               // the backend opens the model file
	Warmup                 // warm-up samples run
	Scheduler              // sequences get their states
	Never                  // Triton takes it
)

// moments say when each stage is, as the end of "Triton looks at it …".
var moments = [...]string{
	Text:      "when it parses the text of config.pbtxt",
	Fill:      "when it works out which backend runs the model",
	Poll:      "when it validates the config, before it loads anything",
	Name:      "when it compares the name in the config with the folder",
	Graph:     "when it connects an ensemble with the models of its steps",
	Depends:   "when it checks that the models of an ensemble's steps are loaded",
	Tensors:   "when it compares the tensors of an ensemble with those of its steps' models",
	Versions:  "when it chooses the version folders to load",
	Backend:   "when it looks for the backend's library",
	Groups:    "when it lays out the instances of the model",
	Complete:  "when the backend opens the model file to complete the config",
	IO:        "when it validates inputs and outputs at load",
	Labels:    "when it reads the label files",
	Instance:  "when the backend creates an instance of the model",
	Warmup:    "when it runs the warm-up samples",
	Scheduler: "when it sets up the sequence scheduler",
	Never:     "at no time: it takes the model",
}

// Moment returns when the stage is, as the end of "Triton looks at it …".
func (s Stage) Moment() string { return moments[s] }

// BeforeLoad reports whether the stage comes before Triton looks at other models and opens model files.
func (s Stage) BeforeLoad() bool { return s <= Name }
