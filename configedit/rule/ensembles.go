package rule

var ensembles = &Subject{Title: "Ensembles: steps and tensors"}

// Triton's sentences about the wiring. Triton also says them where key and value of an entry are swapped.
const (
	writtenTwice = "ensemble tensor '%s' can appear in an output map only once for ensemble '%s' step %d"
	unusedInput  = "ensemble input '%s' for ensemble %s' is not used"
	unusedOutput = "ensemble output '%s' for ensemble %s' is not used"
	unconnected  = "output '%s' for ensemble '%s' is not written: at least one of its depending tensors, '%s', is not connected"
)

// The rules about an ensemble's own config. E11 to E14 are about where tensors come from and go to: Triton looks at the
// inputs first, then at the outputs, then at all other tensors.
var (
	E0 = ensembles.rule(Rule{
		ID: "E0'", Stage: Poll,
		Triton: "ensemble scheduling must be set for ensemble %s whose platform is ensemble",
		Title:  "an ensemble without steps",
		Means:  "platform is \"ensemble\", and ensemble_scheduling, which lists the steps, is missing.",
		Why:    "An ensemble consists only of its steps.",
		Fix:    "Add ensemble_scheduling with at least one step, or correct the platform.",
	})
	E1 = ensembles.rule(Rule{
		ID: "E1", Stage: Poll,
		Triton: "ensemble scheduling cannot be set for model '%s' whose platform is not ensemble",
		Title:  "steps in a model that is not an ensemble",
		Means: "ensemble_scheduling is only for models with platform \"ensemble\". Triton fills in another platform " +
			"if the config names a backend, or if the version folder holds a model file.",
		Why: "A backend runs a model from its file, and would ignore the steps.",
		Fix: "Write platform: \"ensemble\" and no backend, or remove ensemble_scheduling.",
	})
	E2 = ensembles.rule(Rule{
		ID: "E2", Stage: Poll,
		Triton: "instance group should not be specified for ensemble '%s'",
		Title:  "an ensemble with instance groups",
		Means:  "An ensemble has no instances of its own. The models of its steps have theirs.",
		Why:    "Only the models of the steps have instances that run.",
		Fix:    "Remove instance_group, and set it in the steps' models.",
	})
	E3 = ensembles.rule(Rule{
		ID: "E3", Stage: Poll,
		Triton: "optimization should not be specified for ensemble '%s'",
		Title:  "an ensemble with optimization settings",
		Means:  "An ensemble runs nothing itself, so there is nothing to optimize.",
		Why:    "The settings are for a backend, and an ensemble has none.",
		Fix:    "Remove optimization, and set it in the steps' models.",
	})
	E4 = ensembles.rule(Rule{
		ID: "E4", Stage: Poll,
		Triton: "model_warmup can not be specified for ensemble '%s'",
		Title:  "an ensemble with warm-up samples",
		Means:  "Warm-up runs when an instance is created, and an ensemble has no instances.",
		Why:    "The samples would run in an instance, and an ensemble has none.",
		Fix:    "Remove model_warmup, and set it in the steps' models.",
	})
	E5 = ensembles.rule(Rule{
		ID: "E5", Stage: Poll,
		Triton: "must specify 'step' for ensemble '%s'",
		Title:  "ensemble_scheduling without a step",
		Means:  "ensemble_scheduling lists the models that a request goes through. The list is empty.",
		Why:    "A request would go nowhere.",
		Fix:    "Add a step for each model.",
	})
	E6 = ensembles.rule(stepPart("E6", "model_name", "a step does not name its model", "A step runs one model, which model_name names."))
	E7 = ensembles.rule(stepPart("E7", "input_map", "a step gets no tensors",
		"input_map says which tensor of the ensemble each input of the step's model gets. The key is the model's input, the value is the tensor."))
	E8 = ensembles.rule(stepPart("E8", "output_map", "a step gives no tensors",
		"output_map says which tensor of the ensemble each output of the step's model becomes. The key is the model's output, the value is the tensor."))
	E9 = ensembles.rule(Rule{
		ID: "E9", Stage: Poll,
		Triton: writtenTwice,
		Title:  "two steps write one tensor",
		Means:  "Each tensor of an ensemble comes from one place. Here two entries of output_map have the same value.",
		Why: "Triton runs steps as soon as their inputs are there, so which of the two is used would depend on " +
			"chance.",
		Fix: "Give one of the two tensors another name, and use that name in the steps that should read it.",
	})
	E11 = ensembles.rule(Rule{
		ID: "E11", Stage: Poll,
		Triton: unusedInput,
		Title:  "an input of the ensemble that no step uses",
		Means:  "Every input of an ensemble must be the value of some input_map.",
		Why:    "An input that nothing reads is nearly always a misspelt name.",
		Fix:    "Use the input in a step, or remove it. Often a name is misspelt in an input_map.",
	})
	E12 = ensembles.rule(Rule{
		ID: "E12", Stage: Poll,
		Triton: unusedOutput,
		Title:  "an output of the ensemble that no step writes",
		Means:  "Every output of an ensemble must be the value of some output_map. This one appears in no step at all.",
		Why:    "The ensemble would promise an output that no request could ever get.",
		Fix:    "Write the output in a step, or remove it. Often a name is misspelt in an output_map.",
	})
	E13 = ensembles.rule(Rule{
		ID: "E13", Stage: Poll,
		Triton: "output '%s' for ensemble '%s' is not written",
		Also: []string{
			unconnected,
		},
		Title: "an output of the ensemble that cannot be computed",
		Means: "Some step that the output depends on never runs: nothing writes one of its inputs, or steps wait " +
			"for each other.",
		Why: "The ensemble would promise an output that no request could ever get.",
		Fix: "Connect the tensor that the message names. Each value of an input_map must be an input of the " +
			"ensemble or the value of an output_map.",
	})
	E14 = ensembles.rule(Rule{
		ID: "E14", Stage: Poll,
		Triton: "ensemble tensor '%s' is unused in ensemble '%s'",
		Title:  "a tensor between steps that nothing writes or nothing reads",
		Means: "A tensor that is neither input nor output of the ensemble must be written by one step and read " +
			"by another. An output of a model that is not needed must stay out of output_map.",
		Why: "A tensor with one end is nearly always a misspelt name.",
		Fix: "Correct the name at one of its ends, or take the entry out of the map.",
	})
)

// stepPart returns the rule about a part that every step must have.
func stepPart(id, field, title, means string) Rule {
	return Rule{
		ID: id, Stage: Poll,
		Triton: "must specify '" + field + "' in step %d of ensemble '%s'",
		Title:  title, Means: means + " Triton counts steps from 0.",
		Why: "A step sends one request to one model and takes its answer; without this part there is nothing to send or take.",
		Fix: "Add " + field + " to the step.",
	}
}
