package main_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"blotter/client"
	"blotter/internal/document"
)

// TestServeCancels ends a waiting job at once, and a running one by killing its cell.
func TestServeCancels(t *testing.T) {
	t.Parallel()
	s := newStation(t, "BLOTTER_WORKERS=1", "BLOTTER_SERVE_INTERACTIVE_WORKERS=0", "BLOTTER_QUEUE_LEASE=1h")
	v := s.serve()
	ctx, c := limited(t), v.client("")
	running := upload(t, ctx, c, read(t, page(t)), client.UploadOptions{})
	s.awaitJob(isLeased)
	waiting := upload(t, ctx, c, read(t, tiny(t)), client.UploadOptions{})
	for _, id := range []string{waiting.ID, running.ID} {
		if j, err := c.Cancel(ctx, id); err != nil || (j.State != "sealing" && j.State != "cancelled") {
			t.Errorf("cancelling gave %+v, %v", j, err)
		}
		if j, err := c.Wait(ctx, id); err != nil || j.State != "cancelled" || j.Reason == nil || j.Reason.Code != "job.cancelled" {
			t.Errorf("the job is %+v, %v", j, err)
		}
		_, err := c.Cancel(ctx, id)
		wants(t, err, "job.ended")
		wants(t, c.Result(ctx, id, io.Discard), "job.no_result")
	}
	// With a lease of an hour only Drop can have freed the worker.
	next := upload(t, ctx, c, read(t, tiny(t)), client.UploadOptions{})
	if j, err := c.Wait(ctx, next.ID); err != nil || j.State != "released" {
		t.Errorf("the worker was not freed: %+v, %v", j, err)
	}
	v.stop()
	s.checkAtRest()
}

// TestServeStopsPolitely gives the document under way back where the grace time is too
// short for it, and the next start finishes it.
func TestServeStopsPolitely(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve("BLOTTER_SERVE_GRACE=10ms")
	ctx := limited(t)
	took := upload(t, ctx, v.client(""), read(t, page(t)), client.UploadOptions{})
	s.awaitJob(isLeased)
	v.stop()
	db, _ := s.open()
	if j, err := db.Job(ctx, document.ID(took.ID)); err != nil || j.State != document.Queued || j.Attempt != 0 {
		t.Errorf("after the stop the job is %s after %d attempts, %v", j.State, j.Attempt, err)
	}
	db.Close()
	again := s.serve()
	if j, err := again.client(v.key).Wait(ctx, took.ID); err != nil || j.State != "released" {
		t.Errorf("after the restart the job is %+v, %v", j, err)
	}
	again.stop()
	s.checkAtRest()
}

// TestServeCutsImagesOff ends the work on an image whose client is cut off at the end of the
// grace time, as if the client had gone, and leaves no working copy behind.
func TestServeCutsImagesOff(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve("BLOTTER_SERVE_GRACE=10ms")
	ctx := limited(t)
	asked := make(chan error, 1)
	go func() {
		_, err := v.client("").Redact(ctx, bytes.NewReader(read(t, tiny(t))))
		asked <- err
	}()
	s.awaitJob(isLeased)
	v.stop()
	if err := <-asked; err == nil {
		t.Log("the image was faster than the stop")
	}
	s.checkAtRest()
}

// TestServeFinishesWithinTheGrace lets the document under way end.
func TestServeFinishesWithinTheGrace(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve("BLOTTER_SERVE_GRACE=2m")
	ctx := limited(t)
	took := upload(t, ctx, v.client(""), read(t, page(t)), client.UploadOptions{})
	s.awaitJob(isLeased)
	v.signal(t, syscall.SIGTERM)
	v.draining(ctx)
	if code := v.exit(t); code != 0 {
		t.Errorf("the service ended with %d", code)
	}
	db, _ := s.open()
	if j, err := db.Job(ctx, document.ID(took.ID)); err != nil || j.State != document.Released {
		t.Errorf("after the stop the job is %s, %v", j.State, err)
	}
	s.checkAtRest()
}

// draining waits until the stopping service calls itself unready; it must live meanwhile.
func (v *service) draining(ctx context.Context) {
	v.s.t.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if status, body := get(v.s.t, v.ops+"/readyz"); status == http.StatusServiceUnavailable {
			if alive, _ := get(v.s.t, v.ops+"/healthz"); alive != http.StatusOK || !strings.Contains(body, "api.stopping") {
				v.s.t.Errorf("a service that finishes its work is taken for dead: %d, %s", alive, body)
			}
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			v.s.t.Fatal("the stopping service still calls itself ready")
		}
	}
}

// killedUploads is how many documents TestServeKilled sends.
const killedUploads = 40

// TestServeKilled kills the service while documents come in and are worked on, and wants
// each of them to end once.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	v := s.serve()
	ctx, body := limited(t), read(t, tiny(t))
	accepted := map[string]bool{}
	key := v.key
	for n := 0; n < killedUploads; n++ {
		c := v.client(key, client.WithRetries(0))
		took, err := c.Upload(ctx, bytes.NewReader(body), client.UploadOptions{IdempotencyKey: fmt.Sprint("k", n)})
		if err != nil {
			t.Fatal(err)
		}
		accepted[took.ID] = true
		if n%15 == 14 {
			v.Process.Kill()
			v.Wait()
			s.noCellLeft(v.Process.Pid)
			v = s.serve()
			if again := upload(t, ctx, v.client(key), body, client.UploadOptions{IdempotencyKey: fmt.Sprint("k", n)}); again.ID != took.ID {
				t.Errorf("after the kill the same request gave %s, before %s", again.ID, took.ID)
			}
		}
	}
	for id := range accepted {
		if j, err := v.client(key).Wait(ctx, id); err != nil || j.State != "released" {
			t.Errorf("%s ended as %s, %v", id, j.State, err)
		}
	}
	v.stop()
	if len(accepted) != killedUploads {
		t.Errorf("%d jobs for %d documents", len(accepted), killedUploads)
	}
	s.checkAtRest()
}

// TestServeTellsOperators: health, readiness, metrics, and dead letters by command.
func TestServeTellsOperators(t *testing.T) {
	t.Parallel()
	s := newStation(t, "BLOTTER_QUEUE_ATTEMPTS=1")
	dir := t.TempDir()
	v := s.serve("BLOTTER_SERVE_SOURCES=file://"+dir+"/", "BLOTTER_BUDGETS_READ=1ms")
	ctx, c := limited(t), v.client("")
	took := upload(t, ctx, c, read(t, tiny(t)), client.UploadOptions{})
	j, err := c.Wait(ctx, took.ID)
	if err != nil || strings.Join(j.OverBudget, " ") != "read" || strings.Join(j.Signals, " ") != "input" || j.Pixels == 0 {
		t.Errorf("over budget %v, signals %v, pixels %d, %v", j.OverBudget, j.Signals, j.Pixels, err)
	}
	for _, want := range []string{"/healthz", "/readyz", "/metrics"} {
		if status, _ := get(t, v.ops+want); status != http.StatusOK {
			t.Errorf("%s: %d", want, status)
		}
		if status, _ := get(t, v.url+want); status != http.StatusNotFound {
			t.Errorf("the public listener shows %s: %d", want, status)
		}
	}
	_, metrics := get(t, v.ops+"/metrics")
	for _, want := range []string{
		`blotter_stages_over_budget_total{stage="read"} 1`, `blotter_jobs_ended_total`, `blotter_queue_wait_seconds`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	v.stop()
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}
