package environments

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// comment matches what pip does not read of a line.
	comment = regexp.MustCompile(`(^|\s)#.*`)
	// address matches what pip gets over the network, or by "file:", instead of a file in a place.
	address = regexp.MustCompile(`(?i)^(https?|file):`)
	// coding matches the line that says the encoding of a list.
	coding = regexp.MustCompile(`^#.*coding[:=]\s*([-\w.]+)`)
	// breaks makes each end of a line that Python knows the same one.
	breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\x1c", "\n", "\x1d", "\n", "\x1e", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
)

// lines returns the lines of a list that say something, as pip reads them. What pip and uv may read in different ways is an error: people agree
// to what they see.
func lines(text string) (list []string, err error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("it is not written in UTF-8")
	}
	for _, line := range strings.SplitN(text, "\n", 3)[:min(2, strings.Count(text, "\n")+1)] {
		if found := coding.FindStringSubmatch(line); found != nil && !slices.Contains([]string{"utf-8", "utf8", "ascii"}, strings.ToLower(found[1])) {
			return nil, fmt.Errorf("it is written in %s, not in UTF-8", found[1])
		}
	}
	begun := ""
	for line := range strings.SplitSeq(breaks.Replace(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") { // it ends what was begun, and does not go on in the next line
			line = ""
		}
		if strings.HasSuffix(line, `\`) {
			if comment.MatchString(line) {
				return nil, fmt.Errorf("the comment of the line %q ends with a backslash", line)
			}
			begun += strings.Trim(line, `\`)
			continue
		}
		if line = strings.TrimSpace(comment.ReplaceAllString(begun+line, "")); line != "" {
			list = append(list, line)
		}
		begun = ""
	}
	if begun = strings.TrimSpace(begun); begun != "" {
		list = append(list, begun)
	}
	return list, nil
}

// include returns the file of the list that a line includes; "" for none, and for one that is not a file.
func include(line string) (string, error) {
	if !strings.HasPrefix(line, "-") {
		return "", nil // pip does not look for other lists among the options of a package
	}
	unclear := fmt.Errorf("the line %q is not understood: write \"-r FILE\" or \"-c FILE\", and nothing else in that line", line)
	words, whole := split(line)
	for i, word := range words {
		name, value, has := strings.Cut(word, "=")
		if !strings.HasPrefix(word, "--") && len(word) > 2 && strings.ContainsAny(word[1:2], "rc") {
			name, value, has = word[:2], word[2:], true
		}
		switch {
		case !slices.Contains([]string{"-r", "-c", "--requirement", "--constraint"}, name):
			isQuoted := strings.ContainsAny(name, `"'\`)
			if mayInclude(name) || isQuoted && mayInclude("-"+strings.TrimLeft(name, `-"'\`)) {
				return "", unclear
			}
			continue
		case !whole || i > 0 || has && len(words) > 1 || !has && len(words) != 2:
			return "", unclear
		case !has:
			value = words[1]
		}
		switch {
		case address.MatchString(value) && !strings.EqualFold(value[:4], "file"):
			return "", nil
		case address.MatchString(value) || value == "":
			return "", unclear
		}
		return value, nil
	}
	return "", nil
}

// mayInclude reports whether a tool may take an option for one that includes a list: shortened, or as one of several letters.
func mayInclude(option string) bool {
	if strings.HasPrefix(option, "--") {
		return strings.HasPrefix("--requirement", option) || strings.HasPrefix("--constraint", option)
	}
	isOther := len(option) > 1 && strings.Contains("iefC", option[1:2]) // these have a value
	return strings.HasPrefix(option, "-") && !isOther && strings.ContainsAny(option, "rc")
}

// split splits the options of a line as a shell does. whole is false where that takes more than quotes around words.
func split(line string) (words []string, whole bool) {
	whole = !strings.Contains(line, `\`)
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		end := strings.IndexFunc(line, unicode.IsSpace)
		if quote := line[:1]; quote == `"` || quote == "'" {
			closing := strings.Index(line[1:], quote)
			if rest := line[closing+2:]; closing >= 0 && (rest == "" || unicode.IsSpace(rune(rest[0]))) {
				words, line = append(words, line[1:closing+1]), rest
				continue
			}
		}
		if end < 0 {
			end = len(line)
		}
		whole = whole && !strings.ContainsAny(line[:end], `"'`)
		words, line = append(words, line[:end]), line[end:]
	}
	return words, whole
}
