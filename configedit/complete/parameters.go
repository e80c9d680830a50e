package complete

import (
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/check"
	"conch/configedit/text"
)

// keysOfBackend are the keys of parameters that the model's backend reads and that are not set yet.
func (p *place) keysOfBackend() []Item {
	set := p.keys(p.around(1), "parameters")
	var items []Item
	for _, known := range check.Parameters(p.m.Effective.GetBackend()) {
		if set[known.Key] {
			continue
		}
		items = append(items, Item{
			Label: known.Key, Kind: KindValue, Detail: defaultText(known.Default), Documentation: known.Doc, Insert: text.Quote(known.Key),
		})
	}
	return items
}

// parameter is what is known of the parameter whose value is at the place.
func (p *place) parameter(entry *text.Message) (check.Parameter, bool) {
	key := p.valueOf(entry, "key")
	known := check.Parameters(p.m.Effective.GetBackend())
	i := slices.IndexFunc(known, func(known check.Parameter) bool { return known.Key == key })
	if i < 0 {
		return check.Parameter{}, false
	}
	return known[i], true
}

// parameterValues are what the parameter at the place takes, where that is a list.
func (p *place) parameterValues() []Item {
	known, _ := p.parameter(p.around(1))
	var items []Item
	if known.Values == nil && known.Default != "" {
		return quoted(KindValue, "default", known.Default)
	}
	for _, value := range known.Values {
		detail := ""
		if value == known.Default {
			detail = "default"
		}
		items = append(items, Item{Label: value, Kind: KindValue, Detail: detail, Insert: text.Quote(value)})
	}
	return items
}

// parameterHelp explains a parameter.
func parameterHelp(known check.Parameter) string {
	help := strings.ToUpper(known.Doc[:1]) + known.Doc[1:] + "."
	if known.Values != nil {
		help += " One of " + strings.Join(known.Values, ", ") + "."
	}
	if known.Default != "" {
		help += " " + known.Default + " when absent."
	}
	return help
}

func defaultText(value string) string {
	if value == "" {
		return ""
	}
	return value + " when absent"
}

// under are the files in a folder of the model's folder, as fields name them: relative to it.
func (p *place) under(folder string) []Item {
	if p.m.Folder == nil {
		return nil
	}
	var files []string
	for _, f := range p.m.Folder.Files {
		if rel, ok := strings.CutPrefix(f, folder+"/"); ok {
			files = append(files, rel)
		}
	}
	return quoted(KindFile, "in "+folder+"/", files...)
}

// modelFiles are what the model's files are usually called, those that are there first.
func (p *place) modelFiles() []Item {
	var there []string
	for _, f := range p.m.Facts.Files {
		there = append(there, f.Name)
	}
	items := quoted(KindFile, "in the version folder", there...)
	for _, format := range backends.Named(p.m.Effective.GetBackend()).Formats {
		if !slices.Contains(there, format.File) {
			items = append(items, quoted(KindFile, "the usual name", format.File)...)
		}
	}
	return items
}
