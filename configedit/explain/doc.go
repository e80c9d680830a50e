// Package explain tells a person what a rule means: its words from the table (configedit/rule) with an example from the
// golden cases (configedit/check), as plain text, as Markdown, and part by part. It judges nothing.
package explain
