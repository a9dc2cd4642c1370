package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// service is a `blotter serve` with a data directory of its own.
type service struct {
	binary, data, key string
	api, ops          string // addresses
	cmd               *exec.Cmd
	ended             chan struct{} // closed when the process is gone
}

// startLimit is how long a start may take, the warming of a cell included.
const startLimit = 2 * time.Minute

// newService makes a data directory and an API key in it. Nothing runs yet.
func newService(ctx context.Context, p plan, name string) (*service, error) {
	s := &service{binary: p.binary, data: filepath.Join(p.scratch, name)}
	var err error
	if s.key, err = s.addKey(ctx, "bench"); err != nil {
		return nil, err
	}
	if s.api, err = freeAddress(); err == nil {
		s.ops, err = freeAddress()
	}
	return s, err
}

// addKey makes an API key for a tenant's documents, in both lanes.
func (s *service) addKey(ctx context.Context, tenant string) (string, error) {
	cmd := exec.CommandContext(ctx, s.binary, "keys", "add", "--data", s.data, "--tenant", tenant, "--role", "client", "--lanes", "interactive,bulk")
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("make an API key: %w", err)
	}
	return strings.TrimSpace(string(said)), nil
}

// as is the service as another tenant sees it.
func (s *service) as(ctx context.Context, tenant string) (*service, error) {
	key, err := s.addKey(ctx, tenant)
	other := *s
	other.key = key
	return &other, err
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// start runs the service until it is ready. Its limits are raised where the load would
// meet them: what is measured is the way of a document, not a refusal.
func (s *service) start(ctx context.Context, env ...string) error {
	s.cmd = exec.Command(s.binary, "serve", "--data", s.data)
	s.cmd.Env = append(os.Environ(),
		"BLOTTER_SERVE_LISTEN="+s.api, "BLOTTER_SERVE_OPS_LISTEN="+s.ops, "BLOTTER_SERVE_GRACE=1s", "BLOTTER_LOG_LEVEL=error", // abandoned leases are no news here
		"BLOTTER_API_RATE_PER_SECOND=100000", "BLOTTER_API_RATE_BURST=100000", "BLOTTER_API_UPLOADS_PER_KEY=64",
		"BLOTTER_API_BACKLOG_PER_TENANT=100000", "BLOTTER_API_BACKLOG_TOTAL=100000")
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stdout, s.cmd.Stderr = io.Discard, os.Stderr
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan<- struct{}) {
		_ = cmd.Wait() // a killed process has no status to speak of
		close(ended)
	}(s.cmd, s.ended)
	return s.ready(ctx)
}

func (s *service) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		if status, _, err := fetch(ctx, "http://"+s.ops+"/readyz"); err == nil && status == http.StatusOK {
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("blotter serve ended at its start")
		case <-ctx.Done():
			return errors.Join(errors.New("blotter serve did not become ready"), s.stop())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop asks the service to end, as a supervisor does.
func (s *service) stop() error { return s.signal(syscall.SIGTERM) }

// kill ends the service at once, as the kernel does when memory runs out.
func (s *service) kill() error { return s.signal(syscall.SIGKILL) }

func (s *service) signal(how syscall.Signal) error {
	err := s.cmd.Process.Signal(how)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	select {
	case <-s.ended:
	case <-time.After(startLimit):
		return errors.Join(errors.New("blotter serve did not end"), s.cmd.Process.Kill())
	}
	return err
}

// resident is the memory that the parent process holds now, in bytes (VmRSS of proc(5)).
func (s *service) resident() (int64, error) {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb * 1024, err
		}
	}
	return 0, errors.New("the kernel does not say how much memory is resident")
}

var backlogLine = regexp.MustCompile(`(?m)^blotter_backlog_jobs\{lane="(\w+)",state="(\w+)",tenant="bench"\} (\d+)$`)

// backlog asks the metrics how many jobs there are, by lane and state.
func (s *service) backlog(ctx context.Context) (map[[2]string]int, error) {
	_, body, err := fetch(ctx, "http://"+s.ops+"/metrics")
	if err != nil {
		return nil, err
	}
	out := make(map[[2]string]int)
	for _, m := range backlogLine.FindAllStringSubmatch(string(body), -1) {
		n, err := strconv.Atoi(m[3])
		if err != nil {
			return nil, err
		}
		out[[2]string{m[1], m[2]}] = n
	}
	return out, nil
}

func fetch(ctx context.Context, url string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}
