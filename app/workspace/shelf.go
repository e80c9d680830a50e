package workspace

import (
	"context"

	"conch/app/overlay"
	"conch/app/store"
)

// shelf keeps drafts in the store.
type shelf struct{ store *store.Store }

var _ overlay.Shelf = shelf{}

// Keep implements overlay.Shelf.
func (s shelf) Keep(ctx context.Context, drafts []overlay.Draft, removed []overlay.Removal) error {
	var put, gone []store.Draft
	for _, d := range drafts {
		put = append(put, toStore(d))
	}
	for _, r := range removed {
		gone = append(gone, store.Draft{Root: r.Root, Path: r.Path, Version: r.Version})
	}
	return s.store.SaveDrafts(ctx, put, gone)
}

// Load implements overlay.Shelf.
func (s shelf) Load(ctx context.Context, root string) ([]overlay.Draft, error) {
	list, err := s.store.Drafts(ctx, root)
	if err != nil {
		return nil, err
	}
	drafts := make([]overlay.Draft, 0, len(list))
	for _, d := range list {
		drafts = append(drafts, fromStore(d))
	}
	return drafts, nil
}

func toStore(d overlay.Draft) store.Draft {
	return store.Draft{
		Root: d.Root, Path: d.Path, Text: d.Text, BaseVersion: d.Base.Version, BaseText: d.Base.Text,
		Version: d.Version, Changed: d.Changed,
	}
}

func fromStore(d store.Draft) overlay.Draft {
	return overlay.Draft{
		Key: overlay.Key{Root: d.Root, Path: d.Path}, Text: d.Text, Base: overlay.Base{Version: d.BaseVersion, Text: d.BaseText},
		Version: d.Version, Changed: d.Changed,
	}
}
