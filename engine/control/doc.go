// Package control decides what is loaded. It alone compares what the repository holds with what
// runs, in the way that the control mode asks for (none, poll, explicit), and loads, swaps and
// unloads models.
//
// A model's new versions are made beside the old ones. They are swapped in when all are ready; then
// the old ones are drained and freed. When one fails, the old ones keep serving and the reason is
// kept. Each model has a lock of its own, so that all models load side by side; an ensemble waits
// for the models that it is made of.
//
// A Manager is put together from these parts, which share a core:
//
//   - state: what has to be seen at one moment, behind one lock: the newest listing and the
//     repositories (roots), the table of models (models), the orders under way (orders);
//   - follower: compares listings with state and begins what follows from them;
//   - operations, run, operation: carry orders out, on models that belong together, in turn
//     (nameLocks);
//   - planner, builder, changer: one model: what it is made of, its new versions, what serves of it;
//   - exits: drains and frees; clientFiles: folders of models that a client sent;
//   - gate: what is permitted;
//   - Router: which version answers a request; Overview: what clients and people are told.
//
// Locks are taken in this order: a model's name lock, an operation's nodes, state, then those of
// single parts (names, lines, folders, hub).
package control
