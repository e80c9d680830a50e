package modelfile

import "os"

// ExternalFiles returns the files that hold weights of an ONNX model, as the model names them; none where it cannot be read.
func ExternalFiles(model string) []string {
	info, err := os.Stat(model)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil
	}
	f, err := os.Open(model)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	read, err := ReadONNX(f, info.Size())
	if err != nil {
		return nil
	}
	return read.ExternalFiles
}
