// Command compat runs the conformance tests against the real clients and holds docs/compatibility.md against their
// results. It is to be run in the directory of the conformance module.
//
//	go run ./cmd/compat          fails when a test fails, a client is missing, or the table is not up to date
//	go run ./cmd/compat -write   writes the table
//
// It prints one line for each test, and what a failed one printed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/conformance/matrix"
)

func main() {
	write := flag.Bool("write", false, "write the table instead of comparing it")
	table := flag.String("table", filepath.Join("..", "docs", "compatibility.md"), "file of the table")
	timeout := flag.String("timeout", "30m", "limit of all tests together")
	from := flag.String("from", "", "file with what `go test -json` printed, instead of running the tests")
	flag.Parse()
	if err := run(*table, *timeout, *from, *write); err != nil {
		fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(1)
	}
}

func run(table, timeout, from string, write bool) error {
	clients := matrix.Clients()
	lock, err := os.ReadFile(filepath.Join("clients", "package-lock.json"))
	if err != nil {
		return err
	}
	if err := matrix.Pin(clients, lock); err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join("clients", "hermes.txt"))
	if err != nil {
		return err
	}
	hermes, err := matrix.PinList(matrix.Hermes(), list)
	if err != nil {
		return err
	}
	seen, testErr := recorded(from)
	if from == "" {
		seen, testErr = test(timeout)
	}
	if seen.Results == nil {
		return testErr
	}
	if missing := matrix.Unlisted(matrix.AllRows(), seen.Results); len(missing) > 0 && testErr == nil {
		testErr = fmt.Errorf("no row of the table names %s", strings.Join(missing, ", "))
	}
	text, renderErr := matrix.Render(clients, matrix.Rows(), seen)
	have, err := os.ReadFile(table)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, section := range matrix.Sections(clients, hermes) {
		if section.Lacking(seen.Results, os.Getenv) { // what was shown elsewhere stays
			fmt.Printf("known: unreachable: %s, and the table %q is left as it is\n", section.Unreachable, section.Title)
			text += section.Part(string(have))
			continue
		}
		part, err := section.Render(seen)
		text, renderErr = text+part, errors.Join(renderErr, err)
	}
	if err := errors.Join(testErr, renderErr); err != nil {
		return err
	}
	if write {
		return os.WriteFile(table, []byte(text), 0o644)
	}
	if matrix.Undated(string(have)) != matrix.Undated(text) {
		return fmt.Errorf("%s is not up to date; run: go run ./cmd/compat -write", filepath.ToSlash(table))
	}
	fmt.Printf("%s is up to date\n", filepath.ToSlash(table))
	return nil
}

// recorded are the results of a run that was written down.
func recorded(file string) (matrix.Run, error) {
	if file == "" {
		return matrix.Run{}, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return matrix.Run{}, err
	}
	defer f.Close()
	return matrix.Read(f, func(string, string) {})
}

// test runs the conformance tests with clients required.
func test(timeout string) (matrix.Run, error) {
	// One package after the other: they have the clients and the machine to themselves.
	cmd := exec.Command("go", "test", "-json", "-count=1", "-p=1", "-timeout="+timeout, ".", "./gateway")
	cmd.Env = append(os.Environ(), "GREENROOM_REQUIRE_CLIENTS=1")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return matrix.Run{}, err
	}
	if err := cmd.Start(); err != nil {
		return matrix.Run{}, err
	}
	output := map[string]string{}
	seen, err := matrix.Read(stdout, func(test, text string) {
		output[test] += text
		trimmed := strings.TrimSpace(text)
		if strings.HasPrefix(trimmed, "--- ") || test == "" {
			fmt.Print(text)
		}
	})
	if err != nil {
		return matrix.Run{}, errors.Join(err, cmd.Wait())
	}
	for name, outcome := range seen.Results {
		if outcome == matrix.Failed {
			fmt.Printf("=== %s\n%s", name, output[name])
		}
	}
	if err := cmd.Wait(); err != nil {
		return seen, fmt.Errorf("the tests failed: %w", err)
	}
	return seen, nil
}
