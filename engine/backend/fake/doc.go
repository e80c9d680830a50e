// Package fake is a backend without a framework, for tests of the packages that use backends. Its models copy inputs to
// outputs; a test can change that with function fields. Every response carries the text of the model file, so
// that a test can distinguish versions. A file with the text "broken" does not load.
package fake
