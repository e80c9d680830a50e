// Package checkcmd checks whole repositories for `conch check`: it scans, asks for every model what is wrong with
// it, and writes the answer as text for people or as JSON for programs. Nothing is watched, started or changed.
package checkcmd
