// Package control decides what is loaded. It alone compares what the repository holds with what runs, in
// the way the control mode asks for (none, poll, explicit), and has models loaded, swapped and unloaded.
//
// A model's new versions are made beside the old ones; only when all are ready are they swapped in, the old
// ones drained and freed. When one fails, the old ones keep serving and the reason is kept. Each model has a lock of
// its own, so that all models load side by side; an ensemble waits for the models that it is made of.
package control
