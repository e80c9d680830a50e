// Package fake is a backend without a framework, for tests of what is above backends. Its models copy inputs to
// outputs; a test says otherwise with function fields. What a model file holds travels with every response, so
// that a test can tell versions apart; a file that says "broken" does not load.
package fake
