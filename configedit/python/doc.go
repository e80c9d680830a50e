// Package python reads the programs of Python models as far as that can be done without running them: which names a
// module defines, what its classes inherit, which strings are in it, and the mistakes of syntax that Python surely
// refuses.
//
// It knows tokens, indentation and simple statements, and of expressions which token can follow another. What depends on a run is answered with Perhaps.
// Nothing is imported or run; all functions may be called concurrently.
package python
