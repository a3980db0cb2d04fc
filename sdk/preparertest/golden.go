package preparertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"golang.org/x/tools/txtar"
)

// The one flag of the kit: go test -update. It must be known before a test binary parses its arguments.
var update = flag.Bool("update", false, "write the golden layouts that the adapter makes now")

// Golden compares what an adapter answers with the golden cases of a directory, one txtar file each: a section
// request.json (see [ParseRequest]) and either layout.txt, as [Print] writes it, or refusal.txt. What stands above the
// first section says what the case is about. With -update the answers are written instead.
//
// Every layout must keep the rules of [CheckLayout] too. Where the directory has a descriptor.json, it is what the adapter
// describes: what a client is asked and what of the user's is looked at changes no layout of a case, and is seen there.
func Golden(t *testing.T, p preparer.Preparer, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no golden case in %s", dir)
	}
	if file := filepath.Join(dir, "descriptor.json"); read(file) != nil {
		t.Run("descriptor", func(t *testing.T) {
			text, err := json.MarshalIndent(p.Describe(), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			if text = append(text, '\n'); *update {
				err = os.WriteFile(file, text, 0o644)
			} else if diff := cmp.Diff(strings.Split(string(read(file)), "\n"), strings.Split(string(text), "\n")); diff != "" {
				t.Errorf("another descriptor (-want +have), go test -update takes it over:\n%s", diff)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for _, err := range golden(t, p, file, *update) {
				t.Error(err)
			}
		})
	}
}

// Request is the request of a golden case.
func Request(p preparer.Preparer, file string) (preparer.Request, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return preparer.Request{}, err
	}
	text, ok := section(archive, "request.json")
	if !ok {
		return preparer.Request{}, errors.New("the section request.json is missing")
	}
	return ParseRequest(p.Describe(), text)
}

func golden(t testing.TB, p preparer.Preparer, file string, update bool) []error {
	r, err := Request(p, file)
	if err != nil {
		return []error{err}
	}
	name, text, bad := answered(t, p, r)
	if len(bad) > 0 {
		return bad
	}
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return []error{err}
	}
	if update {
		request, _ := section(archive, "request.json")
		archive.Files = []txtar.File{{Name: "request.json", Data: request}, {Name: name, Data: []byte(text)}}
		if changed := txtar.Format(archive); !bytes.Equal(changed, read(file)) {
			if err := os.WriteFile(file, changed, 0o644); err != nil {
				return []error{err}
			}
		}
		return nil
	}
	want, ok := section(archive, name)
	if !ok {
		return []error{fmt.Errorf("the adapter answers with a %s, which the case does not have:\n%s", name, text)}
	}
	if len(archive.Files) != 2 {
		return []error{errors.New("a case has two sections, request.json and either layout.txt or refusal.txt")}
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		return []error{fmt.Errorf("another %s (-want +have), go test -update takes it over:\n%s", name, diff)}
	}
	return nil
}

// answered is the section that an answer belongs in, and its text.
func answered(t testing.TB, p preparer.Preparer, r preparer.Request) (name, text string, bad []error) {
	l, err := protocol.InProcess(p).Prepare(t.Context(), r)
	var refusal *preparer.Refusal
	switch {
	case errors.As(err, &refusal):
		text = "code: " + refusal.Code + "\ntext: " + refusal.Text + "\n"
		if refusal.Hint != "" {
			text += "hint: " + refusal.Hint + "\n"
		}
		return "refusal.txt", text, nil
	case err != nil:
		return "", "", []error{err}
	}
	return "layout.txt", Print(l), append(CheckLayout(p.Describe(), l), checkAnswer(r, l)...)
}

func section(a *txtar.Archive, name string) ([]byte, bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

func read(file string) []byte {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return b
}
