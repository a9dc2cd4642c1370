package simulate

import (
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// Importer is the tenant with the large backlog.
const Importer document.Tenant = "importer"

// Starvation is a service of six slots, two of them for interactive jobs alone. Twelve
// clinics send an interactive request every five minutes or so, and six practices a document
// in the bulk lane every ten. A tenant's import of so many documents waits already.
func Starvation(backlog int, arrivals time.Duration) Scenario {
	s := Scenario{Slots: 4, Reserved: 2, Arrivals: arrivals, Seed: 1}
	s.Loads = append(s.Loads, Load{Tenant: Importer, Lane: document.Bulk, Backlog: backlog})
	for i := range 12 {
		s.Loads = append(s.Loads, Load{Tenant: document.Tenant(fmt.Sprintf("clinic-%d", i)), Lane: document.Interactive, Every: 5 * time.Minute})
	}
	for i := range 6 {
		s.Loads = append(s.Loads, Load{Tenant: document.Tenant(fmt.Sprintf("practice-%d", i)), Lane: document.Bulk, Every: 10 * time.Minute})
	}
	return s
}

// Shares is a service of four slots where four tenants have more waiting than it can do.
// Their jobs differ in length, and their weights are those of ShareSettings.
func Shares(backlog int, length time.Duration) Scenario {
	return Scenario{
		Slots: 4, Arrivals: length, Seed: 1,
		Loads: []Load{
			{Tenant: "long-jobs", Lane: document.Bulk, Backlog: backlog, Stretch: 5},
			{Tenant: "short-jobs", Lane: document.Bulk, Backlog: backlog, Stretch: 0.2},
			{Tenant: "weight-2", Lane: document.Bulk, Backlog: backlog},
			{Tenant: "weight-4", Lane: document.Bulk, Backlog: backlog},
		},
	}
}

// ShareSettings are the weights that Shares is about.
func ShareSettings() queue.Settings {
	return queue.Settings{Weights: map[document.Tenant]int{"weight-2": 2, "weight-4": 4}}
}
