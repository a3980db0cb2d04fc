package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Args are the values of inputs by name, in the order in which they were given.
type Args []Arg

// Arg is the value of one input.
type Arg struct{ Name, Value string }

// MakeArgs makes Args of names and values that take turns.
func MakeArgs(pairs ...string) (Args, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("args takes names and values in turns, and got %d words", len(pairs))
	}
	var list Args
	for i := 0; i < len(pairs); i += 2 {
		if strings.TrimSpace(pairs[i]) == "" {
			return nil, fmt.Errorf("args got a blank name")
		}
		if slices.ContainsFunc(list, func(a Arg) bool { return a.Name == pairs[i] }) {
			return nil, fmt.Errorf("args got %q twice", pairs[i])
		}
		list = append(list, Arg{pairs[i], pairs[i+1]})
	}
	return list, nil
}

// Path is the words of a command after the tool's name.
func (s *Snapshot) Path(id string) (string, error) {
	e, err := s.known(id)
	if err != nil {
		return "", err
	}
	return strings.Join(e.path, " "), nil
}

// HasInput says whether a command has an input. A command that the session does not have is an error.
func (s *Snapshot) HasInput(id, name string) (bool, error) {
	e, err := s.known(id)
	if err != nil {
		return false, err
	}
	_, ok := e.input(name)
	return ok, nil
}

// InputValues lists the only values of an input, or none when it takes any.
func (s *Snapshot) InputValues(id, name string) ([]string, error) {
	e, err := s.known(id)
	if err != nil {
		return nil, err
	}
	in, ok := e.input(name)
	if !ok {
		return nil, fmt.Errorf("command %q has no input %q", id, name)
	}
	return slices.Clone(in.Values), nil
}

func (s *Snapshot) known(id string) (*entry, error) {
	if e := s.get(id); e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("there is no command %q", id)
}

func (e *entry) input(name string) (Input, bool) {
	for _, in := range e.inputs {
		if in.Name == name {
			return in, true
		}
	}
	return Input{}, false
}

// Text is the whole command as an agent runs it: required inputs first, those without a value as <name>, then the
// others that were given, then --json where the command has it. An input that there is not and a value that is none of
// those allowed are errors. A value of the form <...> stands for one that the agent fills in, and is not looked at.
func (s *Snapshot) Text(id string, args Args) (string, error) {
	e, err := s.known(id)
	if err != nil {
		return "", err
	}
	words := append([]string{s.cli}, e.path...)
	for _, a := range args {
		if _, ok := e.input(a.Name); !ok {
			return "", fmt.Errorf("command %q has no input %q", id, a.Name)
		}
	}
	for _, in := range e.inputs {
		i := slices.IndexFunc(args, func(a Arg) bool { return a.Name == in.Name })
		switch {
		case i >= 0:
			word, err := in.word(args[i].Value)
			if err != nil {
				return "", fmt.Errorf("command %q: input %q %w", id, in.Name, err)
			}
			words = append(words, word)
		case in.Required:
			words = append(words, "--"+in.Name+" <"+in.Name+">")
		}
	}
	if e.json {
		words = append(words, "--json")
	}
	return strings.Join(words, " "), nil
}

var (
	placeholder = regexp.MustCompile(`^<[A-Za-z0-9][A-Za-z0-9 ._|-]*>$`)
	bare        = regexp.MustCompile(`^[A-Za-z0-9_./:+][A-Za-z0-9_./:+-]*$`)
	number      = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
)

// word is an input with its value, as both POSIX shells and PowerShell take it for one and the same.
func (in Input) word(value string) (string, error) {
	flag := "--" + in.Name
	if placeholder.MatchString(value) {
		return flag + " " + value, nil
	}
	if len(in.Values) > 0 && !slices.Contains(in.Values, value) {
		return "", fmt.Errorf("does not take the value %s", shown(value))
	}
	switch {
	case in.Type == "boolean" && value == "true":
		return flag, nil
	case in.Type == "boolean" && value == "false":
		return flag + " false", nil
	case in.Type == "boolean":
		return "", fmt.Errorf("is true or false, not %s", shown(value))
	case (in.Type == "integer" || in.Type == "number") && !number.MatchString(value):
		return "", fmt.Errorf("is a number, not %s", shown(value))
	case in.Type == "integer" && strings.Contains(value, "."):
		return "", fmt.Errorf("is a whole number, not %s", shown(value))
	}
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) }):
		return "", fmt.Errorf("has a value with characters that control text, or is not UTF-8")
	case bare.MatchString(value):
		return flag + " " + value, nil
	case number.MatchString(value):
		return flag + "=" + value, nil // one that begins with a dash
	case !strings.ContainsAny(value, "'‘’‚‛") && !strings.HasPrefix(value, "-"): // to PowerShell all of them are apostrophes
		return flag + " '" + value + "'", nil
	case !strings.ContainsAny(value, "\"$`\\!“”„") && !strings.HasPrefix(value, "-"):
		return flag + ` "` + value + `"`, nil
	}
	return "", fmt.Errorf("has a value that no two shells read alike")
}
