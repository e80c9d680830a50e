package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"conch/app/api"
	"conch/app/store"
	"conch/app/workspace"
	"conch/configedit/bytesize"
)

// typed is a request of the inference protocol.
type typed struct {
	Inputs []struct {
		Name     string          `json:"name"`
		Datatype string          `json:"datatype"`
		Shape    []int64         `json:"shape"`
		Data     json.RawMessage `json:"data"`
	} `json:"inputs"`
}

// mostTyped is how much the files of requests may hold together: all of it is held in memory, more than once.
const mostTyped = 512 << 20

// ReadRequests reads requests from files: each has one, or a list. fits says what is wrong with one (Source.Fits).
func ReadRequests(files []string, fits func(*api.InferRequest) error) ([]*api.InferRequest, error) {
	return readRequests(files, mostTyped, fits)
}

// readRequests reads files that hold so many bytes together.
func readRequests(files []string, most int64, fits func(*api.InferRequest) error) (list []*api.InferRequest, err error) {
	left := most
	for _, file := range files {
		text, whole, err := readUpTo(file, left)
		if err != nil {
			return nil, err
		}
		if !whole {
			return nil, fmt.Errorf("%s: the files of requests have more than %s together, which Conch would hold in memory: name fewer or smaller ones", file, bytesize.Text(most))
		}
		left -= int64(len(text))
		more, err := ParseRequests(file, text)
		if err != nil {
			return nil, err
		}
		for n, r := range more {
			if err := fits(r); err != nil {
				return nil, fmt.Errorf("%s: request %d does not fit the model: %w", file, n+1, err)
			}
		}
		list = append(list, more...)
	}
	return list, nil
}

// readUpTo reads a file. It tells whether that has at most so many bytes; a device or a pipe may have no end.
func readUpTo(file string, most int64) (text []byte, whole bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() > most {
		return nil, false, err
	}
	text, err = io.ReadAll(io.LimitReader(f, most+1))
	return text, int64(len(text)) <= most, err
}

// ParseRequests reads a request in the JSON of the inference protocol, or a list of them. from begins the sentence of an error: "requests.json".
func ParseRequests(from string, text []byte) (list []*api.InferRequest, err error) {
	var found []typed
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &found)
	} else {
		found = make([]typed, 1)
		err = json.Unmarshal(text, &found[0])
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a request in the JSON of the inference protocol: %w", from, inWords(err))
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no request: the list is empty", from)
	}
	for _, one := range found {
		if len(one.Inputs) == 0 {
			return nil, fmt.Errorf(`%s is not a request in the JSON of the inference protocol: it has no "inputs"`, from)
		}
		r := &api.InferRequest{}
		for _, in := range one.Inputs {
			r.Inputs = append(r.Inputs, &api.InferInput{
				Name: in.Name, Datatype: in.Datatype, Shape: in.Shape, Data: &api.InferInput_Json{Json: string(in.Data)},
			})
		}
		list = append(list, r)
	}
	if list, err = Typed(list); err != nil {
		return nil, fmt.Errorf("%s does not fit together: %w", from, err)
	}
	return list, nil
}

// inWords says what is wrong with JSON as people see it: what they have not finished has no "input" that ends.
func inWords(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end") {
		return errors.New("it ends in the middle, where a quote or a bracket is still open")
	}
	return err
}

// SavedIn is Saved of the history in a data folder, with the repository opened alone.
func SavedIn(ctx context.Context, dataDir, root, model string) ([]*api.InferRequest, error) {
	if _, err := os.Stat(dataDir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	history, err := store.Open(ctx, store.Options{Dir: dataDir})
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	list, err := Saved(ctx, history, workspace.KeyOf([]string{root}), model)
	return list, errors.Join(err, history.Close())
}

// Profiles sorts ranges into profiles: the first one of an input belongs to profile 0, the second to profile 1. An input with a single range has it in
// all profiles.
func Profiles(ranges []*api.ShapeRange) ([]*api.PlanProfile, error) {
	of := map[string][]*api.ShapeRange{}
	var inputs []string // in the order in which they are named
	most := ""          // the one with the most ranges
	for _, r := range ranges {
		if of[r.Input] == nil {
			inputs = append(inputs, r.Input)
		}
		of[r.Input] = append(of[r.Input], r)
		if len(of[r.Input]) > len(of[most]) {
			most = r.Input
		}
	}
	list := make([]*api.PlanProfile, len(of[most]))
	for number := range list {
		list[number] = &api.PlanProfile{}
		for _, name := range inputs {
			has := of[name]
			switch len(has) {
			case len(list):
				list[number].Ranges = append(list[number].Ranges, has[number])
			case 1:
				list[number].Ranges = append(list[number].Ranges, has[0])
			default:
				return nil, fmt.Errorf("input %s has %d ranges, and input %s has %d: an input has one range for each profile, or one for all",
					name, len(has), most, len(list))
			}
		}
	}
	return list, nil
}

// ParseRange reads the shapes of an input: "image:1x64,8x64,32x64".
func ParseRange(text string) (*api.ShapeRange, error) {
	at := strings.LastIndexByte(text, ':')
	shapes := strings.Split(text[at+1:], ",")
	if at <= 0 || len(shapes) != 3 {
		return nil, fmt.Errorf("%q is no range of shapes: write it as image:1x64,8x64,32x64", text)
	}
	var read [3][]int64
	for i, shape := range shapes {
		for size := range strings.SplitSeq(shape, "x") {
			n, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%q in %q is no shape: write it as 8x64", shape, text)
			}
			read[i] = append(read[i], n)
		}
	}
	return &api.ShapeRange{Input: text[:at], Least: read[0], Best: read[1], Largest: read[2]}, nil
}
