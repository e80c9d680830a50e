package scenario

import "fmt"

// Row is a line of the table that `make scenarios` prints, with both outcomes where they differ.
func Row(c *Case, conch string) string {
	switch {
	case c.Triton == conch:
		return fmt.Sprintf("%-34s same\n", c.Name)
	case c.Why != "" && c.Conch == conch:
		return fmt.Sprintf("%-34s differs, as meant: %s-- triton --\n%s-- conch --\n%s", c.Name, c.Why, c.Triton, conch)
	}
	return fmt.Sprintf("%-34s DIFFERS\n-- triton --\n%s-- conch --\n%s", c.Name, c.Triton, conch)
}
