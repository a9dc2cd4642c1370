package queue

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"blotter/internal/document"
)

// Settings are what an operator decides about sharing. Every process that opens a store
// must have the same: each charges by its own.
type Settings struct {
	// Weights are the shares of tenants: one of weight 3 gets three times the processing
	// time of one of weight 1 while both have work waiting. Absent: 1. 1 to MaxWeight.
	Weights map[document.Tenant]int

	// Endpoints names the webhook endpoints that are told of a tenant's ended jobs; nil: none.
	Endpoints func(document.Tenant) []string
}

// MaxWeight bounds a weight, so that a charge of a millisecond is a unit at least.
const MaxWeight = 1000

// Weight is the share of a tenant against others' 1.
func (s Settings) Weight(t document.Tenant) int {
	if w, ok := s.Weights[t]; ok {
		return w
	}
	return 1
}

// Validate reports every weight that is out of range.
func (s Settings) Validate() error {
	var problems []error
	for _, t := range slices.Sorted(maps.Keys(s.Weights)) {
		if w := s.Weights[t]; w < 1 || w > MaxWeight {
			problems = append(problems, fmt.Errorf("the weight of %s is %d, not 1 to %d", t, w, MaxWeight))
		}
	}
	return errors.Join(problems...)
}

// FirstMean is how many milliseconds a job of a tenant is taken to last before one ended.
// A page takes about as long.
const FirstMean = 1000

// NextMean is the mean after a job that took used milliseconds: an eighth of the way
// towards it, so that some ten jobs make it new.
func NextMean(mean, used int64) int64 { return mean + (used-mean)/8 }

// Charge is what so many milliseconds of processing add to a tenant's virtual time. What
// is charged when a job's time becomes known better is the difference of two such charges,
// so that nothing is lost in rounding.
func (s Settings) Charge(t document.Tenant, ms int64) int64 { return ms * 1000 / int64(s.Weight(t)) }
