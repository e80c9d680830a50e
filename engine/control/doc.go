// Package control decides what is loaded. Only this package compares the repository with the loaded
// models, as the control mode says (none, poll, explicit), and loads, swaps and unloads models.
//
// A model's new versions are built while the old ones serve. They are swapped in when all are
// ready; then the old ones are drained and freed. When one fails, the old ones keep serving and the
// reason is kept. Each model has its own lock, so different models load at the same time. An
// ensemble waits for the models that it is made of.
//
// A Manager has these parts, which share a core:
//
//   - state: what has to be seen at one moment, behind one lock: the newest listing and the
//     repositories (roots), the table of models (models), the orders under way (orders);
//   - follower: compares listings with state and begins what follows from them;
//   - operations, run, operation: carry orders out, on models that belong together, in turn
//     (nameLocks);
//   - definer, builder, changer: one model: what it is made of, its new versions, what serves of it;
//   - exits: drains and frees; clientFiles: folders of models that a client sent;
//   - gate: what is permitted;
//   - Router: which version answers a request; Overview: what clients and people are told.
//
// Locks are taken in this order: a model's name lock, an operation's nodes, state, then those of
// single parts (names, lines, folders, hub).
package control
