package text

import (
	"sort"
	"unicode/utf8"
)

// checkpointEvery is how many bytes lie between two remembered counts; a
// conversion decodes at most that many.
const checkpointEvery = 64

// File is a named text and the one place that converts positions: between byte
// offsets, lines and columns, and the UTF-16 units browsers count in. Every
// byte that is not valid UTF-8 counts as one character.
type File struct {
	name string
	src  []byte
	// str is src again, so that its pieces need no copies.
	str   string
	lines []int // byte offset of each line's first byte
	ascii bool
	// marks[i] counts what lies before the first character that starts at or
	// after byte i*checkpointEvery; nil for ASCII files.
	marks []mark
}

type mark struct {
	off, runes, units int
}

// NewFile indexes src, which must not change afterwards.
func NewFile(name string, src []byte) *File {
	f := &File{name: name, src: src, str: string(src), lines: []int{0}, ascii: true}
	for i, b := range src {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
		if b >= utf8.RuneSelf {
			f.ascii = false
		}
	}
	if !f.ascii {
		f.markCharacters()
	}
	return f
}

// Name is the name the file was given.
func (f *File) Name() string { return f.name }

// Text is the file's content; not to be changed.
func (f *File) Text() []byte { return f.src }

// Len is the size in bytes.
func (f *File) Len() int { return len(f.src) }

// Slice returns the bytes of a span, cut to the file.
func (f *File) Slice(s Span) string {
	start, end := f.clamp(s.Start), f.clamp(s.End)
	if end <= start {
		return ""
	}
	return f.str[start:end]
}

// Lines is the number of lines; a text that ends in a line feed has an empty
// last line.
func (f *File) Lines() int { return len(f.lines) }

// LineSpan covers a 1-based line without its line end.
func (f *File) LineSpan(line int) Span {
	line = max(1, min(line, len(f.lines)))
	start, end := f.lines[line-1], len(f.src)
	if line < len(f.lines) {
		end = f.lines[line] - 1
	}
	if end > start && f.src[end-1] == '\r' {
		end--
	}
	return Span{Start: start, End: end}
}

// Position returns the 1-based line of a byte offset and its 1-based column in
// characters.
func (f *File) Position(off int) (line, col int) {
	off = f.clamp(off)
	line = sort.SearchInts(f.lines, off+1)
	runes, _ := f.count(off)
	before, _ := f.count(f.lines[line-1])
	return line, runes - before + 1
}

// Offset is the reverse of Position; what lies outside the file or the line is
// taken to its nearest end.
func (f *File) Offset(line, col int) int {
	if line < 1 {
		return 0
	}
	if line > len(f.lines) {
		return len(f.src)
	}
	span := f.LineSpan(line)
	before, _ := f.count(span.Start)
	off := f.seek(before+max(col, 1)-1, func(m mark) int { return m.runes })
	return min(off, span.End)
}

// UTF16 converts a byte offset into UTF-16 code units from the start of the
// file. An offset inside a character counts as its start.
func (f *File) UTF16(off int) int {
	_, units := f.count(f.clamp(off))
	return units
}

// FromUTF16 converts UTF-16 code units from the start of the file into a byte
// offset. A position inside a surrogate pair is taken to the pair's start.
func (f *File) FromUTF16(units int) int {
	return f.seek(units, func(m mark) int { return m.units })
}

// UTF16Position gives the place of a byte offset as language servers count: the
// line, and the UTF-16 code units before it on that line, both from 0.
func (f *File) UTF16Position(off int) (line, column int) {
	off = f.clamp(off)
	line = sort.SearchInts(f.lines, off+1) - 1
	return line, f.UTF16(off) - f.UTF16(f.lines[line])
}

// FromUTF16Position is the reverse of UTF16Position; what lies outside the file
// or the line is taken to its nearest end.
func (f *File) FromUTF16Position(line, column int) int {
	if line < 0 {
		return 0
	}
	if line >= len(f.lines) {
		return len(f.src)
	}
	span := f.LineSpan(line + 1)
	return min(f.FromUTF16(f.UTF16(span.Start)+max(column, 0)), span.End)
}

func (f *File) clamp(off int) int { return max(0, min(off, len(f.src))) }

func (f *File) markCharacters() {
	f.marks = make([]mark, 0, len(f.src)/checkpointEvery+1)
	var at mark
	for at.off < len(f.src) {
		if at.off >= len(f.marks)*checkpointEvery {
			f.marks = append(f.marks, at)
		}
		at = f.next(at)
	}
}

// next steps over one character.
func (f *File) next(at mark) mark {
	r, size := utf8.DecodeRune(f.src[at.off:])
	at.off += size
	at.runes++
	at.units++
	if r > 0xFFFF {
		at.units++
	}
	return at
}

// count returns the characters and UTF-16 units before a byte offset.
func (f *File) count(off int) (runes, units int) {
	if f.ascii {
		return off, off
	}
	i := min(off/checkpointEvery, len(f.marks)-1)
	at := f.marks[i]
	if at.off > off { // off lies inside the character before the mark
		at = f.marks[i-1]
	}
	for at.off < off {
		following := f.next(at)
		if following.off > off {
			break
		}
		at = following
	}
	return at.runes, at.units
}

// seek finds the last character boundary whose measure does not exceed want.
func (f *File) seek(want int, measure func(mark) int) int {
	if f.ascii || want <= 0 {
		return f.clamp(want)
	}
	i := sort.Search(len(f.marks), func(i int) bool { return measure(f.marks[i]) > want })
	at := f.marks[max(i-1, 0)]
	for at.off < len(f.src) && measure(at) < want {
		following := f.next(at)
		if measure(following) > want {
			break
		}
		at = following
	}
	return at.off
}
