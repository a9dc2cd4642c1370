package intake

import (
	"errors"
	"fmt"
	"time"

	"blotter/internal/queue"
)

// Config bounds what the API takes. Every field but TLS must be set: no zero means "no
// limit". Start from Default; see Validate.
type Config struct {
	MaxBodyBytes   int64 // of a document as it is sent; a policy can only ask for less
	MaxHeaderBytes int   // of a request's line and header; net/http adds 4 KiB
	SyncBytes      int64 // of an image on the synchronous path; the policy's limits count besides

	HeaderTimeout time.Duration // from the first wait for a request to the end of its header
	BodyTimeout   time.Duration // for a whole body
	BodyIdle      time.Duration // without a byte of a body
	IdleTimeout   time.Duration // between two requests of a connection
	WriteIdle     time.Duration // for one write, of 32 KiB at most, to a client that does not read
	SyncDeadline  time.Duration // for an image on the synchronous path: to receive it, and as long again to redact it
	Grace         time.Duration // for requests under way when the process is told to stop
	ReserveFor    time.Duration // how long a reservation outlives the last bytes of its upload

	MaxConnections int // open at once; over it, who has waited longest without a request must go
	UploadsPerKey  int // documents that an API key may send at once
	UploadsTotal   int // documents on their way at once, all keys together
	Waiters        int // requests that wait for a job at once
	Backlog        queue.Backlog

	RatePerSecond float64 // requests a second of one API key, in the long run
	RateBurst     int     // requests of one API key at once, after a rest

	TLSCert, TLSKey string // PEM files; both empty: plain HTTP, for loopback or behind a proxy
}

// Default returns the settings of a small node. Where a number has no source below, it
// bounds a cost that was chosen, not found.
func Default() Config {
	return Config{
		MaxBodyBytes:   25 << 20, // source_bytes of the default policy
		MaxHeaderBytes: 16 << 10, // a key, a trace and digests take under 1 KiB; proxies allow 8 to 16
		SyncBytes:      1 << 20,  // mission line M5

		HeaderTimeout: 5 * time.Second,
		BodyTimeout:   5 * time.Minute, // 25 MiB at 0.7 Mbit/s
		BodyIdle:      15 * time.Second,
		IdleTimeout:   time.Minute,
		WriteIdle:     30 * time.Second,
		SyncDeadline:  20 * time.Second,
		Grace:         30 * time.Second, // what orchestrators wait before they kill
		ReserveFor:    30 * time.Second,

		MaxConnections: 4096, // about 70 MiB when all of them wait (TestTenThousandConnections)
		UploadsPerKey:  8,
		UploadsTotal:   64, // each holds about 2 MiB of cipher buffers
		Waiters:        1024,
		Backlog:        queue.Backlog{Tenant: 10_000, Total: 50_000},

		RatePerSecond: 50,
		RateBurst:     100,
	}
}

// formBytes is what a multipart body may hold besides its document: settings, hints, and
// the lines between them.
const formBytes = 256 << 10

// Validate finds all that is wrong.
func (c Config) Validate() error {
	var problems []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	for name, d := range c.times() {
		check(d > 0, "%s must be over 0", name)
	}
	for name, n := range c.counts() {
		check(n >= 1, "%s must be at least 1", name)
	}
	check(c.MaxHeaderBytes >= 4<<10, "the header must be allowed at least 4096 bytes")
	check(c.SyncBytes <= c.MaxBodyBytes, "the synchronous path may not take more bytes (%d) than the asynchronous one (%d)", c.SyncBytes, c.MaxBodyBytes)
	check(c.BodyIdle <= c.BodyTimeout, "the time without a byte (%v) must not be over that of the whole body (%v)", c.BodyIdle, c.BodyTimeout)
	check(2*c.BodyIdle <= c.ReserveFor, "a reservation (%v) must last at least twice as long as a body may stand still (%v)", c.ReserveFor, c.BodyIdle)
	check(c.UploadsTotal >= c.UploadsPerKey, "all keys together must be allowed at least the uploads of one (%d)", c.UploadsPerKey)
	check(c.Backlog.Total >= c.Backlog.Tenant, "the whole backlog must be at least that of one tenant (%d)", c.Backlog.Tenant)
	check(c.RatePerSecond > 0, "the rate of requests must be over 0")
	check((c.TLSCert == "") == (c.TLSKey == ""), "certificate and key of TLS must be given together")
	return errors.Join(problems...)
}

func (c Config) times() map[string]time.Duration {
	return map[string]time.Duration{
		"the time for a header": c.HeaderTimeout, "the time for a body": c.BodyTimeout,
		"the time without a byte": c.BodyIdle, "the time between requests": c.IdleTimeout,
		"the time for a write": c.WriteIdle, "the deadline of the synchronous path": c.SyncDeadline,
		"the grace time": c.Grace, "the time of a reservation": c.ReserveFor,
	}
}

func (c Config) counts() map[string]int64 {
	return map[string]int64{
		"the bytes of a body": c.MaxBodyBytes, "the bytes of the synchronous path": c.SyncBytes,
		"the connections": int64(c.MaxConnections), "the uploads of a key": int64(c.UploadsPerKey),
		"the uploads of all keys": int64(c.UploadsTotal), "the waiting requests": int64(c.Waiters),
		"the backlog of a tenant": int64(c.Backlog.Tenant), "the burst of requests": int64(c.RateBurst),
	}
}
