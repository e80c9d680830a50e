// Package completed keeps on disk what the auto_complete_config of Python models answered. The engine writes an answer after
// each run; `conch check` and the editor read it, and know the inputs and outputs of a model without running its program.
//
// An answer is one file. Its name is a sum of everything that the answer was made from: the config without its instance
// groups, and the files of the model's folder that the program reads. When one of them changes, the answer is not found any
// more. So it is neither removed nor compared; old ones are removed by their age and number. An answer is written whole or not
// at all, and a damaged one is removed when it is found. Several processes may share the folder.
package completed
