package durable

// Around runs do between the two phases, before and after, of the point of that name:
// instants at which the crash test may kill the process. After a failure the second
// phase is not passed. In ordinary builds it only runs do. In builds with the tag
// crashpoints the variable
//
//	BLOTTER_CRASH=name:n[:before|after]
//
// makes the process kill itself (SIGKILL, so that nothing is cleaned up) at the n-th
// matching passing, counted from 1. The name * matches every point; without a phase
// both phases match.
func Around(name string, do func() error) error {
	pass(name, before)
	if err := do(); err != nil {
		return err
	}
	pass(name, after)
	return nil
}

// The phases of a point.
const (
	before = "before"
	after  = "after"
)
