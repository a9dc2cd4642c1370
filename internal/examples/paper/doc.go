// Package paper draws documents whose every word is known: sheets of marked-up text,
// bent and dirtied as scanners, cameras and telephone lines do it, written as TIFF or
// PDF. internal/examples and internal/specimen make their documents with it.
//
// Guarantees: the same pixels each time on one architecture (all chance comes from the
// caller's seed), and a truth that follows every bend: each printed word, its ink's quad
// and what ought to become of it.
//
// Non-goals: shaping of complex scripts, hinting, speed.
package paper
