package serve

import (
	"io"
	"os"
	"strconv"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/hashicorp/go-hclog"
)

// pollEvery is how often the parent is looked at where no lifeline was given.
const pollEvery = time.Second

// watchHost ends the process when its host is gone: at the end of the inherited lifeline, of which the host holds the
// other end, or else, on Unix, when the parent changes. Without it a silent adapter would live on for ever after its
// host was killed.
func watchHost(log hclog.Logger) {
	if line := lifeline(os.Getenv(protocol.LifelineEnv)); line != nil {
		go func() {
			io.Copy(io.Discard, line)
			os.Exit(0)
		}()
		return
	}
	parent := os.Getppid()
	if !parentChanges {
		return
	}
	log.Debug("no lifeline, watching the parent", "every", pollEvery)
	go func() {
		for os.Getppid() == parent {
			time.Sleep(pollEvery)
		}
		os.Exit(0)
	}()
}

// lifeline is the inherited descriptor of that number, or nil when there is none or it is no pipe.
func lifeline(number string) *os.File {
	fd, err := strconv.Atoi(number)
	if err != nil || fd < 3 || !isPipe(fd) {
		return nil
	}
	closeOnExec(fd)
	return os.NewFile(uintptr(fd), "lifeline")
}
