package wire

// Protection is one wall of the cell; a set of bits.
type Protection uint32

// The protections. Never renumbered: events name them.
const (
	Landlock      Protection = 1 << 0 // file system: read access to the engines alone
	LandlockNet   Protection = 1 << 1 // no TCP
	Seccomp       Protection = 1 << 2 // system call allow-list
	NoNewPrivs    Protection = 1 << 3
	AddressSpace  Protection = 1 << 4 // RLIMIT_AS
	FileSize      Protection = 1 << 5 // RLIMIT_FSIZE 0
	Unprivileged  Protection = 1 << 6 // no capabilities and no root uid
	DiesWithUs    Protection = 1 << 7 // PR_SET_PDEATHSIG
	LandlockScope Protection = 1 << 8 // no abstract sockets and no signals out of the cell
)

// AllProtections is what a cell should have.
const AllProtections = Landlock | LandlockNet | LandlockScope | Seccomp | NoNewPrivs | AddressSpace |
	FileSize | Unprivileged | DiesWithUs

var protectionNames = []struct {
	bit  Protection
	name string
}{
	{Landlock, "landlock"}, {LandlockNet, "landlock_net"}, {LandlockScope, "landlock_scope"},
	{Seccomp, "seccomp"}, {NoNewPrivs, "no_new_privs"}, {AddressSpace, "address_space"},
	{FileSize, "file_size"}, {Unprivileged, "unprivileged"}, {DiesWithUs, "dies_with_parent"},
}

// Names lists the set in a fixed order.
func (p Protection) Names() []string {
	out := []string{}
	for _, e := range protectionNames {
		if p&e.bit != 0 {
			out = append(out, e.name)
		}
	}
	return out
}

// ParseProtection reads one name that Names writes.
func ParseProtection(name string) (Protection, bool) {
	for _, e := range protectionNames {
		if e.name == name {
			return e.bit, true
		}
	}
	return 0, false
}
