// Command rtkdouble stands in for rtk in tests: it answers hooks and rewrites commands as recorded in
// testdata/rtk, and runs the commands that it is put in front of. It knows echo, cat and git only, and writes down how it was called where
// rtk would write, below the session. A command line that holds "hang" makes it sleep instead of answering, together with a child.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Mark is what it prints in front of the output of a command.
const mark = "shortened-51c2"

// stay is how it calls itself to do nothing for a while.
const stay = "stay-51c2"

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	note(args)
	if len(args) == 0 {
		return 1
	}
	switch args[0] {
	case stay:
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		time.Sleep(time.Minute)
		return 0
	case "rewrite":
		command := strings.Join(args[1:], " ")
		text, code := rewrite(command)
		switch {
		case code == 3 && ruled(command, "deny"):
			return 2
		case code == 3 && ruled(command, "allow"):
			code = 0
		}
		fmt.Print(text)
		return code
	case "hook":
		hook(args[1])
		return 0
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.Output()
	fmt.Printf("%s %s", mark, out)
	if err != nil {
		return 1
	}
	return 0
}

// note writes down a call below the directory that the session gives it.
func note(args []string) {
	file, err := os.OpenFile(filepath.Join(os.Getenv("RTK_TEE_DIR"), "calls.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(file, strings.Join(args, " "))
		file.Close()
	}
}

// rewrite answers a command line and the exit code that rtk gives with it where there are no rules: 3, and 1 where it knows none.
func rewrite(command string) (string, int) {
	if strings.Contains(command, "hang") {
		hang()
	}
	program, _, _ := strings.Cut(command, " ")
	if !slices.Contains([]string{"echo", "cat", "git"}, program) || strings.ContainsAny(command, "`$<") {
		return "", 1
	}
	return "rtk " + command, 3
}

// hang answers late, and not sooner for a signal that can be ignored. What it begins holds its output open for as long.
func hang() {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if self, err := os.Executable(); err == nil {
		child := exec.Command(self, stay)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	time.Sleep(time.Minute)
}

// hook reads what a client asks of a hook before it runs a command, and answers it. It gives no opinion on what may run.
func hook(client string) {
	raw, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<20))
	text := strings.TrimLeft(string(raw), "\ufeff")
	var asked struct {
		Input map[string]any `json:"tool_input"`
	}
	if err != nil || json.Unmarshal([]byte(text), &asked) != nil {
		fmt.Println("{}")
		return
	}
	command, _ := asked.Input["command"].(string)
	better, code := rewrite(command)
	if code != 3 {
		fmt.Println("{}")
		return
	}
	asked.Input["command"] = better
	var answer any
	switch client {
	case "claude":
		said := map[string]any{"hookEventName": "PreToolUse", "permissionDecisionReason": "rewritten", "updatedInput": asked.Input}
		if ruled(command, "allow") {
			said["permissionDecision"] = "allow"
		}
		answer = map[string]any{"hookSpecificOutput": said}
	case "cursor":
		answer = map[string]any{"continue": true, "permission": "ask", "updated_input": map[string]any{"command": better}}
	default:
		answer = struct{}{}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// ruled says whether settings of Claude Code, those of the user or of the project, have a rule of a kind for exactly a command.
// Only then does rtk say so itself, whichever client it is.
func ruled(command, kind string) bool {
	for _, dir := range []string{os.Getenv("HOME"), "."} {
		data, err := os.ReadFile(filepath.Join(dir, ".claude", "settings.json"))
		var settings struct {
			Permissions map[string]json.RawMessage
		}
		if err != nil || json.Unmarshal(data, &settings) != nil {
			continue
		}
		var rules []string
		if json.Unmarshal(settings.Permissions[kind], &rules) == nil && slices.Contains(rules, "Bash("+command+")") {
			return true
		}
	}
	return false
}
