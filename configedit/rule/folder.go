package rule

import "conch/configedit/diag"

var modelFolder = &Subject{Title: "Folder and name"}

// The rules about the folder of a model and its name.
var (
	CFG1 = modelFolder.rule(Rule{
		ID: "CFG1", Stage: Fill,
		Triton: noTextFile,
		Title:  "no config where every model needs one",
		Means: "The model has no config.pbtxt. A server with --disable-auto-complete-config makes none from the " +
			"model file.",
		Why: "With the flag the server takes configs as they are written, so that it serves only what someone " +
			"has written down.",
		Fix: "Write a config.pbtxt, or start the server without the flag.",
	})
	L5 = modelFolder.rule(Rule{
		ID: "L5", Stage: Name,
		Triton: "unexpected directory name '%s' for model '%s', directory name must equal model name",
		Title:  "the folder and the config give two names",
		Means:  "name in the config must be the name of the folder, byte for byte.",
		Why:    "Triton lists models by their folders before it reads a config.",
		Fix:    "Remove name, since Triton fills it in, or rename the folder.",
	})
	L6 = modelFolder.rule(Rule{
		ID: "L6", Stage: Complete, Status: NotFound,
		Triton: "model configuration is not provided for model '%s'",
		Title:  "no config, and a backend that cannot make one",
		Means: "The model has no config.pbtxt. Some backends make one from the model file; this backend does " +
			"not, because its files do not say enough.",
		Why: "Without names, types and shapes the server could not check a request.",
		Fix: "Write a config.pbtxt with the inputs and outputs.",
	})
)

var repository = &Subject{Title: "Repository"}

// The rules about a repository and the files in it. The code that reads folders reports them; see repo/scan.
var (
	STRAY = repository.rule(Rule{
		ID: "STRAY", Stage: Fill,
		Triton: noBackend, Also: []string{noVersion},
		Title: "a folder in the repository that is not a model",
		Means: "Triton takes every folder directly in a repository for a model, hidden ones such as .git too. " +
			"Nothing in this one belongs to a model. If a server loads all models when it starts, it fails to " +
			"start.",
		Why: "Triton has no other list of models than the folders.",
		Fix: "Move the folder out of the repository. Where the repository is under version control, put the models in a " +
			"folder of their own, such as models, beside .git, and give Triton that folder. Or start Triton with " +
			"--exit-on-error=false or with --model-control-mode=explicit.",
	})
	DUPLICATE = repository.rule(Rule{
		ID: "DUPLICATE", Stage: Fill,
		Triton: "failed to poll model '%s': not unique across all model repositories",
		Title:  "two repositories have a model of one name",
		Means: "Triton is started on several repositories, and more than one has a model of this name. It loads " +
			"none of them, and unloads one that it has loaded.",
		Why: "Clients call a model by its name alone.",
		Fix: "Rename one of the models, or start Triton with --model-namespacing=true.",
	})
	RootMissing = repository.rule(Rule{
		ID: "ROOT-MISSING", Stage: Fill,
		Title: "the repository cannot be read",
		Means: "The path does not lead to a folder, or the folder cannot be listed. If Triton polls, it takes such " +
			"a repository for empty and unloads its models.",
		Why: "The repository is the server's only list of models.",
		Fix: "Correct the path, mount the file system, or give the server the right to read it.",
	})
	Unreadable = repository.rule(Rule{
		ID: "UNREADABLE", Stage: Fill,
		Title: "a file or folder cannot be read",
		Means: "The server is not allowed to read it, or the disk reports an error. Conch does not check what is " +
			"in it.",
		Why: "Triton reads the config and the names and times of all files of a model before it loads it.",
		Fix: "Give the user that runs the server the right to read it.",
	})
	DanglingLink = repository.rule(Rule{
		ID: "DANGLING-LINK", Stage: Fill,
		Title: "a link that leads nowhere",
		Means: "Directly in a repository, such a link keeps Triton from listing the repository at all. Inside a " +
			"model it is only a warning, since the link may be valid on the machine that serves the model.",
		Why: "Triton asks the system what each entry is, and the system has no answer for this one.",
		Fix: "Correct or remove the link.",
	})
	LinkLoop = repository.rule(Rule{
		ID: "LINK-LOOP", Stage: Never, Severity: diag.Warning,
		Title: "a link to a folder that contains it",
		Means: "Following the link leads back to where it began. Conch enters each folder once.",
		Why:   "A walk that followed the link would never end.",
		Fix:   "Remove the link.",
	})
	TooMany = repository.rule(Rule{
		ID: "TOO-MANY-FILES", Stage: Never, Severity: diag.Warning,
		Title: "more files than Conch looks at",
		Means: "Conch looks at up to 100,000 entries of a model and a million of a repository, up to 32 folders " +
			"deep. It does not look at the others, and does not report anything as missing there.",
		Why: "Without a limit, one link to a large tree would keep a processor busy forever.",
		Fix: "Move data that does not belong to the model out of its folder. Often a link leads to a large tree.",
	})
	ConfigTooLarge = repository.rule(Rule{
		ID: "CONFIG-TOO-LARGE", Stage: Text,
		Title: "a config that is too large to read",
		Means: "The file has more than 64 MiB. Triton takes files of up to 2 GiB, but Conch does not read this one. " +
			"It neither checks nor loads the model.",
		Why: "The whole config is kept in memory, and is read again after each key that is typed.",
		Fix: "Check that it is a config. Put large data, such as labels, into files of their own.",
	})
	ConfigShadow = repository.rule(Rule{
		ID: "CONFIG-SHADOW", Stage: Never, Severity: diag.Warning,
		Title: "an entry that hides changes from Triton",
		Means: "Triton finds the time of the config by the beginning of its name. A file or folder named config, " +
			"or config.pb, beside config.pbtxt makes it give up: it no longer sees that the model changed.",
		Why: "Triton looks for the config among the entries by the beginning of its name.",
		Fix: "Rename the entry.",
	})
)

var versions = &Subject{Title: "Versions"}

// The rules about version folders and version_policy.
var (
	L1 = versions.rule(Rule{
		ID: "L1", Stage: Versions,
		Triton: noVersion,
		Title:  "no version to load",
		Means: "Model files are in version folders, whose names are numbers. Either there is no such folder, or " +
			"version_policy chooses none of them. An ensemble needs a version folder too, which stays empty. In " +
			"a policy, latest without num_versions means 0.",
		Why: "A request is answered by a version; a model without one can answer nothing.",
		Fix: "Create a folder such as 1/ with the model file in it, or correct version_policy.",
	})
	L2 = versions.rule(Rule{
		ID: "L2", Stage: Never, Severity: diag.Warning,
		Triton: "version %d is specified for model '%s', but the version directory is not present",
		Title:  "a listed version that does not exist",
		Means: "version_policy lists a version that has no folder. Triton writes the sentence to its log and " +
			"loads the others.",
		Why: "A policy may name versions that are added later.",
		Fix: "Add the folder, or take the version out of the list.",
	})
	L3 = versions.rule(Rule{
		ID: "L3", Stage: Never, Severity: diag.Warning,
		Triton: "ignore version directory '%s' which contains leading zeros in its directory name",
		Title:  "a version folder with a leading zero",
		Means:  "Triton ignores folders such as 01.",
		Why:    "01 and 1 would be the same version.",
		Fix:    "Rename the folder, to 1 for example.",
	})
	L4 = versions.rule(Rule{
		ID: "L4", Stage: Never, Severity: diag.Warning,
		Triton: "ignore version directory '%s' which fails to convert to integral number",
		Title:  "a folder that looks like a version but is not one",
		Means: "The name of the folder is almost a number. Triton ignores one such as v2. It takes 1abc for " +
			"version 1, and a backend then looks for the model file in 1.",
		Why: "Other folders may be beside the version folders, so a name that is not a number is not an error.",
		Fix: "Give the folder a plain number as its name.",
	})
	VERSION = versions.rule(Rule{
		ID: "VERSION", Stage: Versions,
		Title: "the number of a version folder is too large",
		Means: "The name of a version folder begins with a number beyond 64 bits.",
		Why:   "Triton does not catch this when it reads the number, and the whole server crashes.",
		Fix:   "Rename or remove the folder.",
	})
	FILE = versions.rule(Rule{
		ID: "FILE", Stage: Never, Severity: diag.Warning,
		Title: "a version folder without its model file",
		Means: "The backend opens a file of a certain name in each version folder: default_model_filename, or the " +
			"backend's own default. It does not exist, or is not what the backend expects. Conch does not know " +
			"what this backend then does, so this is a warning.",
		Why: "Only the backend knows what a version consists of; Triton hands it the folder.",
		Fix: "Put the file there, or correct default_model_filename.",
	})
)

// noVersion is what Triton says of a model without a version.
const noVersion = "at least one version must be available under the version policy of model '%s'"

var labels = &Subject{Title: "Labels"}

// The rules about label files.
var (
	L7 = labels.rule(Rule{
		ID: "L7", Stage: Labels, Status: Unsupported,
		Triton: "label file path '%s' for output '%s' in model '%s' is outside model directory",
		Title:  "a label file outside the model's folder",
		Means: "label_filename leads out of the model's folder with .. in its path. Newer Tritons refuse that; " +
			"24.10 opened the file.",
		Why: "A model from someone else could otherwise read any file of the server.",
		Fix: "Copy the file into the model's folder.",
	})
	L8 = labels.rule(Rule{
		ID: "L8", Stage: Labels, Status: Internal,
		Triton: noTextFile,
		Title:  "a label file that cannot be read",
		Means:  "label_filename names a file in the model's folder. It does not exist, or is not a file.",
		Why:    "Labels are read when the model is loaded, so that a request for classes needs no file.",
		Fix:    "Put the file beside config.pbtxt, have Conch write one to begin with, or correct the name.",
	})
	L9 = labels.rule(Rule{
		ID: "L9", Stage: Labels, Status: Internal,
		Triton: "multiple label files for '%s'",
		Title:  "two label files for one output",
		Means: "Two outputs have the same name, and both name a label file. Triton keeps labels by the name of " +
			"the output.",
		Why: "A request asks for classes of an output by its name, so a name can have one list of labels.",
		Fix: "Correct the name of one output, or remove it.",
	})
	LBL1 = labels.rule(Rule{
		ID: "LBL1", Stage: Never, Severity: diag.Warning,
		Title: "a label file that is too large for Conch's engine",
		Means: "Triton reads label files of any size. Conch's engine reads only files of a usual size, and " +
			"answers without labels here.",
		Why: "A label file of a gigabyte would take several times its size in memory.",
		Fix: "Use a file with one line for each class.",
	})
)
