package rule

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
)

var backend = &Subject{Title: "Backend and platform"}

// The rules about the backend of a model.
var (
	AC1 = backend.rule(Rule{
		ID: "AC1", Stage: Fill,
		Triton: noBackend,
		Title:  "Triton cannot tell which backend runs the model",
		Means: "The config names no backend and no platform, and the version folder has no file with a name that " +
			"Triton knows. Triton then takes the part after the dot in the folder's name as the backend, and " +
			"this name has no dot.",
		Why: "Triton itself runs only ensembles. A backend runs every other model.",
		Fix: "Add backend, such as \"onnxruntime\" or \"python\". For an ensemble, add platform: \"ensemble\".",
	})
	G2 = backend.rule(Rule{
		ID: "G2", Stage: Poll,
		Triton: "unexpected platform type '%s' for %s",
		Title:  "an unknown platform, and no backend",
		Means: "Without backend, Triton finds the backend by the platform. It knows only a few platforms, such as " +
			backends.ONNX.Platform + ", " + backends.TensorRTPlan.Platform + " and " + backends.Ensemble + ".",
		Why: "platform is the older field. Backends that came later, such as python, have none.",
		Fix: "Remove platform and add backend.",
	})
	G3 = backend.rule(Rule{
		ID: "G3", Stage: Poll,
		Triton: "Ensemble model '%s' must have platform type 'ensemble' and empty backend type",
		Title:  "an ensemble with a backend",
		Means: "platform is \"ensemble\", and the model also has a backend. Triton fills the backend in by " +
			"itself where default_model_filename is the name of a file that a backend opens.",
		Why: "Triton runs an ensemble itself: it only passes tensors from one model to the next.",
		Fix: "Remove backend and default_model_filename.",
	})
	G5 = backend.rule(Rule{
		ID: "G5", Stage: Poll,
		Triton: "unexpected 'platform' and 'backend' pair, got:%s, %s",
		Title:  "platform and backend do not belong together",
		Means: "The backends onnxruntime, tensorrt, pytorch and tensorflow each have their own platforms. If " +
			"platform is missing, Triton fills it in where it can. Where it cannot, the platform stays empty " +
			"and does not fit the backend.",
		Why: "Both fields name what runs the model, so they must agree.",
		Fix: "Write a platform of the backend, or remove platform where Triton can fill it in.",
	})
	L10 = backend.rule(Rule{
		ID: "L10", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unable to find backend library for backend '%s', try specifying runtime on the model configuration.",
		Title:  "a backend that no image of Triton carries",
		Means: "Triton loads a backend from a library of its name: libtriton_NAME.so in the version folder, in " +
			"the model's folder or in the server's folder of backends. The container images of Triton carry none " +
			"of this name. It is only a warning, since anyone can install a backend of any name.",
		Why: "Backends are libraries that a server loads by their names, and anyone can write one.",
		Fix: "Correct the name, or install the backend on the server. The backend for ONNX models is called " +
			"onnxruntime; for TensorRT plans, tensorrt; for TorchScript, pytorch; for trees of scikit-learn, " +
			"XGBoost and LightGBM, fil.",
	})
	L11 = backend.rule(Rule{
		ID: "L11", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unable to find backend library '%s' for model '%s', searched: '%s' '%s' '%s/%s' ",
		Title:  "a runtime library that does not exist",
		Means: "runtime names the library that runs the model. Triton looks in the version folder, in the model's " +
			"folder and in the backend's folder. The model's folders do not have it, and the backend's library " +
			"has another name.",
		Why: "Triton loads libraries from these folders only.",
		Fix: "Remove runtime, or put the library into the model's folder.",
	})
	L13 = backend.rule(Rule{
		ID: "L13", Stage: Backend,
		Triton: "unable to find Python backend based backend library '" + backends.PythonRuntime + "' for model '%s', searched: '%s/%s/" + backends.PythonRuntime + "'",
		Title:  "runtime: \"" + backends.PythonRuntime + "\" with a backend that is a library",
		Means: "runtime: \"" + backends.PythonRuntime + "\" asks for a backend that is itself a Python program. Backends such as onnxruntime are " +
			"libraries, not Python programs.",
		Why: "One library runs all backends that are Python programs, and it needs such a program.",
		Fix: "Remove runtime. To run a " + backends.PythonProgram.File + " of your own, use backend: \"python\".",
	})
)

// noBackend is what Triton says when it cannot tell which backend runs a model.
const noBackend = "Invalid model name: Could not determine backend for model '%s' with no backend in model configuration. " +
	"Expected model name of the form 'model.<backend_name>'."

var batchSize = &Subject{Title: "Batch size"}

// The rules about max_batch_size.
var (
	G6 = batchSize.rule(Rule{
		ID: "G6", Stage: Poll,
		Triton: "'max_batch_size' must be non-negative value for %s",
		Title:  "max_batch_size is negative",
		Means:  "max_batch_size is the largest batch that the model takes. 0 means that the model takes no batches.",
		Why:    "A batch cannot hold fewer than 0 requests.",
		Fix:    "Write 0 or the largest batch.",
	})
	AC2 = batchSize.rule(Rule{
		ID: "AC2", Stage: Complete,
		Triton: "autofill failed for model '%s': model does not support batching while non-zero max_batch_size " +
			"is specified",
		Title: "max_batch_size for a model file that takes no batches",
		Means: "With max_batch_size above 0, the first dimension of every input and output of the model file " +
			"must be free: it is the batch. In this file some tensor has a fixed first dimension.",
		Why: "Triton joins requests along the first dimension, so the model must accept any size there.",
		Fix: "Set max_batch_size to 0, or export the model with a free batch dimension.",
	})
)

var cache = &Subject{Title: "Response cache"}

// The rules about response_cache; SB1 is about sequences.
var (
	RC1 = cache.rule(Rule{
		ID: "RC1", Stage: Poll,
		Triton: "Response Cache does not currently support model %s with 'decoupled' transaction policy. Please " +
			"disable the response cache.",
		Title: "a decoupled model has the response cache on",
		Means: "A decoupled model may answer a request many times, or never. An ensemble is decoupled if the model " +
			"of one of its steps is, even if its own config does not say so.",
		Why: "The cache keeps one answer for each request.",
		Fix: "Remove response_cache, or set enable to false.",
	})
)

var metrics = &Subject{Title: "Metrics"}

// The rules about model_metrics.
var (
	MM1 = metrics.rule(Rule{
		ID: "MM1", Stage: Poll,
		Triton: "metric control must specify 'metric_identifier'",
		Title:  "a metric_control does not say which metric it is for",
		Means:  "Each metric_control changes one metric. metric_identifier names that metric, and it is missing.",
		Why:    "Without it, Triton does not know which metric the options are for.",
		Fix:    "Add metric_identifier with the family of the metric.",
	})
	MM2 = metrics.rule(Rule{
		ID: "MM2", Stage: Poll,
		Triton: "metric identifier must specify non-empty 'family'",
		Title:  "a metric_identifier without family",
		Means:  "family is the name of the metric, as the metrics page shows it. It is empty.",
		Why:    "Metrics are found by the name of their family alone.",
		Fix:    "Add family: \"nv_inference_first_response_histogram_ms\", the only one that can be changed.",
	})
	MM3 = metrics.rule(Rule{
		ID: "MM3", Stage: Poll,
		Triton: "metric control must specify 'histogram_options'",
		Title:  "a metric_control that changes nothing",
		Means:  "histogram_options is all that a metric_control can set. It is missing.",
		Why:    "An entry without options would have no effect, which is surely a mistake.",
		Fix:    "Add histogram_options with the buckets.",
	})
	MM4 = metrics.rule(Rule{
		ID: "MM4", Stage: Poll,
		Triton: "histogram options must specify non-empty 'buckets'",
		Title:  "a histogram without buckets",
		Means: "buckets lists the upper bounds of the histogram's buckets, in milliseconds for this metric. It " +
			"is empty.",
		Why: "A histogram counts by its buckets; without any it would count nothing.",
		Fix: "List the bounds in rising order. Triton does not check the order.",
	})
	MM5 = metrics.rule(Rule{
		ID: "MM5", Stage: Never, Severity: diag.Warning,
		Triton: "Metric family '%s' in 'metric_identifier' is not a customizable metric in Triton core.",
		Title:  "a metric that cannot be changed",
		Means: "Only nv_inference_first_response_histogram_ms can be changed. Triton writes a warning to its " +
			"log and ignores the entry.",
		Why: "Metrics are made by the server, and only this histogram reads its buckets from the config.",
		Fix: "Remove the entry, or correct the family.",
	})
)
