package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// SendTask hands a document and its task to the cell. The descriptor rides on the
// frame's first bytes; the caller keeps its own.
func SendTask(c *net.UnixConn, t Task, doc *os.File) error {
	body, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("wire: encode task: %w", err)
	}
	if len(body) > MaxTask {
		return fmt.Errorf("wire: a task of %d bytes, of %d at most", len(body), MaxTask)
	}
	raw, err := doc.SyscallConn()
	if err != nil {
		return fmt.Errorf("wire: document: %w", err)
	}
	// Control keeps the file open while its number is in use.
	var sent error
	err = raw.Control(func(fd uintptr) {
		_, _, sent = c.WriteMsgUnix(header(kindTask, len(body)), unix.UnixRights(int(fd)), nil)
	})
	if err := errors.Join(err, sent); err != nil {
		return fmt.Errorf("wire: pass document: %w", err)
	}
	if _, err := c.Write(body); err != nil {
		return fmt.Errorf("wire: send task: %w", err)
	}
	return nil
}

// ReceiveTask waits on the cell's end of the socket for a task. It needs recvmsg and
// read and no other system call. io.EOF says that the parent has no task.
func ReceiveTask(fd int) (Task, *os.File, error) {
	var h [headerBytes]byte
	oob := make([]byte, unix.CmsgSpace(4))
	n, oobn, err := receive(fd, h[:], oob)
	if err != nil {
		return Task{}, nil, fmt.Errorf("wire: receive task: %w", err)
	}
	if n == 0 {
		return Task{}, nil, io.EOF
	}
	if n != headerBytes || kind(h[0]) != kindTask {
		return Task{}, nil, errors.New("wire: not a task")
	}
	doc, err := passed(oob[:oobn])
	if err != nil {
		return Task{}, nil, err
	}
	t, err := readTask(fd, binary.LittleEndian.Uint32(h[1:]))
	if err != nil {
		return Task{}, nil, errors.Join(err, doc.Close())
	}
	return t, doc, nil
}

// receive retries a receive that a signal interrupted: the runtime sends itself some.
func receive(fd int, p, oob []byte) (n, oobn int, err error) {
	for {
		n, oobn, _, _, err = unix.Recvmsg(fd, p, oob, unix.MSG_CMSG_CLOEXEC|unix.MSG_WAITALL)
		if !errors.Is(err, unix.EINTR) {
			return n, oobn, err
		}
	}
}

// passed takes the one descriptor out of a control message.
func passed(oob []byte) (*os.File, error) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(msgs) != 1 {
		return nil, errors.New("wire: a task without its document")
	}
	fds, err := unix.ParseUnixRights(&msgs[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.New("wire: a task without its document")
	}
	return os.NewFile(uintptr(fds[0]), "document"), nil
}

func readTask(fd int, size uint32) (Task, error) {
	if size > MaxTask {
		return Task{}, fmt.Errorf("wire: a task of %d bytes", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(rawReader(fd), body); err != nil {
		return Task{}, fmt.Errorf("wire: read task: %w", err)
	}
	var t Task
	if err := json.Unmarshal(body, &t); err != nil {
		return Task{}, errors.New("wire: decode task")
	}
	return t, nil
}

// rawReader reads a blocking descriptor without the runtime's poller.
type rawReader int

func (fd rawReader) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(fd), p)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}
