// Package checkcmd checks whole repositories for `conch check`. It scans them, finds what is wrong
// with each model, and writes the answer as text for people or in a format for programs. It watches
// and starts nothing. It changes files only when repairs are asked for.
package checkcmd
