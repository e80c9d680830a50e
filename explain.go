package main

import (
	"fmt"
	"os"
	"strings"

	"conch/app/visible"
	"conch/configedit/explain"
	"conch/configedit/rule"
)

// explainCommand is `conch explain`.
type explainCommand struct {
	Rules []string `arg:"" optional:"" name:"rule" help:"Rules, such as SB1; without any, all are listed."`
}

// Run prints the pages of the rules. It returns exit status 2 where a rule does not exist.
func (c *explainCommand) Run() error {
	text, unknown := c.text()
	if unknown != "" {
		fmt.Fprintf(os.Stderr, "conch: %s\n", unknown)
		return exitStatus(misused)
	}
	_, err := fmt.Print(text)
	return err
}

// noRule says that a rule does not exist, which ones have a similar name, and how to see all.
func noRule(id string) string {
	said := fmt.Sprintf("there is no rule %s.", visible.Line(id))
	if similar := explain.Near(id); len(similar) > 0 {
		said += fmt.Sprintf(" Did you mean %s?", strings.Join(similar, ", "))
	}
	return said + " `conch explain` lists all rules."
}

// text returns the pages of the rules, or the list of all. unknown says which rule does not exist, and
// which have a similar name.
func (c *explainCommand) text() (text, unknown string) {
	if len(c.Rules) == 0 {
		return explain.List(), ""
	}
	var pages []string
	for _, id := range c.Rules {
		r := rule.Find(id)
		if r == nil {
			return "", noRule(id)
		}
		pages = append(pages, explain.Of(r).Text())
	}
	return visible.Lines(strings.Join(pages, "\n")), ""
}
