package rig

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is a process on a terminal of its own, seen as a person sees it. It is for one goroutine.
type Terminal struct {
	cmd    *exec.Cmd
	master *os.File
	limit  *time.Timer
	done   chan struct{}
	end    sync.Once

	mu     sync.Mutex
	screen Screen
}

// The size of a terminal.
const termRows, termColumns = 50, 120

// Sit starts a process on a terminal. It is killed with its group when the limit is over.
func Sit(cmd *exec.Cmd, limit time.Duration) (*Terminal, error) {
	master, slave, err := pair()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer slave.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		master.Close()
		return nil, err
	}
	t := &Terminal{cmd: cmd, master: master, done: make(chan struct{}), screen: NewScreen(termRows, termColumns)}
	t.limit = time.AfterFunc(limit, func() { killGroup(cmd) })
	go t.read()
	return t, nil
}

// pair opens both ends of a new terminal.
func pair() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	var number int
	conn, err := master.SyscallConn()
	if err == nil {
		controlErr := conn.Control(func(fd uintptr) {
			if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err != nil {
				return
			}
			if number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err != nil {
				return
			}
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: termRows, Col: termColumns})
		})
		if err == nil {
			err = controlErr
		}
	}
	if err == nil {
		slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}

// read draws what the process writes, until nobody holds the other end.
func (t *Terminal) read() {
	defer close(t.done)
	for buf := make([]byte, 1<<14); ; {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.screen.Write(buf[:n])
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Text is what stands on the screen, line by line.
func (t *Terminal) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

// Type sends keys.
func (t *Terminal) Type(keys string) error {
	_, err := t.master.WriteString(keys)
	return err
}

// Shows waits until one of some words stands on the screen, and gives it. It is an error when the process ends before.
func (t *Terminal) Shows(words ...string) (string, error) {
	for {
		text := t.Text()
		for _, word := range words {
			if strings.Contains(text, word) {
				return word, nil
			}
		}
		select {
		case <-t.done:
			return "", fmt.Errorf("%q did not appear; the last on the screen was:\n%s", words, t.Text())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Close ends the process and its group, once.
func (t *Terminal) Close() {
	t.end.Do(func() {
		t.limit.Stop()
		killGroup(t.cmd)
		_ = t.cmd.Wait() // it was killed
		t.master.Close()
		<-t.done
	})
}
