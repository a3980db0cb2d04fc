package scaffold

import (
	"embed"
	"encoding/json"
	"io/fs"
	"strings"
)

//go:embed extension
var files embed.FS

// The words that the files have in the place of what an author chooses.
const (
	keyWord  = "agent-key"
	nameWord = "Agent Name"
	homeWord = "AGENT_KEY"
)

// Extension is the files of a package by their path, for an agent called key, and name in front of people. The key is
// one that a release may have.
func Extension(key, name string) (map[string][]byte, error) {
	variable := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(key))
	if variable[0] >= '0' && variable[0] <= '9' {
		variable = "AGENT_" + variable
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	inJSON := strings.NewReplacer(keyWord, key, nameWord, string(quoted[1:len(quoted)-1]), homeWord, variable)
	inText := strings.NewReplacer(keyWord, key, nameWord, name, homeWord, variable)
	out := map[string][]byte{}
	err = fs.WalkDir(files, "extension", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		put := inText
		if strings.HasSuffix(path, ".json") {
			put = inJSON
		}
		out[strings.TrimPrefix(path, "extension/")] = []byte(put.Replace(string(data)))
		return err
	})
	return out, err
}
