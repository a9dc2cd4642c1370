package config

import (
	"fmt"
	"strconv"
	"strings"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// checkWeight refuses what parseWeight cannot read.
func checkWeight(text string) error {
	_, _, err := parseWeight(text)
	return err
}

// parseWeight reads tenant=weight.
func parseWeight(text string) (document.Tenant, int, error) {
	name, number, ok := strings.Cut(text, "=")
	tenant, err := document.ParseTenant(name)
	if !ok || err != nil {
		return "", 0, fmt.Errorf("has %q, which is not tenant=weight", text)
	}
	weight, err := strconv.Atoi(number)
	if err != nil || weight < 1 || weight > queue.MaxWeight || strconv.Itoa(weight) != number {
		return "", 0, fmt.Errorf("has %q, whose weight is no whole number from 1 to %d", text, queue.MaxWeight)
	}
	return tenant, weight, nil
}

// joinWeights makes the list a map; a tenant that stands there twice is a problem.
func (d *draft) joinWeights() error {
	d.Weights = nil
	for _, text := range d.weights {
		tenant, weight, err := parseWeight(text)
		if err != nil {
			return err // the list was checked when it was read
		}
		if _, twice := d.Weights[tenant]; twice {
			return fmt.Errorf("queue.weights has %s twice", tenant)
		}
		if d.Weights == nil {
			d.Weights = map[document.Tenant]int{}
		}
		d.Weights[tenant] = weight
	}
	return nil
}
