// Package hostile makes files that attack whoever opens them, and gives them to cells:
// bombs, lies about sizes, loops, overlaps, files that are two things at once, and files
// that end too early. It is for tests and measuring; nothing that serves links it.
//
// Files are made one at a time, when they are asked for, from fixed seeds: two runs
// attack with the same bytes.
package hostile

import (
	"fmt"
	"iter"

	"blotter/internal/document"
)

// File is one hostile file, not made yet.
type File struct {
	Kind string // what it tries, as the report groups it
	Name string // which of its kind
	Make func() []byte
}

// step is after how many bytes each example is cut off.
const step = 64

// mutants is how many damaged copies of each example are made.
const mutants = 4

// Crafted lists the files that were made for one attack each.
func Crafted() []File {
	var out []File
	for _, group := range []struct {
		kind  string
		files []made
	}{
		{"archive bomb", archiveBombs()}, {"stream bomb", streamBombs()}, {"frame bomb", frameBombs()}, {"markup bomb", markupBombs()}, {"message bomb", messageBombs()},
		{"nesting", nestings()}, {"lying size", lies()}, {"loop", loops()}, {"overlap", overlaps()},
		{"drawing", drawings()}, {"polyglot", polyglots()}, {"lying type", disguises()},
	} {
		for _, m := range group.files {
			out = append(out, File{group.kind, m.name, m.bytes})
		}
	}
	return out
}

// Damaged yields every example cut off after each 64 bytes, and copies with a few bytes
// changed.
func Damaged() iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, f := range document.Opened() {
			whole := Example(f)
			for n := step; n < len(whole); n += step {
				if !yield(File{"cut off", fmt.Sprintf("%v after %d bytes", f, n), func() []byte { return whole[:n] }}) {
					return
				}
			}
			for i := range mutants {
				if !yield(File{"changed", fmt.Sprintf("%v, copy %d", f, i), func() []byte { return mutate(whole, int(f)*mutants+i) }}) {
					return
				}
			}
		}
	}
}

// All yields every hostile file.
func All() iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, f := range Crafted() {
			if !yield(f) {
				return
			}
		}
		Damaged()(yield)
	}
}

// Sample yields every fourth of the crafted files and, of each format, one that was cut
// off: few enough for every run of the tests.
func Sample() iter.Seq[File] {
	return func(yield func(File) bool) {
		for i, f := range Crafted() {
			if i%4 == 0 && !yield(f) {
				return
			}
		}
		for i, f := range document.Opened() {
			whole := Example(f)
			n := step * (1 + i%max(1, (len(whole)-1)/step))
			if !yield(File{"cut off", fmt.Sprintf("%v after %d bytes", f, n), func() []byte { return whole[:min(n, len(whole))] }}) {
				return
			}
		}
	}
}

// made is a file of a group.
type made struct {
	name  string
	bytes func() []byte
}
