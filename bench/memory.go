package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watcher samples the high-water mark of resident memory (VmHWM of proc(5)) of a process
// and of its children. The mark only grows, so that what is missed is what a process
// takes in the last interval of its life.
type watcher struct {
	quit         chan struct{}
	done         chan struct{}
	parent, cell uint64
}

// interval is short beside the tenth of a second that the smallest stage takes.
const interval = 10 * time.Millisecond

func watchMemory(pid int) *watcher {
	w := &watcher{quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			w.sample(pid)
			select {
			case <-tick.C:
			case <-w.quit:
				return
			}
		}
	}()
	return w
}

// stop returns the peaks in bytes.
func (w *watcher) stop() (parent, cell uint64) {
	close(w.quit)
	<-w.done
	return w.parent, w.cell
}

func (w *watcher) sample(pid int) {
	w.parent = max(w.parent, highWater(pid))
	for _, child := range descendants(pid) {
		w.cell = max(w.cell, highWater(child))
	}
}

func highWater(pid int) uint64 {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // it has ended
	}
	for line := range bytes.Lines(body) {
		if rest, ok := strings.CutPrefix(string(line), "VmHWM:"); ok {
			kb, _ := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			return kb * 1024
		}
	}
	return 0
}

func descendants(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var out []int
	for _, list := range lists {
		body, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(body)) {
			if child, err := strconv.Atoi(field); err == nil {
				out = append(append(out, child), descendants(child)...)
			}
		}
	}
	return out
}
