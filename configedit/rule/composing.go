package rule

var composing = &Subject{Title: "Ensembles: the models of the steps"}

// The rules that compare an ensemble with the models of its steps.
var (
	D1 = composing.rule(Rule{
		ID: "D1", Stage: Graph,
		Triton: "ensemble %s contains models that are not available or ambiguous: %s",
		Title:  "a step's model that does not exist",
		Means: "The repository has no model of this name, or Triton refuses that model's own config. Triton says " +
			"the same in both cases, and names only the first such model.",
		Why: "Triton loads an ensemble only when the models of all its steps can serve.",
		Fix: "Correct the name, or the model's config.",
	})
	D2 = composing.rule(Rule{
		ID: "D2", Stage: Graph,
		Triton: "circular dependency between ensembles: %s -> ... -> %s -> %s",
		Title:  "ensembles that contain each other",
		Means:  "Following the steps of the ensemble leads back to an ensemble on the way, or to itself.",
		Why: "A request would never end. If an ensemble leads to a circle that it is not a part of, Triton even " +
			"crashes.",
		Fix: "Remove the step that closes the circle.",
	})
	D3 = composing.rule(Rule{
		ID: "D3", Stage: Depends,
		Triton: "ensemble '%s' depends on '%s' which is not valid. Model '%s' failed with error: %s",
		Title:  "a step's model that is not valid",
		Means:  "The step runs another ensemble, and Triton refuses that ensemble because of its own steps.",
		Why:    "Triton loads an ensemble only when the models of all its steps can serve.",
		Fix:    "Correct that ensemble first.",
	})
	D4 = composing.rule(Rule{
		ID: "D4", Stage: Depends,
		Triton: "ensemble '%s' depends on '%s' which has no loaded version. Model '%s' loading failed with error: " +
			"version %d is at UNAVAILABLE state: %s: %s;",
		Also:  []string{"ensemble '%s' depends on '%s' which has no loaded version. Model '%s' loading failed with error: %s"},
		Title: "a step's model that does not load",
		Means: "The config of the step's model is valid, but the model fails to load.",
		Why:   "Triton loads an ensemble only when the models of all its steps can serve.",
		Fix:   "Correct that model first; the message says what is wrong with it.",
	})
	D5 = composing.rule(Rule{
		ID: "D5", Stage: Depends,
		Triton: "ensemble '%s' depends on '%s' whose required version %d is not loaded.",
		Title:  "a step asks for a version that is not served",
		Means: "model_version is a version of the step's model, or -1 for its newest. If it is left out, it is 0: " +
			"version 0, not the newest.",
		Why: "A step uses exactly the version that it names.",
		Fix: "Write model_version: -1, or a version that the model's version_policy serves.",
	})
	EV1 = composing.rule(Rule{
		ID: "EV1", Stage: Tensors,
		Triton: "ensemble %s allows maximum batch size %d, but it contains model %s which only allows maximum " +
			"batch size to be %d",
		Title: "an ensemble with larger batches than a step's model takes",
		Means: "The ensemble passes a request on as it is, so every step's model must take batches as large as " +
			"the ensemble's max_batch_size. A model with max_batch_size 0 is exempt: there the shapes decide.",
		Why: "Triton does not split a batch between two steps.",
		Fix: "Lower the ensemble's max_batch_size, or raise the model's.",
	})
	EV2 = composing.rule(Rule{
		ID: "EV2", Stage: Tensors,
		Triton: "in ensemble %s, ensemble tensor %s is mapping to non-existing input %s in model %s",
		Also:   []string{unusedInput}, // where key and value are swapped
		Title:  "input_map names an input that the model does not have",
		Means:  "The keys of input_map are inputs of the step's model; the values are tensors of the ensemble.",
		Why:    "Triton sends a step's request by these names, and a model refuses inputs that it does not have.",
		Fix:    "Correct the key. If key and value are swapped, swap them.",
	})
	EV3 = composing.rule(Rule{
		ID: "EV3", Stage: Tensors,
		Triton: "in ensemble %s, input %s in model %s is not mapped to any ensemble tensors",
		Title:  "an input of a step's model that gets no tensor",
		Means:  "input_map must have an entry for every input of the model that is not optional.",
		Why:    "A model refuses a request in which an input is missing.",
		Fix:    "Add the entry, or mark the input as optional in its model.",
	})
	EV4 = composing.rule(Rule{
		ID: "EV4", Stage: Tensors,
		Triton: "in ensemble %s, ensemble tensor %s is mapped from non-existing output %s in model %s",
		Also:   []string{writtenTwice, unusedOutput, unconnected}, // where key and value are swapped
		Title:  "output_map names an output that the model does not have",
		Means:  "The keys of output_map are outputs of the step's model; the values are tensors of the ensemble.",
		Why:    "A model refuses to be asked for an output that it does not have.",
		Fix:    "Correct the key. If key and value are swapped, swap them.",
	})
	EV5 = composing.rule(Rule{
		ID: "EV5", Stage: Tensors,
		Triton: inconsistent + "data type: %s is inferred from model %s while %s is inferred from model %s",
		Title:  "the ends of a tensor have different data types",
		Means: "A tensor of an ensemble has one data type. The step that writes it, the steps that read it and the " +
			"ensemble's own input or output must agree. The ensemble needs data_type too: Triton does not fill " +
			"it in.",
		Why: "Triton passes tensors on without converting them.",
		Fix: "Make the types equal, or put a model between the two that converts.",
	})
	EV6 = composing.rule(Rule{
		ID: "EV6", Stage: Tensors,
		Triton: inconsistent + "shape: %s is inferred from model %s while %s is inferred from model %s",
		Title:  "the ends of a tensor have different shapes",
		Means: "Shapes are compared with the batch dimension in front where a model batches; -1 fits every size. " +
			"For an input or output of the ensemble that has a reshape, the reshape counts.",
		Why: "Triton passes tensors on as they are. A model would refuse another shape in the middle of a request.",
		Fix: "Make the dims equal, or write -1 where a size varies. Between a model that batches and one that " +
			"does not, include the batch dimension in the dims of the latter.",
	})
	EV7 = composing.rule(Rule{
		ID: "EV7", Stage: Tensors,
		Triton: "in ensemble %s, step of model '%s' receives inputs originated from different decoupled models",
		Title:  "answers of different decoupled models are joined",
		Means: "A decoupled model answers a request any number of times. Here a step, or the response of the " +
			"ensemble, combines a tensor of such a model with a tensor from another source.",
		Why: "Triton cannot know which of the answers belong together.",
		Fix: "Let all these tensors come through the same decoupled model, or split the ensemble.",
	})
	EV8 = composing.rule(Rule{
		ID: "EV8", Stage: Tensors,
		Triton: "in ensemble %s, multiple outputs in model %s are mapped to the same ensemble tensor %s",
		Title:  "a step's model has two outputs of one name",
		Means:  "The model loads by itself, but an ensemble cannot tell its two outputs apart.",
		Why:    "The answer of a step is put into tensors by the names of the outputs.",
		Fix:    "Remove one of the two outputs from the model's config.",
	})
)

// inconsistent is the beginning of sentences about the ends of a tensor.
const inconsistent = "in ensemble %s, ensemble tensor %s: inconsistent "
