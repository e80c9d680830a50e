// Package complete says what may be written at a place in a config, and explains what is written there:
// completion and hover. It works in broken text, and knows the repository's other models through
// check.Env. All functions are pure and may be called concurrently.
//
// place says where the offset is in the text and in the schema. What fits there is the business of
// ownTensors, wires, settings and files, by where the names come from; values chooses among them.
// insertions writes fields, help explains existing fields and values.
package complete
