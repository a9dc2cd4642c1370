package cell

import (
	"context"
	"errors"
	"os"
	"sync"

	"blotter/internal/cell/wire"
)

// Pool keeps cells started ahead, so that a document does not wait for engines to
// load. Each cell is handed out once.
type Pool struct {
	cfg     Config
	size    int
	ready   chan *Cell
	stop    context.CancelFunc
	stopped <-chan struct{}
	makers  sync.WaitGroup
	over    chan struct{} // closed when nothing is started ahead any more

	mu            sync.Mutex
	started, used int // cells ahead, and calls of Get, ever
	most          int // cells that may be started ahead, ever; negative: any number
}

// NewPool keeps n cells ready, n ≥ 0; with 0 each Get starts its own. Starting happens
// in the background.
func NewPool(cfg Config, n int) *Pool {
	ctx, stop := context.WithCancel(context.Background())
	p := &Pool{cfg: cfg, size: n, ready: make(chan *Cell), stop: stop, stopped: ctx.Done(), over: make(chan struct{}), most: -1}
	for range n {
		p.makers.Go(func() { p.make(ctx) })
	}
	go func() {
		p.makers.Wait()
		close(p.over)
	}()
	return p
}

// Last says that n more cells will be wanted, so that none is started ahead for nobody:
// loading engines takes half as long as reading a small document. Should more be wanted
// after all, each is started then.
func (p *Pool) Last(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = p.used + n
}

// another reports whether one more cell may be started ahead, and counts it.
func (p *Pool) another() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most >= 0 && p.started >= p.most {
		return false
	}
	p.started++
	return true
}

// make starts one cell after the other, each when the last was taken. After a failed
// start it offers nil, so that it tries again no sooner than somebody asks.
func (p *Pool) make(ctx context.Context) {
	for ctx.Err() == nil && p.another() {
		c, err := Start(ctx, p.cfg)
		if err != nil {
			c = nil
		}
		select {
		case p.ready <- c:
		case <-ctx.Done():
			if c != nil {
				c.Close()
			}
		}
	}
}

// Get returns a cell that is ready, waiting for one that is being started. Where a
// start ahead has failed, or its cell has died while it waited, Get starts another and
// returns that one's error. The caller must Run or Close the cell.
func (p *Pool) Get(ctx context.Context) (*Cell, error) {
	if c := p.take(ctx); c != nil {
		if c.Alive() {
			return c, nil
		}
		c.Close()
	}
	select {
	case <-p.stopped:
		return nil, errPoolClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	default:
	}
	return Start(ctx, p.cfg)
}

// Run gets a cell and gives it the document, as Cell.Run says.
func (p *Pool) Run(ctx context.Context, doc *os.File, t wire.Task, s Sink) (Report, error) {
	c, err := p.Get(ctx)
	if err != nil {
		return Report{}, err
	}
	return c.Run(ctx, doc, t, s)
}

var errPoolClosed = errors.New("cell: the pool is closed")

func (p *Pool) take(ctx context.Context) *Cell {
	p.mu.Lock()
	p.used++
	p.mu.Unlock()
	if p.size == 0 {
		return nil
	}
	select {
	case c := <-p.ready:
		return c
	case <-p.over:
	case <-p.stopped:
	case <-ctx.Done():
	}
	return nil
}

// Close ends the cells that nobody took and returns when they are gone.
func (p *Pool) Close() error {
	p.stop()
	p.makers.Wait()
	return nil
}
