package serve

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

// noise is what an adapter, or a library in it, writes to standard output and standard error. Standard output belongs
// to the handshake: a stray line there makes a host fail with a puzzling message.
type noise struct{ out, err *os.File }

// guardStdout puts a pipe in the place of standard output. The first line that is a handshake goes through, all else
// goes to the log. When there is no pipe to be had, standard output stays as it is.
func guardStdout(log hclog.Logger) *noise {
	real := os.Stdout
	out, outEnd, err := os.Pipe()
	if err != nil {
		return &noise{}
	}
	errs, errEnd, err := os.Pipe()
	if err != nil {
		out.Close()
		outEnd.Close()
		return &noise{}
	}
	os.Stdout = outEnd
	go sift(out, real, log)
	go eachLine(errs, func(line string) { log.Info("standard error", "line", line) })
	return &noise{out: outEnd, err: errEnd}
}

// takeOver is called with the first call of the host. By then go-plugin has put its own pipes in place, which carry
// the output to a host only as long as that reads them.
func (n *noise) takeOver() {
	if n.out != nil {
		os.Stdout, os.Stderr = n.out, n.err
	}
}

// sift passes the handshake on and logs the rest.
func sift(from io.Reader, handshake io.Writer, log hclog.Logger) {
	open := true
	eachLine(from, func(line string) {
		if open && isHandshake(line) {
			open = false
			io.WriteString(handshake, line+"\n")
			return
		}
		log.Warn("standard output is not for adapters", "line", line)
	})
}

// isHandshake says whether a line is "core|version|network|address|protocol|certificate".
func isHandshake(line string) bool {
	parts := strings.Split(line, "|")
	return len(parts) >= 6 && parts[0] == "1" && parts[4] == string(plugin.ProtocolGRPC)
}

// eachLine reads to the end and never stops reading before, so that no writer ever blocks for long. A very long line
// comes in pieces.
func eachLine(from io.Reader, do func(string)) {
	r := bufio.NewReaderSize(from, 16<<10)
	for {
		line, _, err := r.ReadLine()
		if err != nil {
			return
		}
		do(string(line))
	}
}
