package checkcmd

import (
	"io"
	"net/url"
	"slices"

	"conch/app/visible"
	"conch/configedit/diag"
	"conch/configedit/explain"
	"conch/configedit/folder"
	"conch/configedit/rule"
)

// The parts of SARIF 2.1.0 that are used, with SARIF's names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string         `json:"id"`
		Short sarifText      `json:"shortDescription"`
		Full  sarifText      `json:"fullDescription"`
		Help  sarifHelp      `json:"help"`
		Usual sarifUsual     `json:"defaultConfiguration"`
		More  map[string]any `json:"properties"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifUsual struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

var sarifLevels = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Advice: "note"}

// SARIF writes a result as a SARIF 2.1.0 log.
func SARIF(w io.Writer, r *Result) error {
	rules := codesOf(r)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "conch", Rules: []sarifRule{}}
	for _, code := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(rule.Find(code)))
	}
	for _, report := range r.Reports {
		for _, d := range report.List {
			run.Results = append(run.Results, sarifOf(report, d, slices.Index(rules, d.Code)))
		}
	}
	return encode(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// sarifRuleOf returns a rule with the help that `conch explain` gives. Its place in the documentation
// is relative to the project. SARIF's helpUri must be absolute, so the place is among the properties.
func sarifRuleOf(r *rule.Rule) sarifRule {
	page := explain.Of(r)
	return sarifRule{
		ID: r.ID, Short: sarifText{r.Title}, Full: sarifText{r.Means}, Usual: sarifUsual{sarifLevels[r.Severity]},
		Help: sarifHelp{visible.Lines(page.Text()), visible.Lines(page.Markdown())},
		More: map[string]any{"documentation": explain.File + "#" + explain.Anchor(r)},
	}
}

// codesOf lists the rules with findings, sorted.
func codesOf(r *Result) []string {
	var codes []string
	for _, report := range r.Reports {
		for _, d := range report.List {
			codes = append(codes, d.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func sarifOf(r Report, d diag.Diagnostic, rule int) sarifResult {
	e := entryOf(r, d)
	message := d.Message
	if d.Triton != "" && d.Triton != d.Message {
		message += "\nTriton: " + d.Triton
	}
	result := sarifResult{
		RuleID: d.Code, RuleIndex: rule, Level: sarifLevels[d.Severity], Message: sarifText{message},
		Locations: []sarifLocation{{Physical: physical(e.area)}},
	}
	for _, rel := range e.Related {
		result.Related = append(result.Related, sarifLocation{Physical: physical(rel.area), Message: &sarifText{rel.Message}})
	}
	for _, f := range e.Fixes {
		if changes := changesOf(f.Edits); len(changes) > 0 {
			result.Fixes = append(result.Fixes, sarifFix{sarifText{f.Title}, changes})
		}
	}
	return result
}

func physical(a area) sarifPhysical {
	p := sarifPhysical{Artifact: artifact(a.File)}
	region := regionOf(a)
	p.Region = &region
	return p
}

// artifact writes a path as a URI, which can name any file.
func artifact(path string) sarifArtifact {
	return sarifArtifact{(&url.URL{Path: folder.Raw(path)}).String()}
}

func regionOf(a area) sarifRegion { return sarifRegion{a.Line, a.Column, a.EndLine, a.EndColumn} }

// changesOf returns edits by file. SARIF has no way to make folders.
func changesOf(edits []edit) []sarifChange {
	var changes []sarifChange
	for _, e := range edits {
		if len(e.File) > 0 && e.File[len(e.File)-1] == '/' {
			continue
		}
		at := artifact(e.File)
		i := slices.IndexFunc(changes, func(c sarifChange) bool { return c.Artifact == at })
		if i < 0 {
			i = len(changes)
			changes = append(changes, sarifChange{Artifact: at})
		}
		changes[i].Replacements = append(changes[i].Replacements, sarifReplacement{regionOf(e.area), sarifText{e.New}})
	}
	return changes
}
