// Package apptest opens the whole workbench for tests, with the program itself as its engine, and
// speaks to it as a window does. It holds no test.
package apptest
