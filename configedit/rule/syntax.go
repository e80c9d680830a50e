package rule

import (
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

var syntax = &Subject{Title: "The text of a config"}

// Sentences of Triton's parser. Triton logs them with line and column. A request to load gets only the answer that the
// file could not be read.
const (
	at             = "%d:%d: "
	noIdentifier   = at + "Expected identifier, got: %s"
	noComma        = at + "Expected \",\", found \"%s\"."
	noBrace        = at + "Expected \"{\", found \"%s\"."
	noColon        = at + "Expected \":\", found \"%s\"."
	noInteger      = at + "Expected integer, got: %s"
	noNumberOrName = at + "Expected integer or identifier, got: %s"
	noString       = at + "Expected string, got: %s"
	noField        = at + "Message type \"inference.%s\" has no field named \"%s\"."
	noEnd          = at + "Unexpected end of string."
)

// The rules about the form of the text. The parser finds the mistakes; see configedit/text.
var (
	TxtControl = syntax.rule(Rule{
		ID: text.CodeControl, Stage: Text,
		Triton: at + "Invalid control characters encountered in text.", Also: []string{noEnd},
		Title: "a control character",
		Means: "The text holds a character that no editor shows, such as a zero byte. Tabs and line ends are allowed.",
		Why:   "Such characters are nearly always the sign of another encoding.",
		Fix:   "Remove the character. Often the file is in UTF-16: save it in UTF-8.",
	})
	TxtASCII = syntax.rule(Rule{
		ID: text.CodeASCII, Stage: Text,
		Triton: at + "Interpreting non ascii codepoint %d.",
		Title:  "a character outside ASCII",
		Means: "Outside strings and comments a config has ASCII characters only. Typographic quotes and " +
			"non-breaking blanks come from word processors and web pages.",
		Why: "protobuf's text format has names and values of ASCII only, outside of strings.",
		Fix: "Write a plain quote or blank, or put the text into quotes.",
	})
	TxtBOM = syntax.rule(Rule{
		ID: text.CodeBOM, Stage: Text,
		Triton: at + "Interpreting non ascii codepoint %d.",
		Title:  "a byte order mark",
		Means: "The file begins with three bytes that some editors write to mark UTF-8. Triton's parser does " +
			"not know them.",
		Why: "The mark is three bytes outside ASCII, which cannot be part of a name.",
		Fix: "Save the file without a byte order mark.",
	})
	TxtComment = syntax.rule(Rule{
		ID: text.CodeForeign, Stage: Text,
		Triton: noIdentifier,
		Title:  "a comment in the style of another language",
		Means:  "Comments begin with # and end with the line. // and /* are not known.",
		Why:    "protobuf's text format knows no other comments.",
		Fix:    "Write # in front of each line of the comment.",
	})
	TxtStringEnd = syntax.rule(Rule{
		ID: text.CodeUnended, Stage: Text,
		Triton: at + "String literals cannot cross line boundaries.",
		Title:  "a string without its closing quote",
		Means: "A string ends with the quote that it began with, on the same line. Strings that follow each " +
			"other are joined, so a long one can be written in several pieces.",
		Why: "protobuf's text format has no strings of several lines.",
		Fix: "Add the quote.",
	})
	TxtEscape = syntax.rule(Rule{
		ID: text.CodeEscape, Stage: Text,
		Triton: at + "Invalid escape sequence in string literal.",
		Also: []string{
			at + "Expected hex digits for escape sequence.", at + "Expected four hex digits for \\u escape sequence.",
			at + "Expected eight hex digits up to 10ffff for \\U escape sequence",
		},
		Title: "an escape that does not exist",
		Means: "In a string a backslash begins an escape, as in C: \\n, \\t, \\\\, \\\", \\x41, \\u00e9. The characters " +
			"after this backslash are not an escape.",
		Why: "protobuf's text format has the escapes of C and no others.",
		Fix: "Write \\\\ for a backslash.",
	})
	TxtNumber = syntax.rule(Rule{
		ID: text.CodeNumber, Stage: Text,
		Triton: at + "Numbers starting with leading zero must be in octal.",
		Also: []string{
			at + "\"0x\" must be followed by hex digits.", at + "\"e\" must be followed by exponent.",
			at + "Hex and octal numbers must be integers.", at + "Already saw decimal point or exponent; can't have another one.",
		},
		Title: "a number in an unknown form",
		Means: "Numbers are decimal, hexadecimal with 0x, or octal with a leading 0. A number must end before " +
			"the next word begins.",
		Why: "protobuf's text format writes numbers as C does.",
		Fix: "Correct the number, or put a blank after it.",
	})
	TxtSpace = syntax.rule(Rule{
		ID: text.CodeSpace, Stage: Text,
		Triton: at + "Need space between number and identifier.",
		Also:   []string{at + "Need space between identifier and decimal point."},
		Title:  "a blank is missing after a number",
		Means:  "There is no blank between a number and the word after it.",
		Why:    "Without a blank it is not clear where the number ends.",
		Fix:    "Put a blank or a line break between them.",
	})
	TxtName = syntax.rule(Rule{
		ID: text.CodeName, Stage: Text,
		Triton: noIdentifier,
		Title:  "something else where a field name belongs",
		Means:  "A config is a list of fields: a name without quotes, then a value. Here the parser expects a name.",
		Why:    "A message of protobuf is nothing but fields, and each begins with its name.",
		Fix:    "Write the name of a field, or remove what is there instead.",
	})
	TxtColon = syntax.rule(Rule{
		ID: text.CodeColon, Stage: Text,
		Triton: noColon,
		Title:  "the colon is missing",
		Means: "A colon separates a name from its value when the value is a number, a word, a string or a list of " +
			"these. The colon may be left out only before { and before a list of messages.",
		Why: "The colon tells a value from a message, which may follow its name directly.",
		Fix: "Put a colon after the name.",
	})
	TxtValue = syntax.rule(Rule{
		ID: text.CodeValue, Stage: Text,
		Triton: noInteger, Also: []string{noString, noBrace, noNumberOrName},
		Title: "a value is missing, or cannot be one",
		Means: "After a name comes its value: a number, a word, a string, a list in brackets or a message in braces.",
		Why:   "A field without a value must be left out.",
		Fix:   "Add or correct the value, or remove the field.",
	})
	TxtComma = syntax.rule(Rule{
		ID: text.CodeComma, Stage: Text,
		Triton: noComma,
		Title:  "the elements of a list are not separated by a comma",
		Means:  "The elements of a list in brackets are separated by commas, even when each has its own line.",
		Why:    "Two values without a comma could also be one that was broken in two.",
		Fix:    "Put a comma between them.",
	})
	TxtList = syntax.rule(Rule{
		ID: text.CodeBareList, Stage: Text,
		Triton: noIdentifier,
		Title:  "values of a list without its brackets",
		Means: "Several values of one field are written in brackets, with commas between them. Without brackets a " +
			"field takes one value.",
		Why: "After the first value the parser expects the name of the next field.",
		Fix: "Put the values in brackets.",
	})
	TxtTrailingComma = syntax.rule(Rule{
		ID: text.CodeExtraComma, Stage: Text,
		Triton: noInteger, Also: []string{noBrace},
		Title: "a comma with nothing after it",
		Means: "There is no comma after the last element of a list.",
		Why:   "After a comma the parser expects another value.",
		Fix:   "Remove the comma.",
	})
	TxtSeparator = syntax.rule(Rule{
		ID: text.CodeSeparator, Stage: Text,
		Triton: noIdentifier,
		Title:  "a comma or semicolon too many",
		Means: "At most one comma or semicolon may follow a field. Here there are more, or there is one without a " +
			"field before it.",
		Why: "The parser takes one mark for the end of a field, and then expects the next name.",
		Fix: "Remove it.",
	})
	TxtUnclosed = syntax.rule(Rule{
		ID: text.CodeUnclosed, Stage: Text,
		Triton: noField,
		Title:  "a brace or bracket that is never closed",
		Means:  "Each {, [ or < needs its closing partner. The message points at the opening one that has no partner.",
		Why:    "Without the partner the parser takes what follows for a part of the message or list.",
		Fix:    "Add the closing one.",
	})
	TxtUnopened = syntax.rule(Rule{
		ID: text.CodeUnopened, Stage: Text,
		Triton: noIdentifier,
		Title:  "a closing brace or bracket that closes nothing",
		Means: "No brace or bracket is open here. Either this one is too many, or an opening one is missing " +
			"before it.",
		Why: "The parser cannot close a message or list that is not open.",
		Fix: "Remove it, or add the opening one.",
	})
	TxtMismatch = syntax.rule(Rule{
		ID: text.CodeMismatch, Stage: Text,
		Triton: noComma,
		Title:  "a brace or bracket that is closed by the wrong kind",
		Means:  "A list ends with ], a message with }, and one that begins with < ends with >.",
		Why:    "Braces hold fields and brackets hold values, so each kind has its own closing partner.",
		Fix:    "Write the right one.",
	})
	TxtDepth = syntax.rule(Rule{
		ID: text.CodeDepth, Stage: Text,
		Title: "nested too deep, or too many words",
		Means: "No config has so many messages inside each other, or so many words and symbols. Conch reads up to " +
			"500,000, so that such a file cannot take all memory. Triton refuses unknown fields long before.",
		Why: "A file that takes all memory to read would be an attack.",
		Fix: "Look for braces that are opened again and again, and for values that belong in a file of their own.",
	})
	TxtJSON = syntax.rule(Rule{
		ID: text.CodeJSON, Stage: Text,
		Triton: noIdentifier,
		Title:  "the file is JSON",
		Means: "Triton answers with configs in JSON, and takes JSON in a request to load. In the file it takes " +
			"protobuf's text format only.",
		Why: "The file is read by protobuf's parser of text, the body of a request by its parser of JSON.",
		Fix: "Write the fields as name: value, without quotes around names and without outer braces.",
	})
	TxtMany = syntax.rule(Rule{
		ID: text.CodeTooMany, Stage: Text,
		Title: "more mistakes than are listed",
		Means: "The file has more than a hundred mistakes. Triton stops at the first one anyway.",
		Why:   "A longer list would not help.",
		Fix:   "Check that the file is a config at all.",
	})
)

// The rules about fields and values that the schema does not have. See configedit/modelconfig.
var (
	TxtUnknownField = syntax.rule(Rule{
		ID: modelconfig.CodeUnknownField, Stage: Text,
		Triton: noField,
		Title:  "a field that does not exist",
		Means: "The message has no field of this name. Names are written in small letters with underscores. A " +
			"field may also belong to another message, or to a newer Triton.",
		Why: "If Triton ignored a misspelt name, the setting would silently do nothing.",
		Fix: "Correct the name, or move the field to where it belongs.",
	})
	TxtExtension = syntax.rule(Rule{
		ID: modelconfig.CodeExtension, Stage: Text,
		Triton: at + "Extension \"%s\" is not defined or is not an extension of \"inference.%s\".",
		Title:  "an extension in brackets",
		Means:  "A name in brackets stands for an extension of the schema. Triton's schema has none.",
		Why:    "Extensions have to be compiled into the program that reads them.",
		Fix:    "Remove the brackets, or the field.",
	})
	TxtRepeated = syntax.rule(Rule{
		ID: modelconfig.CodeRepeated, Stage: Text,
		Triton: at + "Non-repeated field \"%s\" is specified multiple times.",
		Title:  "a field is given twice",
		Means: "This field has one value, and it is given more than once. That holds for messages too: Triton " +
			"does not merge them.",
		Why: "With two values nobody could say which one is meant.",
		Fix: "Keep one of them.",
	})
	TxtOneof = syntax.rule(Rule{
		ID: modelconfig.CodeOneof, Stage: Text,
		Triton: at + "Field \"%s\" is specified along with field \"%s\", another member of oneof \"%s\".",
		Title:  "two fields that exclude each other",
		Means: "Some fields are alternatives, and only one of them may be given. Examples are dynamic_batching, " +
			"sequence_batching and ensemble_scheduling, or the kinds of version_policy.",
		Why: "Each of them says how to do the same thing, and it can be done in one way only.",
		Fix: "Keep one of them.",
	})
	TxtEnum = syntax.rule(Rule{
		ID: modelconfig.CodeEnum, Stage: Text,
		Triton: at + "Unknown enumeration value of \"%s\" for field \"%s\".",
		Title:  "a word that is not a value of the field",
		Means: "The value of this field is one of a few words, in capitals and without quotes, such as " +
			"TYPE_FP32 or KIND_GPU.",
		Why: "The schema lists the words, so that a misspelt one is found before the model runs.",
		Fix: "Write one of the words.",
	})
	TxtType = syntax.rule(Rule{
		ID: modelconfig.CodeType, Stage: Text,
		Triton: noInteger,
		Also: []string{
			noString, noIdentifier, noBrace, noColon, noNumberOrName, at + "Expect a decimal number, got: %s",
			at + "Invalid value for boolean field \"%s\". Value: \"%s\".",
		},
		Title: "a value of the wrong type",
		Means: "The field has another type of value: a whole number, a number, true or false, a word, a string " +
			"in quotes, or a message in braces. true and false are written in small letters.",
		Why: "The schema gives each field one type.",
		Fix: "Write the value in the form that the message names.",
	})
	TxtRange = syntax.rule(Rule{
		ID: modelconfig.CodeRange, Stage: Text,
		Triton: at + "Integer out of range (%s)",
		Title:  "a number that does not fit",
		Means: "The number is beyond what the field can hold: most fields hold 32 bits, dims and versions 64, " +
			"and many cannot be negative.",
		Why: "The fields are numbers of a fixed size in the schema and in the server.",
		Fix: "Write a number that fits.",
	})
	TxtMapKey = syntax.rule(Rule{
		ID: modelconfig.CodeMapKey, Stage: Never, Severity: diag.Warning,
		Title: "a map has one key twice",
		Means: "Maps such as parameters and input_map have one value for each key. Triton takes the last one and " +
			"says nothing.",
		Why: "protobuf reads a map as a list of entries, in which a later one replaces an earlier one.",
		Fix: "Remove one of the entries, or correct its key.",
	})
	TxtUTF8 = syntax.rule(Rule{
		ID: modelconfig.CodeUTF8, Stage: Never, Severity: diag.Warning,
		Title: "a string that is not UTF-8",
		Means: "Triton takes the string, writes a line to its log, and later shows the string as empty.",
		Why:   "protobuf promises text in string fields, and JSON cannot carry other bytes.",
		Fix:   "Save the file in UTF-8.",
	})
	Template = syntax.rule(Rule{
		ID: modelconfig.CodeTemplate, Stage: Text, Severity: diag.Advice,
		Triton: noInteger,
		Title:  "a placeholder that must be filled in",
		Means: "The file is a template: it has something such as ${max_batch_size}, {{ batch }}, TYPE_#DTYPE or " +
			"MAX_BATCH in place of a value. Another tool fills it in. Conch reports only what is wrong no " +
			"matter what is filled in.",
		Why: "Triton reads files as they are. A script must fill templates in first.",
		Fix: "Fill the template in before Triton reads it.",
	})
)
