package checkup

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

const partCell = "cell"

// Walls tries the walls of a cell on this host from inside one: first each protection,
// then each attempt, then the limits of memory and time.
func Walls(ctx context.Context, cfg cell.Config, paths wire.TryPaths) []Finding {
	trial, err := cell.TryWalls(ctx, cfg, paths)
	if err != nil && len(trial.Tried) == 0 {
		return []Finding{{Part: partCell, Check: "start", Status: Fail, Found: string(reason.Of(err)),
			Do: reason.Must(reason.Of(err)).Text}}
	}
	out := append(protections(trial.Protections, cfg.Accept), attempts(trial)...)
	if err != nil {
		out = append(out, Finding{Part: partCell, Check: "all attempts", Status: Fail, Found: string(reason.Of(err)),
			Do: "The cell ended amid its attempts: one of them went through, or the kernel killed it. Report it with the kernel's version."})
	}
	return append(out, stopped("memory limit", cell.TryMemory(ctx, cfg)), stopped("time limit", cell.TryTime(ctx, cfg)))
}

// protections has a finding for each wall. One that the configuration accepts as missing
// passes, with advice.
func protections(have, accepted wire.Protection) []Finding {
	var out []Finding
	for _, name := range wire.AllProtections.Names() {
		bit, _ := wire.ParseProtection(name)
		switch {
		case have&bit != 0:
			out = append(out, judged(partCell, name, true, "in force", ""))
		case accepted&bit != 0:
			out = append(out, advised(partCell, name, false, "missing, as cell.accept_missing allows", mending[bit]))
		default:
			out = append(out, judged(partCell, name, false, "missing", mending[bit]))
		}
	}
	return out
}

// mending says what brings a wall back.
var mending = map[wire.Protection]string{
	wire.Landlock:      "Use Linux 5.13 or later with landlock among the kernel's security modules (lsm=…), and let a container runtime's filter pass the landlock calls.",
	wire.LandlockNet:   "Use Linux 6.7 or later for Landlock's rules on TCP.",
	wire.LandlockScope: "Use Linux 6.12 or later for Landlock's scopes of signals and abstract sockets.",
	wire.Seccomp:       "Use a kernel with seccomp filters, and let a container runtime's filter pass the seccomp call.",
	wire.NoNewPrivs:    "Use Linux 3.5 or later.",
	wire.AddressSpace:  "Raise the hard limit of address space (ulimit -v) of the service above cell.address_space_bytes.",
	wire.FileSize:      "Let the service set its own limit of file size (ulimit -f).",
	wire.Unprivileged:  "Run blotter as a user of its own without capabilities, or as root with the right to change its user.",
	wire.DiesWithUs:    "Let a container runtime's filter pass the prctl call.",
}

// alone is the wall that refuses an attempt by itself, before the filter of system calls stands.
var alone = map[wire.Attempt]wire.Protection{
	wire.ReadFile: wire.Landlock, wire.ReadOwn: wire.Landlock, wire.WriteFile: wire.Landlock, wire.WriteWork: wire.Landlock,
	wire.Execute: wire.Landlock, wire.TCP: wire.LandlockNet, wire.SignalParent: wire.LandlockScope, wire.BecomeRoot: wire.Unprivileged,
}

// attempts has a finding for each attempt. One that the filter refuses and the wall behind
// it does not, though it stands, fails: a single fault would then be enough.
func attempts(t cell.Trial) []Finding {
	early := map[wire.Attempt]cell.Attempted{}
	for _, a := range t.Tried {
		if a.Early {
			early[a.Attempt] = a
		}
	}
	var out []Finding
	for _, a := range t.Tried {
		if a.Early {
			continue
		}
		before, twice := early[a.Attempt]
		out = append(out, attempted(a, before, twice, t.Protections))
	}
	return out
}

func attempted(a, before cell.Attempted, twice bool, have wire.Protection) Finding {
	check := a.Attempt.String()
	wall := alone[a.Attempt]
	switch {
	case a.Refused == 0:
		return judged(partCell, check, false, "went through", "A document that captures its cell could do this. Do not process documents of strangers on this host; mend what is missing above.")
	case a.Refused == unix.ENOENT:
		return unknown(partCell, check, "there is nothing yet to try it on", "Look again after the first start.")
	case !byKernel(a.Refused):
		return unknown(partCell, check, "not judged by the kernel", "Report it with the kernel's version.")
	case !twice:
		return judged(partCell, check, true, "refused: "+nameOf(a.Refused), "")
	case before.Refused == unix.ENOENT:
		return judged(partCell, check, true, "refused: "+nameOf(a.Refused)+"; there is nothing yet to try the second wall on", "")
	case before.Refused == 0 && have&wall != 0:
		return judged(partCell, check, false, fmt.Sprintf("refused by the system call filter, and not by %v", wall.Names()),
			"The second wall has a hole. Report it with the kernel's version.")
	case before.Refused == 0:
		return judged(partCell, check, true, "refused: "+nameOf(a.Refused)+", by the system call filter alone", "")
	}
	return judged(partCell, check, true, fmt.Sprintf("refused twice: %s, and %s without the filter", nameOf(a.Refused), nameOf(before.Refused)), "")
}

// byKernel reports whether the number can be the kernel's: its errors end at 4095.
func byKernel(n unix.Errno) bool { return n < 4096 }

func nameOf(n unix.Errno) string {
	if name := unix.ErrnoName(n); name != "" {
		return name
	}
	return fmt.Sprintf("errno %d", int(n))
}

// stopped is the finding of a limit that a cell ran into on purpose.
func stopped(check string, err error) Finding {
	if err == nil {
		return judged(partCell, check, true, "a cell over it is killed", "")
	}
	return judged(partCell, check, false, "a cell over it ended with "+string(reason.Of(err)),
		"Look at the load of the host, and try again; if it stays, do not process documents of strangers here.")
}
