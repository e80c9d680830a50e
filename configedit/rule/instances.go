package rule

import "conch/configedit/diag"

var instances = &Subject{Title: "Instances"}

// group is the beginning of sentences about instance groups.
const group = "instance group %s of model %s "

// The rules about instance_group, and about numbers that are too large for a server.
var (
	IG2 = instances.rule(Rule{
		ID: "IG2", Stage: Groups,
		Triton: group + "has kind KIND_MODEL but specifies one or more GPUs",
		Title:  "a group of KIND_MODEL that lists GPUs",
		Means:  "With KIND_MODEL the model chooses its devices itself, so the config must not list any.",
		Why:    "The model and the config could choose different devices.",
		Fix:    "Remove gpus, or write KIND_GPU.",
	})
	IG4 = instances.rule(Rule{
		ID: "IG4", Stage: Groups,
		Triton: group + "has kind KIND_GPU but no GPUs are available",
		Title:  "a group on GPUs for a machine without one",
		Means: "The group asks for GPUs, and the machine that --gpus describes has none. Without --gpus Conch takes it that " +
			"the machine has the GPUs that a config asks for.",
		Why: "Triton creates an instance on each GPU, and there is none.",
		Fix: "Write KIND_AUTO to use GPUs where there are some, or serve the model on a machine with a GPU.",
	})
	IG6 = instances.rule(Rule{
		ID: "IG6", Stage: Groups,
		Triton: group + "specifies invalid or unsupported gpu id %d. GPUs with at least the minimum required CUDA compute compatibility of %f are: %s",
		Title:  "a GPU that the machine does not have",
		Means: "GPUs are numbered from 0, so a negative number is an error. Triton also refuses numbers beyond " +
			"the GPUs of its machine. `conch check --gpus 2` says how many these are; without it Conch warns from 16 on.",
		Why: "An instance is created on a GPU by its number.",
		Fix: "Correct the number, or remove gpus to use all of them.",
	})
	IG7 = instances.rule(Rule{
		ID: "IG7", Stage: Groups,
		Triton: group + "has kind KIND_CPU but specifies one or more GPUs",
		Title:  "a group of KIND_CPU that lists GPUs",
		Means:  "Instances on the CPU use no GPU.",
		Why:    "The list would have no effect, which is surely a mistake.",
		Fix:    "Remove gpus, or write KIND_GPU.",
	})
	IG8 = instances.rule(Rule{
		ID: "IG8", Stage: Groups, Status: Internal,
		Triton: group + "has unexpected kind KIND_AUTO",
		Title:  "a kind of group that does not exist",
		Means:  "kind is written as a number, and no kind has this number. Triton's parser takes any number here.",
		Why:    "protobuf keeps unknown numbers of an enumeration, so Triton has to check them itself.",
		Fix:    "Write KIND_CPU, KIND_GPU, KIND_MODEL or KIND_AUTO.",
	})
	IG9 = instances.rule(Rule{
		ID: "IG9", Stage: Groups,
		Triton: group + "and platform %sspecifies profile field which is only supported for TensorRT models",
		Title:  "profile outside TensorRT",
		Means:  "profile chooses among the optimization profiles of a TensorRT plan. Other models have none.",
		Why:    "The field would have no effect, which is surely a mistake.",
		Fix:    "Remove profile.",
	})
	IG10 = instances.rule(Rule{
		ID: "IG10", Stage: Groups,
		Triton: group + "specifies invalid profile %s. The field should contain the string representation of a non-negative integer.",
		Also:   []string{"profile name must not be empty", "unable to parse '%s': stoi"},
		Title:  "a profile that is not a number",
		Means: "A TensorRT plan numbers its optimization profiles from 0. The config gives the number of one, in " +
			"quotes.",
		Why: "TensorRT chooses a profile by its number.",
		Fix: "Write a number in quotes, such as \"0\".",
	})
	IG11 = instances.rule(Rule{
		ID: "IG11", Stage: Instance,
		Triton: "unable to load model '%s', TensorRT backend supports only GPU device",
		Title:  "a TensorRT plan without a GPU",
		Means: "TensorRT plans run on NVIDIA GPUs alone. A group of KIND_CPU or KIND_MODEL has none, and neither has a group of KIND_AUTO, or " +
			"a model without groups, on a machine without a GPU. `conch check --gpus 0` judges for such a machine.",
		Why: "A plan is a program for a GPU, which no processor can run.",
		Fix: "Write KIND_GPU, and serve the model on a machine with a GPU. A processor can run the ONNX model that the plan was built from.",
	})
	L21 = instances.rule(Rule{
		ID: "L21", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "Resource \"%s\" is present as both global and device-specific resource in the model configuration.",
		Title:  "a resource that is both global and per device",
		Means: "One name is used for a resource with global: true and for one without. A server with " +
			"--rate-limit=execution_count refuses that. Other servers do not look at resources.",
		Why: "Triton counts a global resource once for the server, and any other resource once for each device. " +
			"One name cannot be both.",
		Fix: "Use two names, or the same value of global everywhere.",
	})
	CNT1 = instances.rule(Rule{
		ID: "CNT1", Stage: Never, Severity: diag.Warning,
		Title: "more instances than a machine can run",
		Means: "Triton creates all instances before the model serves. If there are far more instances than " +
			"processors, they cannot all run at once, but each takes memory and time to create. Triton accepts " +
			"any number.",
		Why: "Each instance is a copy that is ready to run, and a processor runs one at a time.",
		Fix: "Lower count. For most models a few instances are enough.",
	})
	CNT2 = instances.rule(Rule{
		ID: "CNT2", Stage: Never, Severity: diag.Warning,
		Title: "a sample that runs more than a million times",
		Means: "Each instance runs a warm-up sample count times before the model serves. With this count that " +
			"takes very long.",
		Why: "The server reports the model as ready only when all samples have run.",
		Fix: "Lower count. A few runs warm a model up.",
	})
	CNT3 = instances.rule(Rule{
		ID: "CNT3", Stage: Never, Severity: diag.Warning,
		Title: "more threads than a machine can run",
		Means: "The parameter says how many threads the framework creates for each instance. If there are far more " +
			"threads than processors, they only slow each other down.",
		Why: "Threads beyond the processors take turns, and each turn costs time.",
		Fix: "Lower the number, or remove the parameter to leave the choice to the framework.",
	})
	CC1 = instances.rule(Rule{
		ID: "CC1", Stage: Never, Severity: diag.Warning,
		Title: "a key of cc_model_filenames that is not a compute capability",
		Means: "cc_model_filenames names another model file for GPUs of a certain compute capability, such as " +
			"\"8.0\". A key of another form fits no GPU, so its file is never used.",
		Why: "Triton looks for the capability of the GPU as a text, byte for byte.",
		Fix: "Write the key as major.minor.",
	})
	L20 = instances.rule(Rule{
		ID: "L20", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unable to find 'libtritonrepoagent_%s.so' for repo agent '%s', searched: /opt/tritonserver/repoagents",
		Title:  "a repository agent that Triton does not include",
		Means: "A repository agent looks at a model before it is loaded. Triton includes one, checksum. This is " +
			"only a warning, since others can be installed.",
		Why: "Agents are libraries that a server loads by their names, and anyone can write one.",
		Fix: "Correct the name, or install the agent on the server.",
	})
)
