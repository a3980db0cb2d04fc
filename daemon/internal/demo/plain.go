package demo

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxDepth and maxItems bound what the plain program looks at.
const (
	maxDepth = 8
	maxItems = 2000
)

// Read is the plain program that plays where no real client is found. It knows no client: it looks at each directory
// and file that a variable or an argument names by an absolute path, follows links, and says what an agent could read
// there. Working directory and lists of directories such as PATH are not among them.
func Read(w io.Writer, environ, args []string, cwd string) error {
	r := &reader{w: bufio.NewWriter(w), seen: map[string]bool{}, cwd: cwd}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			r.start("$"+name, value)
		}
	}
	for i, arg := range args {
		name := arg
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			name, arg = flag, value
		} else if i > 0 && strings.HasPrefix(args[i-1], "-") {
			name = args[i-1]
		}
		r.start(name, arg)
	}
	return r.w.Flush()
}

type reader struct {
	w    *bufio.Writer
	seen map[string]bool // real paths of directories, so that a loop of links ends
	cwd  string
	n    int
}

func (r *reader) start(name, path string) {
	if !filepath.IsAbs(path) || path == r.cwd {
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		fmt.Fprintf(r.w, "%s is a directory\n", name)
		r.dir(path, "", 0)
	case info.Mode().IsRegular():
		fmt.Fprintf(r.w, "%s is a file\n", name)
		r.file(path, filepath.Base(path), info)
	}
}

func (r *reader) dir(path, rel string, depth int) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || r.seen[real] || depth > maxDepth {
		return
	}
	r.seen[real] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		fmt.Fprintf(r.w, "  %s cannot be read\n", rel)
		return
	}
	for _, e := range entries {
		if r.n++; r.n > maxItems {
			return
		}
		child, childRel := filepath.Join(path, e.Name()), filepath.ToSlash(filepath.Join(rel, e.Name()))
		info, err := os.Stat(child)
		switch {
		case err != nil:
			fmt.Fprintf(r.w, "  link      %s leads nowhere yet\n", childRel)
		case info.IsDir():
			r.dir(child, childRel, depth+1)
		default:
			r.file(child, childRel, info)
		}
	}
}

func (r *reader) file(path, rel string, info fs.FileInfo) {
	kind, said := "file", fmt.Sprintf("%d bytes", info.Size())
	if strings.HasSuffix(path, ".md") && info.Mode().IsRegular() {
		kind = "text"
		if filepath.Base(path) == "SKILL.md" {
			kind = "skill"
		}
		if data, err := os.ReadFile(path); err == nil {
			said = gist(string(data))
		}
	}
	fmt.Fprintf(r.w, "  %-8s  %s: %s\n", kind, rel, said)
}

// gist is the name of a skill, or the headings of a text.
func gist(text string) string {
	var said []string
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		front, body, _ := strings.Cut(rest, "\n---")
		for line := range strings.SplitSeq(front, "\n") {
			if name, ok := strings.CutPrefix(line, "name:"); ok {
				said = append(said, strings.TrimSpace(name))
			}
		}
		text = body
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "# ") {
			said = append(said, line)
		}
	}
	return strings.Join(said, ", ")
}
