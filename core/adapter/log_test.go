package adapter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
)

func TestWhatAdaptersWriteIsLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"serve": nil, "go-plugin alone": {"-start", "plain"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log record
			p := pool(t, adapter.Config{Logger: log.logger(), Redact: redact}, source("alpha", args...))
			notes(t, p, "alpha", "print:"+secret)
			eventually(t, 10*time.Second, "both lines are logged", func() bool {
				return strings.Contains(log.String(), "printed [masked]") && strings.Contains(log.String(), "complained [masked]")
			})
			if strings.Contains(log.String(), "v4lue") {
				t.Errorf("the log holds the secret:\n%s", log.String())
			}
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, `adapter="adapter alpha (testadapter)"`) {
					t.Errorf("the line does not name the adapter: %s", line)
				}
				if strings.Contains(line, "printed") && !strings.Contains(line, "level=WARN") {
					t.Errorf("printing is no warning: %s", line)
				}
				if strings.Contains(line, "level=ERROR") {
					t.Errorf("an error is logged: %s", line)
				}
			}
		})
	}
}
