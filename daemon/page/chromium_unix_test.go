//go:build unix

package page_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// requireBrowser makes it a failure that there is no browser.
const requireBrowser = "GREENROOM_REQUIRE_BROWSER"

// chromium is a real browser without a window, which is told what to do over its pipe of the DevTools protocol.
type chromium struct {
	*testing.T
	to      *os.File
	session string

	mu       sync.Mutex
	next     int
	waiting  map[int]chan message
	trouble  []string // what the browser complains of
	requests []string // the addresses that it asked
}

type message struct {
	ID     int             `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
	Session string `json:"sessionId,omitempty"`
}

// patience is how long anything of the browser may take on a machine that has much to do.
const patience = time.Minute

func newChromium(t *testing.T) *chromium {
	t.Helper()
	if testing.Short() {
		t.Skip("real programs run in make conformance")
	}
	program, err := exec.LookPath("chromium")
	if err != nil && os.Getenv(requireBrowser) == "1" {
		t.Fatal("there is no chromium: apt-get install chromium")
	} else if err != nil {
		t.Skip("there is no chromium; where " + requireBrowser + " is 1 that is a failure")
	}
	commands, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--remote-debugging-pipe", "--user-data-dir="+home, "about:blank")
	cmd.Env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	cmd.ExtraFiles = []*os.File{commands, answers}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	commands.Close()
	answers.Close()
	c := &chromium{T: t, to: to, waiting: map[int]chan message{}}
	done := make(chan struct{})
	go func() { defer close(done); c.hear(from) }()
	t.Cleanup(func() {
		// Closing the pipe asks it to end. Its directory can go when it has.
		to.Close()
		timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		<-done
		_ = cmd.Wait()
		timer.Stop()
		from.Close()
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	c.call("Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			c.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			c.session = attached.SessionID
		}
	}
	for _, domain := range []string{"Page", "Log", "Runtime", "Network"} {
		c.call(domain+".enable", nil, nil)
	}
	return c
}

// hear takes answers to those who wait for them, until the browser ends.
func (c *chromium) hear(from *os.File) {
	r := bufio.NewReader(from)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			for _, w := range c.waiting {
				close(w)
			}
			c.waiting = nil
			return
		}
		var m message
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		switch {
		case m.ID > 0:
			if w := c.waiting[m.ID]; w != nil {
				w <- m
				delete(c.waiting, m.ID)
			}
		case m.Method == "Log.entryAdded" || m.Method == "Runtime.exceptionThrown":
			c.trouble = append(c.trouble, string(m.Params))
		case m.Method == "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			_ = json.Unmarshal(m.Params, &p)
			c.requests = append(c.requests, p.Request.URL)
		}
		c.mu.Unlock()
	}
}

func (c *chromium) call(method string, params, into any) {
	c.Helper()
	if params == nil {
		params = map[string]any{}
	}
	c.mu.Lock()
	c.next++
	id, w := c.next, make(chan message, 1)
	if c.waiting == nil {
		c.mu.Unlock()
		c.Fatal("the browser has ended")
	}
	c.waiting[id] = w
	data, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params, "sessionId": c.session})
	if c.session == "" {
		data, err = json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	}
	if err == nil {
		_, err = c.to.Write(append(data, 0))
	}
	c.mu.Unlock()
	if err != nil {
		c.Fatal(err)
	}
	select {
	case m, ok := <-w:
		if !ok || m.Error != nil {
			c.Fatalf("%s: %+v", method, m.Error)
		}
		if into != nil {
			if err := json.Unmarshal(m.Result, into); err != nil {
				c.Fatal(err)
			}
		}
	case <-time.After(patience):
		c.Fatalf("%s is not answered", method)
	}
}

// see evaluates an expression on what is shown, from outside of it.
func (c *chromium) see(expression string, into any) {
	c.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	c.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		c.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if err := json.Unmarshal(got.Result.Value, into); err != nil && len(got.Result.Value) > 0 {
		c.Fatalf("%s: %v in %s", expression, err, got.Result.Value)
	}
}

// until waits for something to be so of what is shown.
func (c *chromium) until(expression string) {
	c.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		// While a page is left there is nothing to look at, which is not yet so.
		var is bool
		c.see("(() => { try { return !!("+expression+") } catch { return false } })()", &is)
		if is {
			return
		}
		if time.Now().After(end) {
			c.Fatalf("never: %s; shown is %s", expression, c.text())
		}
	}
}

// text is what is shown to somebody who looks.
func (c *chromium) text() string {
	c.Helper()
	var text string
	c.see("location.pathname + ': ' + (document.body ? document.body.innerText : '')", &text)
	return strings.Join(strings.Fields(text), " ")
}

// open goes to an address, as by typing it.
func (c *chromium) open(address string) {
	c.Helper()
	c.see("window.left = true", new(bool))
	c.call("Page.navigate", map[string]any{"url": address}, nil)
	c.until("!window.left && document.readyState === 'complete'")
}

var keys = map[string]int{"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}

// press presses keys.
func (c *chromium) press(names ...string) {
	c.Helper()
	for _, name := range names {
		text := map[string]string{"Enter": "\r", " ": " "}[name]
		key := map[string]any{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": keys[name]}
		if text != "" {
			key["text"] = text
		}
		c.call("Input.dispatchKeyEvent", key, nil)
		c.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": keys[name]}, nil)
	}
}

// type types a text where the focus is.
func (c *chromium) write(text string) {
	c.Helper()
	c.call("Input.insertText", map[string]any{"text": text}, nil)
}

// focus is what the next key goes to.
func (c *chromium) focus() string {
	c.Helper()
	var name string
	c.see("(e => e.id || e.name || e.innerText || e.tagName)(document.activeElement)", &name)
	return strings.TrimSpace(name)
}

// tabTo presses Tab until the focus is somewhere, and gives where it was on the way.
func (c *chromium) tabTo(name string) (way []string) {
	c.Helper()
	for range 60 {
		if at := c.focus(); at == name {
			return way
		} else {
			way = append(way, at)
		}
		c.press("Tab")
	}
	c.Fatalf("Tab never leads to %q, but to %q", name, way)
	return nil
}

// look says how wide the window is and which colours a person prefers.
func (c *chromium) look(width int, scheme string) {
	c.Helper()
	c.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	c.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}
