//go:build race

package receipt_test

// stride is how many bytes the exhaustive tests go on at a time: the race detector makes
// each step some ten times slower, and there is one goroutine only.
const stride = 31
