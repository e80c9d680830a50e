package python

import (
	"slices"
	"strings"
)

// Messages in Conch's words, since the releases of Python have several for the same mistake.
const (
	// noColon is "expected ':'" from release 3.10 on if all else in the line is right.
	noColon     = "the line begins a block, and its colon is missing"
	notAfter    = "something is here that cannot follow what is before it"
	noCondition = "a condition has = where == may be meant"
)

// invalid is what Python says where the grammar has no word of its own.
const invalid = "invalid syntax"

// ownWords are the messages that are not Python's.
var ownWords = []string{noColon, notAfter, noCondition}

// keywords are the words that are no names in any release.
var keywords = wordsOf("and as assert async await break class continue def del elif else except finally for from global if import in is " +
	"lambda nonlocal not or pass raise return try while with yield")

var (
	// wantsMore are the signs and words that something has to follow. A list of parameters may have a star or a stroke as an entry.
	wantsMore = wordsOf("+ - % & | ^ ~ @ < > == != <= >= = += -= %= &= |= ^= @= := -> and or not is in")
	// beginsNothing are those that no expression begins with. A closing bracket does not either.
	beginsNothing = wordsOf("% & | ^ == != <= >= = += -= *= /= %= &= |= ^= @= := -> and or is , : ; ) ] }")
	// joined are pairs of beginsNothing that the lexer cuts out of one sign, such as >>=.
	joined = wordsOf("<<= >>=")
	// afterOpen are those that do not follow an opening bracket. A slice may begin with a colon, and a bracket may be empty.
	afterOpen = wordsOf("% & | ^ == != <= >= = += -= %= &= |= ^= @= := -> and or is ,")
)

func wordsOf(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// mistake finds the first place of a line where Python's grammar surely ends: the mistakes that people make in a hurry. What
// needs the whole grammar is not looked for. Of a line that cut cuts off it is looked for up to there: behind a bracket that is
// never closed Python tells of that, unless the mistake is in the bracket's own line.
func (l logical) mistake(cut *SyntaxError) *SyntaxError {
	if isField := func(t token) bool { return t.field }; slices.ContainsFunc(l.tokens, isField) {
		l.tokens = slices.DeleteFunc(slices.Clone(l.tokens), isField)
	}
	if len(l.tokens) == 0 { // what is cut off is an f-string
		return nil
	}
	var open []opened
	for i, t := range l.tokens {
		if cut != nil && t.line > cut.Line {
			return nil
		}
		var before token // none before the first
		if i > 0 {
			before = l.tokens[i-1]
		}
		if message := l.wrongAt(i, before, open); message != "" {
			line := t.line
			if message == notAfter {
				line = before.line // Python points to the value before
			}
			return &SyntaxError{Line: line, Kind: "SyntaxError", Message: message}
		}
		switch {
		case t.kind == operator && strings.Contains("([{", t.text):
			open = append(open, opened{bracket: t.text, indexes: before.endsOperand()})
		case t.kind == operator && closing[t.text[0]] != "" && len(open) > 0:
			open = open[:len(open)-1]
		case t.is("lambda") && len(open) > 0:
			open[len(open)-1].lambda = true
		}
	}
	if last := l.tokens[len(l.tokens)-1]; cut == nil && last.leavesOpen() {
		return &SyntaxError{Line: last.line, Kind: "SyntaxError", Message: invalid}
	}
	return nil
}

// opened is a bracket that is open.
type opened struct {
	bracket string
	// indexes means that something is before it, which it calls or takes a part of.
	indexes bool
	// lambda means that a lambda is in it, which has a colon.
	lambda bool
}

// wrongAt says why the token i cannot be where it is, in the brackets that are open before it; "" where it may be.
func (l logical) wrongAt(i int, before token, open []opened) string {
	t := l.tokens[i]
	switch {
	case t.is("!"):
		return invalid
	case i == 0:
		return l.wrongBegin()
	case i == 1 && before.is("print") && (t.kind == str || t.kind == number || t.isName()):
		return "Missing parentheses in call to 'print'. Did you mean print(...)?"
	case before.is("def") || before.is("class"):
		return unless(t.isName(), invalid)
	case i > 1 && l.tokens[i-2].is("def"):
		return unless(t.is("(") || t.is("["), notAfter)
	case before.is(".") && t.kind == name && keywords[t.text]: // "..." is a value, and dots may come before "import"
		return unless(t.is("import") || i > 1 && l.tokens[i-2].is("."), invalid)
	case before.leavesOpen() && t.kind != str && beginsNothing[t.text] && !joined[before.text+t.text]:
		return l.afterSign(before, t)
	case t.is("="):
		return unless(len(open) > 0 || !l.asks(), l.assignedInCondition(i))
	case before.kind == operator && strings.Contains("([{", before.text):
		return unless(open[len(open)-1].mayBegin(t), invalid)
	case t.is(":") && !l.mayHaveColon(before, open), t.is(",") && before.is(","), before.is("for") && t.is("in"):
		return invalid
	case before.endsOperand() && t.beginsOperand():
		return l.apart(i, len(open) > 0)
	}
	return ""
}

// unless returns a message where something is not so.
func unless(ok bool, message string) string {
	if ok {
		return ""
	}
	return message
}

// wrongBegin says why a line cannot begin as it does.
func (l logical) wrongBegin() string {
	switch first := l.tokens[0]; {
	case first.kind == operator && beginsNothing[first.text]:
		return invalid
	case len(l.tokens) > 1 && !l.tokens[1].is(":") && (first.is("else") || first.is("try") || first.is("finally")):
		return noColon
	}
	return ""
}

// afterSign is the message for a sign that nothing follows. Releases differ about what is missing where it would be a value.
func (l logical) afterSign(before, t token) string {
	if before.is("=") && !t.is("=") || before.is("->") || t.is(":") || t.is("=") {
		return notAfter
	}
	return invalid
}

// asks reports whether a line begins with a condition.
func (l logical) asks() bool {
	return l.tokens[0].is("if") || l.tokens[0].is("elif") || l.tokens[0].is("while")
}

// assignedInCondition is the message for a sign of assignment at i. A colon or a lambda before it may end the condition.
func (l logical) assignedInCondition(i int) string {
	switch {
	case slices.ContainsFunc(l.tokens[:i], func(t token) bool { return t.is(":") || t.is("lambda") }):
		return ""
	case i == 2 && l.tokens[1].isName():
		return "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
	}
	return noCondition
}

// apart is the message for two values side by side. A line may begin with a word such as match, which is a name elsewhere.
func (l logical) apart(i int, inside bool) string {
	switch first, before := l.tokens[0], l.tokens[i-1]; {
	case before.kind == str && l.tokens[i].kind == str, first.is("match") || first.is("case") || before.is("type"):
		return ""
	case inside || before.kind == number || before.is("print") || before.is("exec"):
		return notAfter
	}
	return invalid
}

// mayBegin reports whether a token can be the first one in a bracket.
func (o opened) mayBegin(t token) bool {
	if t.is(":") {
		return o.bracket == "[" && o.indexes
	}
	return t.kind == str || !afterOpen[t.text]
}

// mayHaveColon reports whether a colon can stand where it is, in the brackets that are open. In a round one it is that of a
// parameter or of a lambda.
func (l logical) mayHaveColon(before token, open []opened) bool {
	if len(open) == 0 {
		return !before.is(":")
	}
	innermost := open[len(open)-1]
	parameters := len(open) == 1 && (l.tokens[0].is("def") || l.tokens[0].is("async"))
	switch {
	case innermost.lambda:
		return true
	case innermost.bracket == "(":
		return parameters && before.isName()
	}
	return innermost.bracket == "[" || !before.is(",")
}

func (t token) isName() bool { return t.kind == name && !keywords[t.text] }

// endsOperand reports whether a value may end with the token.
func (t token) endsOperand() bool {
	switch t.kind {
	case name:
		return t.isName() && t.text != ""
	case operator:
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
	return true
}

// beginsOperand reports whether only a value may begin with the token, and no index or call.
func (t token) beginsOperand() bool {
	return t.kind == str || t.kind == number || t.isName() || t.is("{")
}

// leavesOpen reports whether something has to follow the token.
func (t token) leavesOpen() bool { return t.kind != str && wantsMore[t.text] }
