package demo

import (
	"os"
	"path/filepath"
)

// Stage is a scratch folder with an invented person in it.
type Stage struct {
	Root    string // holds all of the others
	Home    string // the person's home
	Project string // where they work, in their home
	State   string // Greenroom's own directory, in their home and not made yet
	Temp    string // where programs put what they need for a while
}

// What the invented person wrote. Each stands once in their home, so that it can be looked for where it arrives.
const (
	houseRule = "Answer this person in one sentence."
	ownSkill  = "tidy-notes"
)

// props are the files of the invented home and project.
var props = map[string]string{
	"home/.codex/AGENTS.md":                                  "# House rules\n\n" + houseRule + "\n",
	"home/.codex/config.toml":                                "# Written by hand.\nmodel_reasoning_effort = \"low\"\n\n[mcp_servers.notes]\ncommand = \"true\"\nenabled = false\n",
	"home/.codex/skills/" + ownSkill + "/SKILL.md":           skillText,
	"home/.codex/auth.json":                                  "{\"OPENAI_API_KEY\": \"invented-for-the-demo\"}\n",
	"home/.claude/CLAUDE.md":                                 "# House rules\n\n" + houseRule + "\n",
	"home/.claude/settings.json":                             "{\"includeCoAuthoredBy\": false}\n",
	"home/.claude/skills/" + ownSkill + "/SKILL.md":          skillText,
	"home/.config/opencode/AGENTS.md":                        "# House rules\n\n" + houseRule + "\n",
	"home/.config/opencode/skills/" + ownSkill + "/SKILL.md": skillText,
	"home/.kimi-code/AGENTS.md":                              "# House rules\n\n" + houseRule + "\n",
	"home/.kimi-code/skills/" + ownSkill + "/SKILL.md":       skillText,
	"home/.profile":                                          "export EDITOR=vi\n",
	"home/project/README.md":                                 "# A project\n\nNothing here is changed.\n",
}

const skillText = "---\nname: " + ownSkill + "\ndescription: Sort the notes of this person by date.\n---\n# Tidy notes\n\nSort them by date, the newest first.\n"

// Build makes a stage in a new folder below dir. Strike takes it away.
func Build(dir string) (*Stage, error) {
	root, err := os.MkdirTemp(dir, "greenroom-demo-")
	if err != nil {
		return nil, err
	}
	// What is shown later is compared with paths that have no links in them.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	s := &Stage{
		Root: root, Home: filepath.Join(root, "home"), Project: filepath.Join(root, "home", "project"), State: filepath.Join(root, "home", ".local", "state", "greenroom"),
		Temp: filepath.Join(root, "tmp"),
	}
	for _, dir := range []string{filepath.Dir(s.State), s.Temp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	for name, body := range props {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Strike takes the stage away. A client may have left read-only folders, so they are opened first.
func (s *Stage) Strike() error {
	err := filepath.WalkDir(s.Root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if rerr := os.RemoveAll(s.Root); rerr != nil {
		return rerr
	}
	return err
}
