package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
)

// facts are what a person says of the models of an endpoint. Most endpoints do not tell.
type facts struct {
	contexts, images []string
}

// everyModel stands for all models, everyModelWord is how a person says it of pictures.
const everyModel, everyModelWord = "", "all"

func (f *facts) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.contexts, "context", nil, "`TOKENS` that models read at once, as 200k, or ID=1m for one, may be given again (default 128k)")
	fl.StringArrayVar(&f.images, "images", nil, "`ID` of a model that can see pictures, or all, may be given again (default: none)")
}

// given says whether any of the flags were.
func (f *facts) given() bool { return len(f.contexts)+len(f.images) > 0 }

// of gives the models with what is known of them.
func (f *facts) of(ids []string) ([]modelendpoint.Model, error) {
	models := make([]modelendpoint.Model, 0, len(ids))
	for _, id := range ids {
		models = append(models, modelendpoint.Model{ID: id})
	}
	each := func(flag, id string, set func(*modelendpoint.Model)) error {
		if id != everyModel && !slices.Contains(ids, id) {
			return usage("name a model as --model does", "--%s names %q, which is no --model", flag, id)
		}
		for i := range models {
			if id == everyModel || models[i].ID == id {
				set(&models[i])
			}
		}
		return nil
	}
	// What is said of one model counts more than what is said of all, whichever comes first.
	for _, all := range []bool{true, false} {
		for _, said := range f.contexts {
			id, size := everyModel, said
			if i := strings.LastIndexByte(said, '='); i >= 0 {
				id, size = said[:i], said[i+1:]
			}
			n, ok := modelplan.ParseTokens(size)
			if !ok || id == everyModel && size != said {
				return nil, usage("as in --context 200k, or --context some-model=1m", "--context %q is no number of tokens from 1k to 1000m", said)
			}
			if all != (id == everyModel) {
				continue
			}
			if err := each("context", id, func(m *modelendpoint.Model) { m.ContextTokens = n }); err != nil {
				return nil, err
			}
		}
	}
	for _, id := range f.images {
		if id == everyModelWord {
			id = everyModel
		}
		if err := each("images", id, func(m *modelendpoint.Model) { m.Images = true }); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// known is of for facts that were found to be right before.
func (f *facts) known(ids []string) []modelendpoint.Model {
	models, _ := f.of(ids)
	return models
}

// vision says which models can see pictures, nil if nobody said anything of it. Where somebody did, the others cannot.
func (f *facts) vision(ids []string) map[string]bool {
	if len(f.images) == 0 {
		return nil
	}
	sees := make(map[string]bool, len(ids))
	for _, m := range f.known(ids) {
		sees[m.ID] = m.Images
	}
	return sees
}
