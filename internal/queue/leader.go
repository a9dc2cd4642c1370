package queue

import (
	"context"
	"time"
)

// Roles of which there may be one process at a time.
const (
	RoleSequencer = "sequencer" // numbers and signs events
	RoleJanitor   = "janitor"   // expires leases and what is stored
)

// Roles lists the roles that are filled once for all nodes.
func Roles() []string { return []string{RoleSequencer, RoleJanitor} }

// RoleNode is the role of being the node of a name.
func RoleNode(name string) string { return nodeRole + name }

const nodeRole = "node/"

// Leaders elects who has a role. Clock and errors are those of Store.
//
// A leader that was paused may still believe itself to be one, so leading decides who
// works, never what is right: the sequencer is safe by its record outside the database and
// by the log's size, and what the janitor does are transactions that look for themselves.
type Leaders interface {
	// Lead takes the role for node, or extends it, until d from now. ok is false while
	// another node's has not run out. token grows with each change of leader.
	Lead(ctx context.Context, role, node string, d time.Duration) (token int64, ok bool, err error)

	// Resign gives the role up at once, where the node has it.
	Resign(ctx context.Context, role, node string) error
}
