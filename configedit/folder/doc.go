// Package folder says what the names in a model's folder mean, and how names that are not UTF-8 are written where
// only text fits. The repository on disk, the engine and the workbench read names by the same rules. All functions
// are pure.
package folder
