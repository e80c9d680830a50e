package python

import "strings"

// Messages in Conch's words, since the releases of Python have several for the same mistake.
const (
	// noColon is "expected ':'" from release 3.10 on if all else in the line is right.
	noColon     = "the line begins a block, and its colon is missing"
	notAfter    = "something is here that cannot follow what is before it"
	notHere     = "something is here that cannot be here"
	noComma     = "two values are side by side, and a comma or a sign is missing between them"
	noCondition = "a condition has = where == may be meant"
	unfinished  = "the line is not finished"
)

// invalid is what Python says where the grammar has no word of its own.
const invalid = "invalid syntax"

// ownWords are the messages that are not Python's.
var ownWords = []string{noColon, notAfter, notHere, noComma, noCondition, unfinished}

// keywords are the words that are no names in any release.
var keywords = wordsOf("and as assert async await break class continue def del elif else except finally for from global if import in is " +
	"lambda nonlocal not or pass raise return try while with yield")

var (
	// wantsMore are the signs and words that something has to follow. A list of parameters may have a star or a stroke as an entry.
	wantsMore = wordsOf("+ - % & | ^ ~ @ < > == != <= >= = += -= %= &= |= ^= @= := -> and or not is in")
	// beginsNothing are those that no expression begins with. A closing bracket does not either.
	beginsNothing = wordsOf("% & | ^ < > == != <= >= = += -= *= /= %= &= |= ^= @= := -> and or is , : ; ) ] }")
	// beginsStatement are words that are at the beginning of a statement only, but for "async def" and "async with".
	beginsStatement = wordsOf("assert break class continue def del elif except finally global nonlocal pass raise return try while with")
	// endsNothing are words that no line ends with.
	endsNothing = wordsOf("as assert async await class def del elif for from global if import lambda nonlocal while with")
	// changes are the signs of an assignment that changes a value. They are in no bracket.
	changes = wordsOf("+= -= *= /= %= &= |= ^= @=")
	// soft are words that Python takes for names where they begin nothing. It misses no comma behind them.
	soft = wordsOf("match case type _")
	// joined are pairs of beginsNothing that the lexer cuts out of one sign, such as >>.
	joined = wordsOf("<< >> <<= >>=")
	// afterOpen are those that do not follow an opening bracket. A slice may begin with a colon, and a bracket may be empty. They
	// do not follow a comma either, but for the sign of an assignment.
	afterOpen = wordsOf("% & | ^ < > == != <= >= = += -= %= &= |= ^= @= := -> and or is ,")
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
	var g grammar
	for _, t := range l.tokens {
		if cut != nil && t.line > cut.Line {
			return nil
		}
		if t.field {
			continue
		}
		if message := g.wrong(t); message != "" {
			return &SyntaxError{Line: g.line(t, message), Kind: "SyntaxError", Message: message}
		}
		g.take(t)
	}
	if message := g.end(); cut == nil && message != "" {
		return &SyntaxError{Line: g.before.line, Kind: "SyntaxError", Message: message}
	}
	return nil
}

// grammar is what is known of a line up to a token. It holds no more than the brackets that may be open, so that a token takes
// the same time wherever it is.
type grammar struct {
	tokens                 int   // how many are before
	first, earlier, before token // the first and the last two of them
	open                   []opened
	// colon means that a colon is before, outside of brackets. That of a lambda counts as well, so that nothing is refused
	// that Python takes.
	colon bool
	// ended means that a colon or a lambda is before, which may end a condition; arrow that the sign of what a function returns is.
	ended, arrow bool
	// from means that the word is before.
	from bool
}

// opened is a bracket that is open.
type opened struct {
	bracket string
	// indexes means that something is before it, which it calls or takes a part of; imports that the word "import" is.
	indexes, imports bool
	// lambda means that a lambda is in it, which has a colon; loop that a word "for" is.
	lambda, loop bool
	// value is the first token of the value that is read in it; length is how many tokens of it are before.
	value  token
	length int
}

// take moves behind a token.
func (g *grammar) take(t token) {
	if t.closes() && len(g.open) > 0 {
		g.open = g.open[:len(g.open)-1]
	}
	if n := len(g.open); n > 0 {
		g.open[n-1].take(t)
	} else if t.is(":") {
		g.colon = true
	}
	if t.opens() {
		g.open = append(g.open, opened{bracket: t.text, indexes: g.before.endsOperand(), imports: g.before.is("import")})
	}
	g.ended = g.ended || t.is(":") || t.is("lambda")
	g.arrow, g.from = g.arrow || t.is("->"), g.from || t.is("from")
	if g.tokens == 0 {
		g.first = t
	}
	g.tokens, g.earlier, g.before = g.tokens+1, g.before, t
}

// take moves behind a token in the bracket.
func (o *opened) take(t token) {
	o.lambda, o.loop = o.lambda || t.is("lambda"), o.loop || t.is("for")
	switch {
	case t.is(",") || t.is(":") || t.is("=") || t.is(":=") || t.is("else"):
		o.length = 0
		return
	case o.length == 0:
		o.value = t
	}
	o.length++
}

// line is where Python tells of a token that cannot come next.
func (g *grammar) line(t token, message string) int {
	switch message {
	case notAfter, noColon:
		return g.before.line
	case noComma:
		return g.open[len(g.open)-1].value.line
	}
	return t.line
}

// wrong says why a token cannot come next; "" where it may.
func (g *grammar) wrong(t token) string {
	message := g.refused(t)
	if message == invalid && g.header() && !g.asks() {
		return notHere // newer releases may expect a colon
	}
	return message
}

// header reports whether a line that begins a block is before its colon, and not in the brackets of its parameters or bases.
func (g *grammar) header() bool {
	return g.block() && g.tokens > 1 && !g.colon && (len(g.open) == 0 || g.arrow)
}

// block reports whether a line begins a block.
func (g *grammar) block() bool { return g.first.kind == name && blocks[g.first.text] }

// asks reports whether a line begins with a condition.
func (g *grammar) asks() bool { return g.first.is("if") || g.first.is("elif") || g.first.is("while") }

func (g *grammar) refused(t token) string {
	before := g.before
	switch {
	case g.tokens == 1 && !t.is(":") && (before.is("else") || before.is("try") || before.is("finally")):
		return noColon
	case t.is("!"):
		return invalid
	case g.tokens == 0:
		return unless(t.kind == str || !beginsNothing[t.text], invalid)
	case g.tokens == 1 && before.is("print") && (t.kind == str || t.kind == number || t.isName()):
		return "Missing parentheses in call to 'print'. Did you mean print(...)?"
	case g.begins() && t.kind != str && (beginsNothing[t.text] || blocks[t.text] || t.is("/")): // a block has a line of its own
		return invalid
	case t.kind == name && beginsStatement[t.text] && !g.begins() && !before.is("async"):
		return g.statement()
	case before.is("async"):
		return unless(t.is("def") || t.is("with") || t.is("for"), invalid)
	case before.is("import"):
		return unless(t.isName() || t.is("(") || t.is("*"), invalid)
	case before.endsOperand() && t.is("import") && !g.from && !before.is("lazy"), len(g.open) > 0 && !g.open[len(g.open)-1].mayHold(t):
		return invalid
	case before.is("def") || before.is("class"):
		return unless(t.isName(), invalid)
	case g.earlier.is("def"):
		return unless(t.is("(") || t.is("["), notAfter)
	case g.earlier.is("class"):
		return unless(t.is("(") || t.is("[") || t.is(":"), invalid)
	case before.is(".") && t.kind == name && keywords[t.text]: // "..." is a value, and dots may come before "import"
		return unless(t.is("import") || g.earlier.is("."), invalid)
	case before.kind == name && endsNothing[before.text] && !before.is("lambda") && t.kind != str && beginsNothing[t.text]:
		return invalid
	case before.leavesOpen() && t.kind != str && beginsNothing[t.text] && !joined[before.text+t.text]:
		return afterSign(before, t)
	case t.is("="):
		return g.assigned()
	case before.opens():
		return unless(g.open[len(g.open)-1].mayBegin(t), invalid)
	case t.is(":") && !g.mayHaveColon(), before.is(",") && t.kind != str && !t.is("=") && afterOpen[t.text], before.is("for") && t.is("in"):
		return invalid
	case before.endsOperand() && t.beginsOperand():
		return g.apart(t)
	}
	return ""
}

// begins reports whether a statement or a value begins with the next token, outside of brackets.
func (g *grammar) begins() bool { return len(g.open) == 0 && (g.before.is(":") || g.before.is(";")) }

// statement is the message for a statement where none begins.
func (g *grammar) statement() string {
	if g.header() && len(g.open) == 0 && g.before.endsOperand() {
		return noColon
	}
	return invalid
}

// end says why a line cannot end where it does; "" where it may.
func (g *grammar) end() string {
	open := g.before.leavesOpen() || g.before.kind == name && endsNothing[g.before.text] || g.tokens > 1 && g.before.is("else") ||
		(g.before.is("*") || g.before.is("/")) && !g.earlier.is("import")
	switch {
	case g.tokens == 0: // an f-string that is cut off
		return ""
	case open && (g.header() && !g.asks() || g.before.is("import")):
		return unfinished
	case open, g.before.is(":") && !g.block() && !g.first.is("match") && !g.first.is("case"):
		return invalid
	case g.block() && !g.colon:
		return noColon
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

// afterSign is the message for a sign that nothing follows. Releases differ about what is missing where it would be a value.
func afterSign(before, t token) string {
	if before.is("=") && !t.is("=") || before.is("->") || t.is(":") || t.is("=") {
		return notAfter
	}
	return invalid
}

// assigned is the message for a sign of assignment in a condition.
func (g *grammar) assigned() string {
	switch {
	case !g.asks() || g.ended || len(g.open) > 0:
		return ""
	case g.tokens == 2 && g.before.isName():
		return "invalid syntax. Maybe you meant '==' or ':=' instead of '='?"
	}
	return noCondition
}

// apart is the message for two values side by side. A line may begin with a word such as match, which is a name elsewhere.
func (g *grammar) apart(t token) string {
	before := g.before
	switch {
	case before.kind == str && t.kind == str, g.first.is("match") || g.first.is("case") || before.is("type"):
		return ""
	case len(g.open) > 0:
		if g.parameters() {
			return notHere
		}
		return g.open[len(g.open)-1].apart(before, t)
	case before.kind == number || before.is("print") || before.is("exec"):
		return notAfter
	case t.kind == number:
		return notHere
	}
	return invalid
}

// apart is the message for two values side by side in a bracket. Python tells of the second one where it misses no comma.
func (o opened) apart(before, t token) string {
	if o.imports || o.loop || soft[o.value.text] || o.length == 1 && before.kind == name && t.kind == str {
		return notHere
	}
	return noComma
}

// mayHold reports whether a token can be in a bracket.
func (o opened) mayHold(t token) bool {
	if o.imports {
		return t.isName() || t.is("as") || t.is(",") || t.is(")")
	}
	return t.kind == str || !changes[t.text]
}

// mayBegin reports whether a token can be the first one in a bracket.
func (o opened) mayBegin(t token) bool {
	if t.is(":") {
		return o.bracket == "[" && o.indexes
	}
	return t.kind == str || !afterOpen[t.text]
}

// parameters reports whether the brackets of a function's parameters are open, and no other.
func (g *grammar) parameters() bool {
	return len(g.open) == 1 && !g.arrow && (g.first.is("def") || g.first.is("async"))
}

// mayHaveColon reports whether a colon can come next. In a round bracket it is that of a parameter or of a lambda.
func (g *grammar) mayHaveColon() bool {
	if len(g.open) == 0 {
		return !g.before.is(":")
	}
	innermost := g.open[len(g.open)-1]
	switch {
	case innermost.lambda:
		return true
	case innermost.bracket == "(":
		return g.parameters() && g.before.isName()
	}
	return innermost.bracket == "[" || !g.before.is(",")
}

func (t token) opens() bool { return t.is("(") || t.is("[") || t.is("{") }

func (t token) closes() bool { return t.is(")") || t.is("]") || t.is("}") }

func (t token) isName() bool { return t.kind == name && !keywords[t.text] }

// endsOperand reports whether a value may end with the token.
func (t token) endsOperand() bool {
	switch t.kind {
	case name:
		return t.isName() && t.text != ""
	case operator:
		return t.closes()
	}
	return true
}

// beginsOperand reports whether only a value may begin with the token, and no index or call.
func (t token) beginsOperand() bool {
	return t.kind == str || t.kind == number || t.isName() || t.is("{") || t.is("~")
}

// leavesOpen reports whether something has to follow the token.
func (t token) leavesOpen() bool { return t.kind != str && wantsMore[t.text] }
