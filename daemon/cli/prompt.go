package cli

import (
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// maxPrompt bounds what is read as a prompt, in bytes.
const maxPrompt = 4 << 20

// prompt holds the flags of one turn.
type prompt struct {
	resume     string
	model      string
	permission string
	verbose    bool
	text       string
}

func (a *app) promptCommand() *cobra.Command {
	var r request
	var b binding
	var pr prompt
	var keep string
	cmd := &cobra.Command{
		Use:   "prompt PROVIDER [TEXT...]",
		Short: "Prepare a session, have the agent do one thing, and clean up",
		Long: `Prepare a session, drive the client through one turn, and clean up. The answer goes to stdout as it comes, what the agent
does on the way to stderr. Without a text the prompt is read from stdin. Ctrl-C cancels the turn.

The agent asks for permission before it changes things, as its client sees fit. On a terminal you are asked; anywhere else
the answer is no, unless --permission says otherwise.

To go on with a conversation later, keep the session and name both: --session ID --keep all, then --resume CONVERSATION.

` + trustLong + "\n\n" + inheritLong,
		Example: `  greenroom prompt opencode "what does this repository do?"
  git diff | greenroom prompt kimi --permission deny "review this change"
  greenroom prompt opencode --upstream http://127.0.0.1:11434/v1 --model qwen3 --or-native "hello"
  greenroom prompt kimi --session review --keep all --json "go through the tests"`,
		Args: func(cmd *cobra.Command, args []string) error {
			return takes("PROVIDER")(cmd, args[:min(1, len(args))])
		},
		ValidArgsFunction: a.completeProviders,
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := parseKeep(keep)
			if err != nil {
				return err
			}
			if pr.resume != "" && r.session == "" {
				return usage("name the session that has it with --session", "--resume is the conversation of a session that was kept")
			}
			if pr.text, err = a.promptText(args[1:]); err != nil {
				return err
			}
			policy, asked, err := a.policy(pr.permission)
			if err != nil {
				return err
			}
			s, err := a.sessionOf(cmd.Context(), r, args[0])
			if err != nil {
				return err
			}
			pr.model = b.asked(pr.model)
			status, err := a.runOn(cmd.Context(), b, r.workspace, s, k, a.oneTurn(pr, policy, asked))
			if status != 0 {
				a.exit(err)
				return exitStatus(status)
			}
			return err
		},
	}
	r.flags(cmd)
	b.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&pr.resume, "resume", "", "`ID` of the conversation to go on with")
	f.StringVar(&pr.permission, "permission", "", "`HOW` permissions are given: ask, allow-edits or deny (default: ask on a terminal, else deny)")
	f.StringVar(&keep, "keep", "nothing", keepHelp)
	completeWith(cmd, "permission", "ask", "allow-edits", "deny")
	completeWith(cmd, "keep", "nothing", "transcripts", "all")
	return cmd
}

// asked is the model to ask for: without an endpoint, --model names one of the client's own.
func (b *binding) asked(model string) string {
	if b.upstream == "" && b.named == "" && b.agent == "" && len(b.models) == 1 {
		model, b.models = b.models[0], nil
	}
	return model
}

// promptText is the text of the arguments, or of what is piped to us, or both: the text says what to do with the rest.
func (a *app) promptText(words []string) (string, error) {
	text := strings.Join(words, " ")
	if !terminal(a.Stdin) && a.Stdin != nil {
		piped, err := io.ReadAll(io.LimitReader(a.Stdin, maxPrompt+1))
		if err != nil {
			return "", err
		}
		if len(piped) > maxPrompt || !utf8.Valid(piped) {
			return "", usage("give the agent the name of the file instead", "what is on stdin is no text of at most 4 MB")
		}
		if rest := strings.TrimSpace(string(piped)); rest != "" {
			text = strings.TrimSpace(text + "\n\n" + rest)
		}
	}
	if strings.TrimSpace(text) == "" {
		return "", usage(`as in: greenroom prompt opencode "say hello"`, "there is no prompt")
	}
	return text, nil
}

// connect starts the client of a session and begins or resumes a conversation. The connection is to be closed also when the
// latter fails.
func (a *app) connect(ctx context.Context, p *core.Prepared, pr prompt, o launch.Options) (c *launch.Conn, talk launch.Conversation, err error) {
	err = a.during("starting "+p.Provider, func() (err error) {
		if c, err = launch.Open(ctx, p, o); err != nil {
			return err
		}
		if pr.resume != "" {
			talk, err = c.Resume(ctx, pr.resume)
		} else {
			talk, err = c.NewSession(ctx)
		}
		if err == nil && pr.model != "" && pr.model != talk.Model {
			err = c.SetModel(ctx, pr.model)
		}
		return err
	})
	return c, talk, err
}

// oneTurn drives the client through one turn.
func (a *app) oneTurn(pr prompt, policy launch.Policy, asked *person) act {
	return func(ctx context.Context, h *core.Host, p *core.Prepared, admit admission) (int, error) {
		o := launch.Options{Host: h, Environ: a.Environ, Policy: policy, Refused: a.refused, Admit: admit}
		var wants chan struct{}
		if asked != nil {
			o.Ask, wants = asked.answer, asked.wants
		}
		c, talk, err := a.connect(ctx, p, pr, o)
		if c != nil {
			defer c.Close()
		}
		if err != nil {
			return 0, err
		}
		show := a.showing(p, talk)
		events := make(chan launch.Event)
		go func() {
			defer close(events)
			for e := range c.Prompt(ctx, launch.Block{Text: pr.text}) {
				events <- e
			}
		}()
		// The picture of waiting goes when there is something to read, or to answer.
		var first []launch.Event
		_ = a.during("waiting for "+p.Provider, func() error {
			for {
				select {
				case e, ok := <-events:
					if !ok {
						return nil
					}
					if first = append(first, e); e.Kind != launch.Model && e.Kind != launch.Usage && e.Kind != launch.Reasoning {
						return nil
					}
				case <-wants:
					return nil
				}
			}
		})
		if asked != nil {
			close(asked.free)
		}
		for _, e := range first {
			show.event(e)
		}
		for e := range events {
			show.event(e)
		}
		a.finished(ctx, show.last)
		return show.end()
	}
}
