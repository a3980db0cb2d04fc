//go:build unix

package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
)

// host is a host in a process of its own, which tests may end. What it finds goes to standard output.
func host(mode string) int {
	testAdapter, testDigest = os.Getenv("GREENROOM_TEST_ADAPTER"), os.Getenv("GREENROOM_TEST_DIGEST")
	// An adapter must survive what the terminal sends; the host itself decides what to do about it.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	var err error
	switch mode {
	case "cycles":
		err = cycles()
	case "interrupt":
		err = interruptedCall(interrupted)
	default:
		err = hold(mode)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func hostPool(sources ...adapter.Source) (*adapter.Pool, error) {
	return adapter.New(context.Background(), adapter.Config{Sources: sources, RunDir: os.Getenv("GREENROOM_TEST_RUN")})
}

// ask is what the adapter notes.
func ask(p *adapter.Pool, provider, what string) (map[string][]string, error) {
	l, err := p.Prepare(context.Background(), provider, request(what))
	if err != nil {
		return nil, err
	}
	notes := map[string][]string{}
	for _, d := range l.Diagnostics {
		notes[d.Code] = append(notes[d.Code], d.Text)
	}
	return notes, nil
}

// hold starts adapters and then ends without closing them, as the mode says.
func hold(mode string) error {
	open, err := os.Open(testAdapter)
	if err != nil {
		return err
	}
	defer open.Close()
	p, err := hostPool(source("alpha"), source("beta"), source("gamma", "-start", "sleep"))
	if err != nil {
		return err
	}
	found := map[string][]string{}
	for _, provider := range []string{"alpha", "beta"} {
		n, err := ask(p, provider, "inside")
		if err != nil {
			return err
		}
		for code, texts := range n {
			found[code] = append(found[code], texts...)
		}
	}
	if mode == "starting" {
		go p.Prepare(context.Background(), "gamma", request("pid"))
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		return err
	}
	switch mode {
	case "panic", "exit":
		// Until the test has seen what runs.
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			return err
		}
		if mode == "panic" {
			go panic("the host panics")
			select {}
		}
		os.Exit(0)
	}
	select {}
}

func interruptedCall(interrupted chan os.Signal) error {
	p, err := hostPool(source("alpha"))
	if err != nil {
		return err
	}
	if _, err := ask(p, "alpha", "pid"); err != nil {
		return err
	}
	fmt.Println("calling")
	if _, err := ask(p, "alpha", "slow:1s"); err != nil {
		return err
	}
	select {
	case <-interrupted:
		fmt.Println("interrupted")
	default:
	}
	fmt.Println("answered")
	return p.Close()
}

// counts of what a host holds.
type counts struct{ Goroutines, Files, Threads int }

func count() (counts, error) {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return counts{}, err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return counts{}, err
	}
	_, after, _ := strings.Cut(string(status), "Threads:")
	threads, err := strconv.Atoi(strings.Fields(after)[0])
	return counts{runtime.NumGoroutine(), len(files), threads}, err
}

// cycles starts and ends adapters in every way there is, and counts at the third round and at the end.
func cycles() error {
	var all [2]counts
	for i := range 21 {
		p, err := hostPool(source("alpha"), source("beta", "-start", "exit"))
		if err != nil {
			return err
		}
		n, err := ask(p, "alpha", "pid")
		if err != nil {
			return err
		}
		if _, err := ask(p, "beta", "pid"); err == nil {
			return fmt.Errorf("an adapter that ends at once answered")
		}
		if i%2 == 1 {
			pid, err := strconv.Atoi(n["pid"][0])
			if err != nil {
				return err
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				return err
			}
			for seen := false; !seen; time.Sleep(10 * time.Millisecond) {
				infos, err := p.Providers(context.Background())
				if err != nil {
					return err
				}
				seen = infos[0].State == adapter.Stopped
			}
			if _, err := ask(p, "alpha", "slow:1ms"); err != nil {
				return err
			}
		}
		if err := p.Close(); err != nil {
			return err
		}
		if i == 2 || i == 20 {
			time.Sleep(300 * time.Millisecond)
			if all[i/20], err = count(); err != nil {
				return err
			}
		}
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}
