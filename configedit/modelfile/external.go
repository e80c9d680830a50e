package modelfile

import "os"

// ExternalFiles returns the files that hold weights of an ONNX model, as the model names them; none where it cannot be read.
func ExternalFiles(model string) []string {
	f, err := os.Open(model)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	read, err := ReadONNX(f, info.Size())
	if err != nil {
		return nil
	}
	return read.ExternalFiles
}
