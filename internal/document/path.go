package document

import (
	"strconv"
	"strings"
)

// MaxDepth is how many numbers a Path holds: documents may lie within each other so
// deep at most, whatever the policy says.
const MaxDepth = 8

// Path says which document within the document something is in: by numbers alone, from
// 1 on, from the outside in. [2 1] is the first document within the second; no number is
// the document as it came in. It tells nothing that a name could tell.
type Path [MaxDepth]uint32

// Depth is how many numbers the path has.
func (p Path) Depth() int {
	for i, n := range p {
		if n == 0 {
			return i
		}
	}
	return MaxDepth
}

// Child is the path of the nth document within p's, n from 1 on. It reports false where
// that lies too deep for any path.
func (p Path) Child(n int) (Path, bool) {
	d := p.Depth()
	if d == MaxDepth || n < 1 || int64(n) > 1<<32-1 {
		return p, false
	}
	p[d] = uint32(n)
	return p, true
}

// Valid reports whether nothing follows a missing number, and no number is over most.
func (p Path) Valid(most int) bool {
	d := p.Depth()
	for i, n := range p {
		if i >= d && n != 0 || int64(n) > int64(most) {
			return false
		}
	}
	return true
}

// Numbers lists the path as results and events hold it; nil for the document itself.
func (p Path) Numbers() []int64 {
	var out []int64
	for _, n := range p[:p.Depth()] {
		out = append(out, int64(n))
	}
	return out
}

// String joins the numbers with dots; it is empty for the document itself.
func (p Path) String() string {
	var b strings.Builder
	for i, n := range p.Numbers() {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
	return b.String()
}
