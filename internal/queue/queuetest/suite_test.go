package queuetest

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

func TestMemoryConforms(t *testing.T) {
	Run(t, func(*testing.T) Fixture { return newMemory("").fixture() })
}

// The ways in which the store in memory can be wrong, and what has to notice: a check of the
// suite, the model, or both.
var faults = []struct {
	name         string
	suite, model bool
}{
	{"tokens do not grow", true, true},
	{"stale writes accepted", true, true},
	{"late writes accepted", true, true},
	{"finished twice", true, true},
	{"an expired job is lost", false, true},
	{"a job is stranded", false, true},
	{"copies of every node", true, false},
	{"no settling", true, true},
	{"no refunds", true, true},
	{"finish does not settle", true, true},
	{"release does not settle", true, true},
	{"expire does not settle", true, true},
	{"cancel does not settle", true, true},
	{"heartbeats free", true, true},
	{"parked time charged", true, true},
	{"dead time charged", true, true},
	{"no estimates", true, true},
	{"means never learnt", true, true},
	{"failures teach", true, true},
	{"credit for the idle", true, true},
	{"newcomers last", true, true},
	{"newcomers behind a debt", true, false},
	{"names before waiting", true, true},
	{"by age alone", true, true},
	{"weights ignored", true, true},
	{"named claims are charged late", false, true},
	{"named claims in turn", true, true},
	{"everybody waits", true, true},
	{"nobody waits", true, true},
}

// A suite that lets a broken store pass is worth nothing.
func TestBrokenStoresAreCaught(t *testing.T) {
	quiet(t)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			open := func() Fixture { return newMemory(f.name).fixture() }
			if f.suite && !slices.ContainsFunc(checks, func(c check) bool {
				return fails(t, func(tb testing.TB) { c.test(&suite{TB: tb, Fixture: open(), ctx: t.Context()}) }) != ""
			}) {
				t.Error("no check of the suite notices")
			}
			if f.model && fails(t, func(tb testing.TB) { runModel(tb, open) }) == "" {
				t.Error("the model does not notice")
			}
		})
	}
}

// quiet keeps the model from writing files about failures that are wanted and from looking
// for their shortest form, and makes it draw the same each time.
func quiet(t *testing.T) {
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.checks": "1000", "rapid.steps": "60", "rapid.seed": "7"} {
		f := flag.Lookup(name)
		was := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Value.Set(was) })
	}
}

// fails runs a test that may fail, and returns the first thing that it said then.
func fails(t *testing.T, test func(testing.TB)) string {
	p := &probe{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				p.Errorf("panic: %v", r)
			}
		}()
		test(p)
	}()
	<-done
	return p.said
}

// probe is a test whose failure is no failure.
type probe struct {
	testing.TB
	said string
}

func (p *probe) say(s string) {
	if p.said == "" {
		p.said = s + " "
	}
}

func (p *probe) Error(args ...any)            { p.say(fmt.Sprint(args...)) }
func (p *probe) Errorf(f string, args ...any) { p.say(fmt.Sprintf(f, args...)) }
func (p *probe) Fatal(args ...any)            { p.say(fmt.Sprint(args...)); runtime.Goexit() }
func (p *probe) Fatalf(f string, args ...any) { p.say(fmt.Sprintf(f, args...)); runtime.Goexit() }
func (p *probe) Fail()                        { p.say("failed") }
func (p *probe) FailNow()                     { p.say("failed"); runtime.Goexit() }
func (p *probe) Failed() bool                 { return p.said != "" }
func (p *probe) Log(...any)                   {}
func (p *probe) Logf(string, ...any)          {}
func (p *probe) Cleanup(func())               {}
