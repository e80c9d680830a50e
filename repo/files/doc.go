// Package files holds the steps on files that Go's own package leaves open: a rename that replaces nothing, a copy that can
// be stopped, and a folder that survives a power cut. It knows nothing of models.
package files
