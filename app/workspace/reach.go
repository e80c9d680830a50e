package workspace

import (
	"fmt"

	"conch/repo/scan"
)

// AwayError means that the folder of a repository cannot be reached now, so that nothing can be done
// with its files.
type AwayError struct {
	// Why is a sentence about the folder.
	Why string
	// Then is a sentence about the result of the action that was tried.
	Then string
}

func (e *AwayError) Error() string {
	return fmt.Sprintf("The repository is away: %s %s", e.Why, e.Then)
}

// The results of actions on a folder that is away.
const (
	ThenSave  = "Nothing was written, and your text is kept as unsaved. Save again once the folder is back."
	ThenRead  = "The file can be opened once the folder is back. Unsaved text is kept."
	ThenRetry = "Nothing was changed. Try again once the folder is back."
	ThenLoad  = "Models cannot be loaded from it until it is back. What is loaded keeps serving."
)

// Reach checks that the folder of a model is there now, before anything is done with its files. The
// error is an AwayError with this sentence. An unknown model has no folder that could be away.
func (u *Stay) Reach(model, then string) error {
	m, known := u.Disk().Model(model)
	if !known {
		return nil
	}
	return u.ReachRoot(m.Scan.Root, then)
}

// ReachRoot does the same for a root of the repository. It asks the disk, because it may not be
// noticed yet that the folder is away or back.
func (u *Stay) ReachRoot(root, then string) error {
	shown := u.Disk().Index
	if id := scan.Identity(root); id != "" && id == rootOf(shown, root).Identity {
		return nil
	}
	index := u.s.repo.Touch(root)
	why := missingBecause(index, root)
	if why == "" {
		why = awayBecause(index, shown, rootOf(index, root), u.s.isLoaded)
	}
	if why == "" {
		return nil
	}
	return &AwayError{Why: why, Then: then}
}
