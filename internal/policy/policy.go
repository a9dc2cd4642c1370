// Package policy holds redaction policies: what a document may cost, what is destroyed,
// and what happens to what could not be read. A policy is versioned like code and pinned
// to a job by the digest of its canonical form (mission lines M20, M24).
//
// The file default.yaml is both the default and the manual.
package policy

import (
	_ "embed"
	"fmt"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/strictyaml"
)

// Policy is a redaction policy. The zero value is none; start from Default or Parse.
type Policy struct {
	Name    string // 1 to 64 of [A-Za-z0-9._-]
	Version string // the same
	Limits  document.Limits
	document.Rules

	Withheld Withheld

	Retention      Retention
	DenyMediaTypes []string // sorted; see Denies
	DenySources    []string // sorted; see DeniesSource
	DenyTenants    []string // sorted; see DeniesTenant
}

// Withheld says what becomes of a document of which some images had to be withheld.
type Withheld string

// The rules for documents with withheld images.
const (
	Release Withheld = "release" // hand out the others, with a warning
	Review  Withheld = "review"  // let a person decide
	Reject  Withheld = "reject"  // hand out nothing
)

// Retention is how long copies in the vault live after the end of their job.
type Retention struct {
	Originals   time.Duration
	Derivatives time.Duration
	Uploads     time.Duration // documents as they were sent
}

//go:embed default.yaml
var defaultFile []byte

// DefaultFile returns the default policy as a commented file.
func DefaultFile() []byte { return append([]byte(nil), defaultFile...) }

// Default returns the default policy.
func Default() Policy {
	p := blank()
	if err := apply(&p, defaultFile); err != nil {
		panic("policy: the default file is broken: " + err.Error()) // a test reads it
	}
	return p
}

// Parse reads a policy file. What is missing is as in the default policy, but for name
// and version, which every file must give. The error has the code policy.invalid and
// joins every problem, each with its line (strictyaml.Problem).
func Parse(file []byte) (Policy, error) {
	p := Default()
	p.Name, p.Version = "", ""
	if err := apply(&p, file); err != nil {
		return Policy{}, reason.Because(reason.PolicyInvalid, err)
	}
	return p, nil
}

// Digest pins the policy: the SHA-256 of Canonical.
func (p Policy) Digest() document.Digest { return document.Sum(p.Canonical()) }

// Denies reports whether the policy refuses documents of a format that blotter opens.
func (p Policy) Denies(f document.Format) bool {
	return slices.Contains(p.DenyMediaTypes, f.String())
}

// DeniedFormats lists the formats for which Denies is true, for the cell to refuse.
func (p Policy) DeniedFormats() []document.Format {
	var out []document.Format
	for _, f := range document.Opened() {
		if p.Denies(f) {
			out = append(out, f)
		}
	}
	return out
}

// DeniesSource reports whether the policy refuses documents that came this way: "upload",
// "cli", or the scheme of a governed store ("file", "s3", "gs", "azblob").
func (p Policy) DeniesSource(kind string) bool { return slices.Contains(p.DenySources, kind) }

// DeniesTenant reports whether the policy refuses a tenant's documents.
func (p Policy) DeniesTenant(t document.Tenant) bool {
	return slices.Contains(p.DenyTenants, string(t))
}

// End is the state of a document with at least one released image: whether any other had
// to be withheld, and whether something was destroyed that a person must decide about
// (document.Rules.Reviews).
func (p Policy) End(withheld, review bool) document.State {
	switch {
	case withheld && p.Withheld == Reject:
		return document.Rejected
	case review || withheld && p.Withheld == Review:
		return document.AwaitingReview
	}
	return document.Released
}

// blank is a policy that every field can be set in.
func blank() Policy {
	p := Policy{}
	p.Actions, p.Thresholds = map[document.Type]document.Action{}, map[document.Type]float64{}
	for _, t := range ruled() {
		p.Actions[t], p.Thresholds[t] = document.Redact, 0
	}
	return p
}

func apply(p *Policy, file []byte) error {
	fill := p.Fill.String()
	d := draft{Policy: p, actions: map[document.Type]*string{}, thresholds: map[document.Type]*float64{}, fill: &fill}
	if err := strictyaml.Apply(file, d.fields()); err != nil {
		return err
	}
	if p.Name == "" || p.Version == "" {
		return strictyaml.Problem{Text: "name and version must be given"}
	}
	return d.finish()
}

// relations holds what no single setting can check.
func (p Policy) relations() error {
	if p.Limits.TotalPixels < p.Limits.AssetPixels {
		return strictyaml.Problem{Text: fmt.Sprintf("limits.total_pixels (%d) must not be less than limits.asset_pixels (%d)",
			p.Limits.TotalPixels, p.Limits.AssetPixels)}
	}
	return nil
}
