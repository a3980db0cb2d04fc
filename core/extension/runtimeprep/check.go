package runtimeprep

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// skillList and pluginList are the lists of a configuration that can be added to: one of directories, and one of names.
var (
	skillList  = []string{"skills", "external_dirs"}
	pluginList = []string{"plugins", "enabled"}
)

// ours are names in the directory of a session that are Greenroom's to give.
var ours = []string{"extension-skills", "skills", "rtk", "plugins", "store", "manifest", "sidecar-manifest.json"}

// elsewhere are directories of the user's in which other programs keep credentials, or look for code to run.
var elsewhere = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla", ".git", ".gitconfig", ".netrc",
	".config/gh", ".config/gcloud", ".config/git", ".config/systemd", ".config/autostart", ".config/google-chrome",
	".config/chromium", ".local/share/keyrings", ".local/bin", "library/keychains", "appdata",
}

// Check holds a declaration to the rules. Every error is a fault.Invalid that names the field; none means that all rules
// are kept.
func (d Declaration) Check() []error {
	c := &checker{}
	c.instructions(d)
	if d.Home != nil {
		c.home(d.Home)
	}
	return c.all
}

// CheckRoots holds skill roots to the rules.
func CheckRoots(roots []Root) []error {
	c := &checker{}
	if len(roots) > maxList {
		c.add("skills.roots", fmt.Sprintf("has more than %d elements", maxList))
	}
	seen := map[string]bool{}
	for i, r := range roots {
		at := element("skills.roots", i)
		if r.Scope != Workspace && r.Scope != User {
			c.add(at+".scope", "is neither workspace nor user")
		}
		if c.path(at+".path", r.Path) {
			if bad := rules.WorkspaceDir(r.Path); bad != "" {
				c.add(at+".path", bad)
			}
			key := string(r.Scope) + ":" + strings.ToLower(r.Path)
			if seen[key] {
				c.add(at+".path", "stands twice")
			}
			seen[key] = true
		}
	}
	return c.all
}

type checker struct{ all []error }

func (c *checker) add(field, detail string) { c.all = append(c.all, bad(field, detail)) }

func (c *checker) path(field, p string) bool {
	if bad := rules.Path(p); bad != "" {
		c.add(field, bad)
		return false
	}
	return true
}

func (c *checker) instructions(d Declaration) {
	file := d.Instructions()
	if c.path("instructionsFile", file) {
		if why := rules.WorkspaceFile(file); why != "" {
			c.add("instructionsFile", why)
		}
		for dir := range strings.SplitSeq(path.Dir(file), "/") {
			if strings.HasPrefix(dir, ".") && dir != "." {
				c.add("instructionsFile", "lies in a directory whose name begins with a dot")
			}
		}
	}
	for i, f := range d.HiddenBy {
		c.path(element("instructionsHiddenBy", i), f)
	}
}

func (c *checker) home(h *Home) {
	c.variable("home.envVar", h.EnvVar, true)
	c.variable("home.sourceEnvVar", h.SourceEnvVar, false)
	if c.path("home.dirName", h.DirName) {
		top, _, _ := strings.Cut(strings.ToLower(h.DirName), "/")
		if slices.Contains(ours, top) {
			c.add("home.dirName", "begins with a name that is kept for Greenroom")
		}
	}
	if h.SourceDefaultRel != "" && c.path("home.sourceDefaultRel", h.SourceDefaultRel) {
		for _, dir := range elsewhere {
			if within(h.SourceDefaultRel, dir) || within(dir, h.SourceDefaultRel) {
				c.add("home.sourceDefaultRel", "is, holds or lies in "+dir+", which belongs to other programs")
			}
		}
	}
	from := h.SourceDefaultRel != "" || h.SourceEnvVar != ""
	if !from && (len(h.CopyFiles) > 0 || len(h.LoginFiles) > 0 || len(h.SharedDirs) > 0 || h.UserHomeSkillDir != "") {
		c.add("home", "takes something of the user's, and neither sourceEnvVar nor sourceDefaultRel says where it is")
	}
	c.files(h)
	c.config(h)
}

// variable checks the name of a variable.
func (c *checker) variable(field, name string, required bool) {
	switch {
	case name == "" && required:
		c.add(field, "is missing")
	case name == "":
	case strings.ToUpper(name) != name || len(name) > 64:
		c.add(field, "is no name of a variable in capital letters, digits and underscores, of at most 64")
	case rules.EnvName(name) != "":
		c.add(field, rules.EnvName(name))
	case strings.HasPrefix(name, "TUTTI_") || strings.HasPrefix(name, "GREENROOM_"):
		c.add(field, "is the host's: it begins with TUTTI_ or GREENROOM_")
	}
}

// place is a path in the home with the field that names it.
type place struct {
	field, path string
	shared      bool
}

// files checks all that is placed in the home, and that no two of it are in each other's way.
func (c *checker) files(h *Home) {
	var all []place
	take := func(field, p string, shared bool) {
		if c.path(field, p) {
			all = append(all, place{field, p, shared})
		}
	}
	for i, f := range h.CopyFiles {
		take(element("home.copyFiles", i), f, false)
	}
	for i, l := range h.LoginFiles {
		at := element("home.loginFiles", i)
		take(at+".path", l.Path, false)
		if l.Lock == "" {
			continue
		}
		if strings.Contains(l.Lock, "/") {
			c.add(at+".lock", "is not the name of a file beside the login")
		} else {
			take(at+".lock", path.Join(path.Dir(l.Path), l.Lock), false)
		}
	}
	for i, d := range h.SharedDirs {
		take(element("home.sharedDirs", i), d, true)
	}
	if h.ConfigFile != "" && !contains(h.CopyFiles, h.ConfigFile) {
		take("home.configFile", h.ConfigFile, false)
	}
	if h.UserHomeSkillDir != "" {
		c.path("home.userHomeSkillDir", h.UserHomeSkillDir)
	}
	for i, a := range all {
		for _, b := range all[:i] {
			if within(a.path, b.path) || within(b.path, a.path) {
				c.add(a.field, "is, holds or lies in "+b.field)
			}
		}
	}
}

func (c *checker) config(h *Home) {
	if h.ConfigFormat != "" && h.ConfigFormat != "yaml" {
		c.add("home.configFormat", "is not supported; yaml is")
	}
	if len(h.ExternalDirsKey) > 0 && !slices.Equal(h.ExternalDirsKey, skillList) {
		c.add("home.externalDirsKey", `is not supported; ["skills", "external_dirs"] is`)
	}
	if len(h.PluginsKey) > 0 && !slices.Equal(h.PluginsKey, pluginList) {
		c.add("home.pluginsKey", `is not supported; ["plugins", "enabled"] is`)
	}
	if h.ConfigFile == "" && (h.ConfigFormat != "" || len(h.ExternalDirsKey) > 0 || len(h.PluginsKey) > 0) {
		c.add("home.configFile", "is missing, and something is said of it")
	}
	if (h.IncludeSkillRoots || h.IncludeUserHomeDir) && (h.ConfigFile == "" || len(h.ExternalDirsKey) == 0) {
		c.add("home.externalDirsKey", "is missing, or configFile is, and directories are to be added")
	}
	if h.IncludeUserHomeDir && h.UserHomeSkillDir == "" {
		c.add("home.userHomeSkillDir", "is missing, and is to be added")
	}
}

// within says whether a path is another one or lies in it, in whatever letter case.
func within(p, dir string) bool {
	p, dir = strings.ToLower(p), strings.ToLower(dir)
	return p == dir || strings.HasPrefix(p, dir+"/")
}
