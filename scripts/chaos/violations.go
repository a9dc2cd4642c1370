package main

import (
	"fmt"
	"io"
	"sync"
)

// violations collects what happened that must not, each with its evidence.
type violations struct {
	mu   sync.Mutex
	list []string
}

func (v *violations) add(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, fmt.Sprintf(format, args...))
}

func (v *violations) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.list)
}

// print writes them and returns how many there are.
func (v *violations) print(w io.Writer) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.list {
		fmt.Fprintln(w, "VIOLATION:", s)
	}
	return len(v.list)
}
