//go:build !race

package receipt_test

// stride is how many bytes the exhaustive tests go on at a time.
const stride = 1
