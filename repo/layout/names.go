package layout

import (
	"path"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/folder"
)

// Names inside a model folder, as Triton's documentation of the model
// repository lays them down.
const (
	// ConfigFile is the model configuration in protobuf text form.
	ConfigFile = folder.ConfigName
	// VariantExt is the ending of a file in folder.Variants.
	VariantExt = ".pbtxt"
)

// VariantName returns the name under which a file of folder.Variants is chosen.
func VariantName(file string) (string, bool) {
	name, ok := strings.CutSuffix(file, VariantExt)
	return name, ok && name != "" && !NoiseFile(file)
}

// ShadowsConfig reports whether a top-level entry of a model folder would be
// taken for the config by Triton's modification check, which compares by
// string prefix: with both a "config" and a "config.pbtxt" it gives up
// ("Duplicate model config is detected") and never sees a change again.
func ShadowsConfig(name string) bool {
	return name != "" && name != ConfigFile && strings.HasPrefix(ConfigFile, name)
}

// otherModels are the endings of model files beside those of Triton's default names.
var otherModels = []string{".engine", ".pdmodel", ".tflite", ".safetensors"}

// IsModelFile reports whether a name looks like a model of some kind, default name or not: what a person would have
// copied in as "the model".
func IsModelFile(file string) bool {
	if _, _, known := backends.OfFile(file); known {
		return true
	}
	ext := path.Ext(file)
	if slices.Contains(otherModels, ext) {
		return true
	}
	return slices.ContainsFunc(backends.Files(), func(f string) bool { return path.Ext(f) == ext && !shared[ext] })
}

// shared are the endings of default model files that many other files have, too.
var shared = map[string]bool{".py": true, ".xml": true}

// LooksLikeLabels guesses whether a file of the model folder is a label file.
// Only output.label_filename decides; this is for listing and suggesting.
func LooksLikeLabels(name string) bool {
	lower := strings.ToLower(name)
	switch path.Ext(lower) {
	case ".labels":
		return true
	case ".txt", ".csv", ".names", "":
		return hasAny(lower, "label", "class", "names", "vocab")
	}
	return false
}

func hasAny(s string, words ...string) bool {
	for _, word := range words {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}
