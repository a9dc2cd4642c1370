package app

import (
	"errors"
	"fmt"

	"blotter/internal/policy"
)

// policies are those of this node, by name. The default policy is one of them only where
// the operator names none: who set up a stricter one must not be got round.
type policies struct {
	own    policy.Policy
	byName map[string]policy.Policy
}

// readPolicies reads policy files; the first is the node's own. The error joins every
// problem of every file.
func readPolicies(paths []string) (policies, error) {
	p := policies{own: policy.Default(), byName: map[string]policy.Policy{}}
	if len(paths) == 0 {
		p.byName[p.own.Name] = p.own
	}
	var problems []error
	for i, path := range paths {
		read, err := readPolicy(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if i == 0 {
			p.own = read
		}
		if _, taken := p.byName[read.Name]; taken {
			problems = append(problems, fmt.Errorf("serve.policies: %s: another file has the name %q too", path, read.Name))
		}
		p.byName[read.Name] = read
	}
	return p, errors.Join(problems...)
}

// maxPolicyBytes is far above any honest policy.
const maxPolicyBytes = 1 << 20

func readPolicy(path string) (policy.Policy, error) {
	body, err := readBounded(path, maxPolicyBytes)
	if err != nil {
		return policy.Policy{}, fmt.Errorf("serve.policies: %s cannot be read, or is over %d bytes: %w", path, maxPolicyBytes, err)
	}
	read, err := policy.Parse(body)
	if err != nil {
		return policy.Policy{}, fmt.Errorf("serve.policies: %s: %w", path, err)
	}
	return read, nil
}

// Policy implements intake.Policies.
func (p policies) Policy(name string) (policy.Policy, bool) {
	if name == "" {
		return p.own, true
	}
	found, ok := p.byName[name]
	return found, ok
}
