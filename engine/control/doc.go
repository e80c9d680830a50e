// Package control decides what is loaded. It alone compares what the repository holds with what runs, in
// the way the control mode asks for (none, poll, explicit), and has models loaded, swapped and unloaded.
//
// A model's new versions are made beside the old ones; only when all are ready are they swapped in, the old
// ones drained and freed. When one fails, the old ones keep serving and the reason is kept. Operations on models
// that an ensemble ties together are one after the other, all others run side by side.
package control
