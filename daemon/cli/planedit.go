package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// typed holds the flags that say what a plan is, and those for its key.
type typed struct {
	protocol, baseURL, kind, standard string
	models                            []string
	facts                             facts
	disabled, enabled                 bool

	keyEnv                     string
	keyStdin, keyPrompt, noKey bool
}

func (p *typed) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.protocol, "protocol", "", "what the endpoint speaks: openai, the default, or anthropic")
	f.StringVar(&p.baseURL, "base-url", "", "`URL` of the endpoint, as in https://api.example.com/v1 (default: the vendor's own)")
	f.StringArrayVar(&p.models, "model", nil, "`ID` of a model, may be given again")
	f.StringVar(&p.standard, "default", "", "`ID` of the model that is used when none is asked for (default: the first)")
	f.StringVar(&p.kind, "kind", "", "what it is, for people: official_subscription, coding_plan, domestic, relay or custom, the default")
	p.facts.flags(cmd)
	f.StringVar(&p.keyEnv, "key-env", "", "`NAME` of a variable that holds the key")
	f.BoolVar(&p.keyStdin, "key-stdin", false, "read the key from stdin")
	completeWith(cmd, "protocol", "openai", "anthropic")
	completeWith(cmd, "kind", "official_subscription", "coding_plan", "domestic", "relay", "custom")
}

// into puts what was typed into a spec. What was not typed stays.
func (p *typed) into(cmd *cobra.Command, s *modelplan.Spec) error {
	set := func(name string, field *string, value string) {
		if cmd.Flags().Changed(name) {
			*field = value
		}
	}
	protocol, kind := string(s.Protocol), string(s.Template)
	set("protocol", &protocol, p.protocol)
	set("kind", &kind, p.kind)
	s.Protocol, s.Template = preparer.Protocol(protocol), modelplan.Template(kind)
	set("base-url", &s.BaseURL, p.baseURL)
	if cmd.Flags().Changed("model") {
		if len(p.models) == 1 && p.models[0] == "" {
			p.models = nil // --model= empties the list
		}
		s.Models = nil
		for _, id := range p.models {
			s.Models = append(s.Models, modelplan.Model{ID: id})
		}
		if s.Default != "" && !s.Has(s.Default) {
			s.Default = ""
		}
	}
	set("default", &s.Default, p.standard)
	var ids []string
	for _, m := range s.Models {
		ids = append(ids, m.ID)
	}
	known, err := p.facts.of(ids)
	if err != nil {
		return err
	}
	for i, m := range known {
		if m.ContextTokens > 0 {
			s.Models[i].ContextTokens = m.ContextTokens
		}
		s.Models[i].Images = s.Models[i].Images || m.Images
	}
	return nil
}

// key is the key that was given, nil when none was.
func (p *typed) key(a *app) (*modelplan.Key, error) {
	text, given := "", true
	var err error
	switch {
	case p.noKey:
	case p.keyEnv != "":
		if !variableName.MatchString(p.keyEnv) {
			return nil, usage("export the key, and give the name of that variable", "--key-env is no name of a variable")
		}
		if text = a.env(p.keyEnv); strings.TrimSpace(text) == "" {
			return nil, refuse(codeNoKey, "export it: `read -rs "+p.keyEnv+" && export "+p.keyEnv+"`", "the variable %s is not set or is empty", p.keyEnv)
		}
	case p.keyStdin:
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(a.Stdin, modelplan.MaxKey+64)); err != nil {
			return nil, err
		}
		if text = string(data); strings.TrimSpace(text) == "" {
			return nil, refuse(codeNoKey, "pipe it, as in `pass show deepseek | greenroom plans add ... --key-stdin`", "there is no key on stdin")
		}
	case p.keyPrompt:
		text, given, err = a.promptKey()
	default:
		given = false
	}
	if err != nil || !given {
		return nil, err
	}
	key, err := modelplan.CleanKey(text)
	return &key, err
}

// promptKey asks for a key on the terminal, which does not show it. Nothing is asked anywhere else.
func (a *app) promptKey() (text string, asked bool, err error) {
	f, ok := a.Stdin.(*os.File)
	if !ok || !terminal(a.Stdin) {
		return "", false, nil
	}
	if _, err := io.WriteString(a.Stderr, "Key (not shown, empty for none): "); err != nil {
		return "", false, err
	}
	data, err := term.ReadPassword(int(f.Fd()))
	if _, told := io.WriteString(a.Stderr, "\n"); err == nil {
		err = told
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(data), true, err
}

func (a *app) addPlanCommand() *cobra.Command {
	var in inWorkspace
	var p typed
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a plan",
		Long: `Add a plan. Its key is read from a variable, from stdin, or asked for on a terminal, which does not show it; it stands on
no command line. Nothing is asked of the endpoint: check does that.

An official subscription has neither a base URL nor a key: it is the login of the vendor's own client.`,
		Example: `  greenroom plans add DeepSeek --base-url https://api.deepseek.com --model deepseek-chat --context 128k
  greenroom plans add Kimi --protocol anthropic --base-url https://api.kimi.com/coding --model kimi-for-coding
  pass show relay | greenroom plans add Relay --base-url https://relay.example/v1 --key-stdin
  greenroom plans add Local --base-url http://127.0.0.1:11434 --model qwen3-coder`,
		Args: takes("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := modelplan.Spec{Name: args[0], Protocol: preparer.OpenAI, Template: modelplan.Template(p.kind), Enabled: !p.disabled}
			if err := p.into(cmd, &s); err != nil {
				return err
			}
			if _, err := s.Clean(); err != nil {
				return err // before anybody types a key
			}
			p.keyPrompt = s.Template != modelplan.OfficialSubscription
			key, err := p.key(a)
			if err != nil {
				return err
			}
			if key == nil {
				key = new(modelplan.Key)
			}
			return a.withAccess(cmd.Context(), func(acc modelAccess) error {
				made, err := acc.CreatePlan(cmd.Context(), in.id, s, *key)
				if err != nil {
					return err
				}
				if err := a.showPlan(made, "was added"); err != nil || a.json {
					return err
				}
				a.hint("check it: greenroom plans check " + paint.Clean(quoted(made.Name)))
				return nil
			})
		},
	}
	in.flags(cmd)
	p.flags(cmd)
	cmd.Flags().BoolVar(&p.disabled, "disabled", false, "add it without letting it be used")
	return cmd
}

func (a *app) editPlanCommand() *cobra.Command {
	var in inWorkspace
	var p typed
	var name string
	cmd := &cobra.Command{
		Use:   "edit PLAN",
		Short: "Change a plan",
		Long: `Change a plan; what is not named stays as it is. A new key, another protocol or another URL makes it undetected until it is
checked again. Sessions that run keep what they have until their next turn.`,
		Example: `  greenroom plans edit DeepSeek --model deepseek-chat --model deepseek-reasoner
  greenroom plans edit DeepSeek --key
  greenroom plans edit DeepSeek --disable`,
		Args:              takes("PLAN"),
		ValidArgsFunction: a.completePlans,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if p.enabled && p.disabled {
			return usage("", "--enable and --disable are both given")
		}
		var old modelplan.Plan
		find := a.onPlan(&in, func(_ context.Context, _ modelAccess, found modelplan.Plan, _ []string) error {
			old = found
			return nil
		})
		if err := find(cmd, args); err != nil {
			return err // before anybody types a key
		}
		// Nothing is open while somebody types: what the store was opened with may be replaced meanwhile.
		key, err := p.key(a)
		if err != nil {
			return err
		}
		if p.keyPrompt && key == nil {
			return usage("pipe the key, with --key-stdin", "--key asks on a terminal, and this is none")
		}
		return a.withAccess(cmd.Context(), func(acc modelAccess) error {
			made, err := acc.UpdatePlan(cmd.Context(), in.id, old.ID, old.Revision, func(now modelplan.Plan) (store.Edit, error) {
				s := now.Spec
				if name != "" {
					s.Name = name
				}
				s.Enabled = p.enabled || s.Enabled && !p.disabled
				err := p.into(cmd, &s)
				return store.Edit{Spec: s, Key: key}, err
			})
			if err != nil {
				return err
			}
			return a.showPlan(made, "was changed")
		})
	}
	in.flags(cmd)
	p.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&name, "name", "", "new name")
	f.BoolVar(&p.keyPrompt, "key", false, "ask for a new key on the terminal")
	f.BoolVar(&p.noKey, "no-key", false, "take the key away")
	f.BoolVar(&p.enabled, "enable", false, "let it be used")
	f.BoolVar(&p.disabled, "disable", false, "let no new session use it")
	return cmd
}
