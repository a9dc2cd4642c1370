package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"blotter/internal/policy"
)

// startLimit is how long a service may take to start, in wall time.
const startLimit = 2 * time.Minute

// tooLong starts a service and tells it n times of an upload that is a byte too long. None
// of its bytes is sent: the answer must come before.
func tooLong(ctx context.Context, binary, data string, n int) (out []time.Duration, err error) {
	key, err := exec.CommandContext(ctx, binary, "keys", "add", "--data", data, "--tenant", "bench", "--role", "client").Output()
	if err != nil {
		return nil, fmt.Errorf("make an API key: %w", err)
	}
	api, err := freeAddress()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, "serve", "--data", data)
	cmd.Env = append(os.Environ(), "BLOTTER_SERVE_LISTEN="+api, "BLOTTER_SERVE_OPS_LISTEN=127.0.0.1:0", "BLOTTER_LOG_LEVEL=error",
		"BLOTTER_API_RATE_PER_SECOND=100000", "BLOTTER_API_RATE_BURST=100000")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cmd.Process.Signal(os.Interrupt), cmd.Wait()) }()
	if err := listens(ctx, api); err != nil {
		return nil, err
	}
	for range n {
		took, err := upload(api, strings.TrimSpace(string(key)))
		if err != nil {
			return nil, err
		}
		out = append(out, took)
	}
	return out, nil
}

// upload announces a document over its own connection, and waits for the answer.
func upload(api, key string) (time.Duration, error) {
	conn, err := net.Dial("tcp", api)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	began := time.Now()
	fmt.Fprintf(conn, "POST /v1/documents HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nIdempotency-Key: x\r\nContent-Type: application/pdf\r\nContent-Length: %d\r\n\r\n",
		api, key, policy.Default().Limits.SourceBytes+1)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if answer.StatusCode != http.StatusRequestEntityTooLarge {
		return 0, errors.Join(fmt.Errorf("an upload too long is answered with %d: %s", answer.StatusCode, body), err)
	}
	return took, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// listens waits until the service takes connections.
func listens(ctx context.Context, api string) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		conn, err := net.Dial("tcp", api)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return errors.New("blotter serve did not start")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
