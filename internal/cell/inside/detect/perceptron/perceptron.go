// Package perceptron classifies the tokens of a text, one after the other, by an averaged
// perceptron: weights for features, a feature being a number that its maker hashed. What
// the two tokens before were taken for is a feature too.
//
// It knows nothing of text. The same training gives the same weights; a Model never changes
// and may be used by any number of goroutines. Not its business: which features there are.
package perceptron

import (
	"encoding/binary"
	"math"
)

// Classes is how many classes there are room for. Class 0 is "nothing".
const Classes = 8

// buckets is how many weights there are for each class: features share them by their
// lowest bits. A million of weights is 2 MB in memory.
const buckets = 1 << 18

// start stands for the class of the token before where there is none.
const start = Classes

// Token is one token as the classifier sees it.
type Token struct {
	Features []uint32
	Key      uint32 // what goes with the classes before to make features of both
	Follows  bool   // the token before belongs to the same text
}

// Guess is what a token is taken for, and how sure that is: the difference between the
// class's score and that of class 0, in training steps; for class 0 the difference to the
// best of the others.
type Guess struct {
	Class  uint8
	Margin float64
}

// Model holds weights. Model{} knows nothing: everything is class 0.
type Model struct {
	weights []byte // by bucket, then class; each 128 more than the weight
}

// bias is what a stored weight has more than it weighs, so that sums need no sign.
const bias = 128

// Tag classifies tokens in order.
func (m *Model) Tag(tokens []Token) []Guess {
	out := make([]Guess, len(tokens))
	if len(m.weights) == 0 {
		return out
	}
	before, before2 := uint8(start), uint8(start)
	for i := range tokens {
		if !tokens[i].Follows {
			before, before2 = start, start
		}
		more := sequel(tokens[i].Key, before, before2)
		out[i] = m.guess(tokens[i].Features, more[:])
		before, before2 = out[i].Class, before
	}
	return out
}

// mostFeatures is how many features the sums have room for: 65535 / 255. What one token
// has beyond is left out.
const mostFeatures = 256

// guess sums the weights of all features, eight classes at a time: the bytes of a bucket
// are added as two words of four lanes of 16 bits, the even classes and the odd.
func (m *Model) guess(lists ...[]uint32) Guess {
	const lanes = 0x00ff00ff00ff00ff
	var even, odd uint64
	n := int32(0)
	for _, features := range lists {
		for _, f := range features[:min(len(features), mostFeatures-int(n))] {
			w := binary.LittleEndian.Uint64(m.weights[f%buckets*Classes:])
			even += w & lanes
			odd += w >> 8 & lanes
			n++
		}
	}
	var sums [Classes]int32
	for c := 0; c < Classes; c += 2 {
		sums[c] = int32(even>>(8*c)&0xffff) - bias*n
		sums[c+1] = int32(odd>>(8*c)&0xffff) - bias*n
	}
	return best(sums)
}

func best(sums [Classes]int32) Guess {
	best, other := 0, 1
	for c := 1; c < Classes; c++ {
		if sums[c] > sums[best] {
			best = c
		}
		if sums[c] > sums[other] {
			other = c
		}
	}
	return Guess{uint8(best), float64(sums[other]-sums[0]) * scale}
}

// sequel are the features that the classes before give.
func sequel(key uint32, before, before2 uint8) [3]uint32 {
	return [3]uint32{
		Mix(1, uint32(before)), Mix(2, uint32(before)<<8|uint32(before2)), Mix(3, Mix(uint32(before), key)),
	}
}

// Mix hashes two numbers into one.
func Mix(a, b uint32) uint32 {
	h := (a ^ 0x9e3779b9) * 0x85ebca6b
	h ^= h>>13 ^ b
	h *= 0xc2b2ae35
	h ^= h >> 16
	h *= 0x27d4eb2f
	return h ^ h>>15
}

// Trainer learns weights.
type Trainer struct {
	weights []int32 // as a Model's, in training steps
	totals  []int64 // sums over time, brought up to date when a weight changes
	changed []int32 // when that was last
	now     int32
}

// NewTrainer begins with nothing.
func NewTrainer() *Trainer {
	n := buckets * Classes
	return &Trainer{weights: make([]int32, n), totals: make([]int64, n), changed: make([]int32, n)}
}

// Learn goes through one text and returns how many tokens it took for something else than
// wanted, before it learned of it. What stands before a token is always taken for what it
// is: learning from one's own slips did not settle.
func (t *Trainer) Learn(tokens []Token, want []uint8) int {
	wrong := 0
	before, before2 := uint8(start), uint8(start)
	for i := range tokens {
		if !tokens[i].Follows {
			before, before2 = start, start
		}
		more := sequel(tokens[i].Key, before, before2)
		got := t.best(tokens[i].Features, more[:])
		t.now++
		if got != want[i] {
			wrong++
			for _, features := range [][]uint32{tokens[i].Features, more[:]} {
				for _, f := range features {
					t.change(f, want[i], 1)
					t.change(f, got, -1)
				}
			}
		}
		before, before2 = want[i], before
	}
	return wrong
}

func (t *Trainer) best(lists ...[]uint32) uint8 {
	var sums [Classes]int32
	for _, features := range lists {
		for _, f := range features {
			at := int(f%buckets) * Classes
			for c, w := range t.weights[at : at+Classes] {
				sums[c] += w
			}
		}
	}
	best := 0
	for c := range sums {
		if sums[c] > sums[best] {
			best = c
		}
	}
	return uint8(best)
}

func (t *Trainer) change(feature uint32, class uint8, by int32) {
	at := int(feature%buckets)*Classes + int(class)
	t.totals[at] += int64(t.weights[at]) * int64(t.now-t.changed[at])
	t.weights[at] += by
	t.changed[at] = t.now
}

// heaviest is the weight, in training steps, from which a Model's are cut off: one feature
// alone must not decide.
const heaviest = 8

// scale is what one unit of a Model's weight is, in training steps.
const scale = float64(heaviest) / (bias - 1)

// Model averages the weights over the time of training and rounds them to bytes.
func (t *Trainer) Model() *Model {
	m := &Model{weights: make([]byte, len(t.weights))}
	for at, w := range t.weights {
		total := t.totals[at] + int64(w)*int64(t.now-t.changed[at])
		mean := float64(total) / float64(max(t.now, 1))
		m.weights[at] = byte(bias + math.Round(max(-heaviest, min(heaviest, mean))/scale))
	}
	return m
}
