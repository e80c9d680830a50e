// Package names follows the names of models and tensors through a repository: what a name at a place stands for,
// where it is defined and used, and what has to be written to give it another. It works in broken text, sees the
// other models through check.Env, and changes nothing itself. All functions are pure and may be called
// concurrently.
package names
