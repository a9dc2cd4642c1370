package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// reading is one run of tesseract over the pages of a document, one process a page.
type reading struct {
	wall time.Duration
	peak uint64 // resident memory of the largest process, bytes
}

func tesseract(pages []string) (reading, error) {
	var r reading
	for _, page := range pages {
		cmd := exec.Command("tesseract", page, os.DevNull, "--psm", "3", "-l", "eng")
		// Left alone its threads outnumber a small machine's processors and spin: a page
		// then takes seven times as long. Two is what blotter's reader uses.
		cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=2")
		start := time.Now()
		if err := cmd.Start(); err != nil {
			return r, err
		}
		watch := watchMemory(cmd.Process.Pid)
		err := cmd.Wait()
		r.wall += time.Since(start)
		peak, _ := watch.stop()
		r.peak = max(r.peak, peak)
		if err != nil {
			return r, fmt.Errorf("tesseract: %w", err)
		}
	}
	return r, nil
}
