package rig

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// Dialog is a process that is spoken to in lines of JSON on its standard input and output. It is for one goroutine.
type Dialog struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan map[string]any
	stderr bytes.Buffer
	limit  *time.Timer
	late   chan struct{}
	end    sync.Once
	err    error
}

// Talk starts a dialog. The process is killed with its group when the limit is over.
func Talk(cmd *exec.Cmd, limit time.Duration) (*Dialog, error) {
	d := &Dialog{cmd: cmd, lines: make(chan map[string]any), late: make(chan struct{})}
	var err error
	if d.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = &d.stderr
	ownGroup(cmd)
	cmd.WaitDelay = waitDelay
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	d.limit = time.AfterFunc(limit, func() {
		close(d.late)
		killGroup(cmd)
	})
	go d.read(stdout)
	return d, nil
}

func (d *Dialog) read(stdout io.Reader) {
	defer close(d.lines)
	for lines := bufio.NewReader(stdout); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var message map[string]any
		if json.Unmarshal(line, &message) == nil {
			d.lines <- message
		}
	}
}

// Stderr is what the process wrote to its standard error. It is to be asked for after Close.
func (d *Dialog) Stderr() string { return d.stderr.String() }

// Send writes one message.
func (d *Dialog) Send(message any) error { return json.NewEncoder(d.stdin).Encode(message) }

// Until reads messages up to one that is wanted.
func (d *Dialog) Until(wanted func(map[string]any) bool) (map[string]any, error) {
	for message := range d.lines {
		if wanted(message) {
			return message, nil
		}
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	return nil, errors.New("the process ended before it said what was waited for")
}

// Close closes the standard input, which ends a well-behaved process, and waits. An exit code other than 0 is an error,
// and so is the end of the time.
func (d *Dialog) Close() error {
	d.end.Do(func() {
		d.stdin.Close()
		for range d.lines {
		}
		d.err = d.cmd.Wait()
		killGroup(d.cmd)
		if !d.limit.Stop() {
			<-d.late
			d.err = ErrTimeout
		}
		if d.err != nil {
			d.err = fmt.Errorf("%w\n%s", d.err, d.stderr.Bytes())
		}
	})
	return d.err
}
