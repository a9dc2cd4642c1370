package ops

import (
	"slices"
	"strings"
	"sync"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// others is the label under which the tenants without series of their own are summed. It
// is no tenant's name: a name has no parentheses.
const others = "(other)"

// roster gives series of their own to the first tenants that it meets, so that counters
// never change their name, and sums the later ones.
type roster struct {
	most  int
	mu    sync.Mutex
	known map[document.Tenant]bool
}

func newRoster(most int) *roster { return &roster{most: most, known: make(map[document.Tenant]bool)} }

func (r *roster) label(t document.Tenant) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known[t] {
		if len(r.known) == r.most || !isTenant(t) {
			return others
		}
		r.known[t] = true
	}
	return string(t)
}

func isTenant(t document.Tenant) bool {
	_, err := document.ParseTenant(string(t))
	return err == nil
}

// load is how much a tenant has waiting, in all lanes.
func load(d queue.Depth) int { return d.Ready + d.Later + d.Leased }

// deepest returns the tenants with the most waiting, n at most; among equals the first by
// name.
func deepest(depths []queue.Depth, n int) map[document.Tenant]bool {
	sums := make(map[document.Tenant]int)
	var names []document.Tenant
	for _, d := range depths {
		if _, seen := sums[d.Tenant]; !seen && isTenant(d.Tenant) {
			names = append(names, d.Tenant)
		}
		sums[d.Tenant] += load(d)
	}
	slices.SortFunc(names, func(a, b document.Tenant) int {
		if sums[a] != sums[b] {
			return sums[b] - sums[a]
		}
		return strings.Compare(string(a), string(b))
	})
	kept := make(map[document.Tenant]bool, n)
	for _, t := range names[:min(n, len(names))] {
		kept[t] = true
	}
	return kept
}
