package dialect

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// sampling are fields of plain Chat Completions that only a client asks for.
const sampling = Temperature | TopP | Stop | Seed | FrequencyPenalty | PresencePenalty | LogitBias | ToolChoice |
	OutputLimit | ResponseFormatField | Effort | StreamOptions | ParallelToolCalls | ReasoningEchoField

// Default is for an endpoint of which nothing is known.
func Default() Dialect {
	return Dialect{Name: "default", IncludeUsage: true, Send: sampling}
}

var highMax = map[string]string{
	"minimal": "high", "low": "high", "medium": "high", "high": "high", "xhigh": "max", "ultra": "max",
}

var lowHigh = map[string]string{
	"minimal": "low", "medium": "high", "xhigh": "high", "max": "high", "ultra": "high",
}

var upToXHigh = map[string]string{"max": "xhigh", "ultra": "xhigh"}

type known struct {
	// hosts match the whole host, or its end if they begin with a dot. A * stands for any top-level domain.
	hosts []string
	make  func(*Dialect)
}

// table lists the known endpoints. The first match counts.
var table = []struct {
	name string
	known
}{
	{"openai", known{[]string{"api.openai.com", ".openai.azure.com"}, func(d *Dialect) {
		d.Tokens = MaxCompletionTokens
		d.Send |= Verbosity | Store | Metadata | User | ServiceTier | PromptCacheKey | StrictTools
		d.Efforts = upToXHigh
		d.Echo = EchoNone
		d.MaxTools = 128
	}}},
	{"deepseek", known{[]string{"api.deepseek.com"}, func(d *Dialect) {
		d.Efforts = highMax
		d.NoVision, d.NoFiles = true, true
		d.Format = JSONObject
	}}},
	{"kimi", known{[]string{"api.moonshot.*", "api.kimi.com"}, func(d *Dialect) {
		d.Placeholder = " "
		d.Reasoning = ThinkingType
		d.Schema = SchemaMoonshot
		d.NoFiles = true
		d.MaxTools = 128
	}}},
	{"glm", known{[]string{"open.bigmodel.cn", "api.z.ai"}, func(d *Dialect) {
		d.Reasoning = ThinkingType
		d.Format = JSONObject
		d.NoRequiredChoice = true
		d.NoFiles = true
	}}},
	{"qwen", known{[]string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"}, func(d *Dialect) {
		d.Reasoning = EnableThinking
		d.NoRequiredChoice = true
		d.NoFiles = true
	}}},
	{"minimax", known{[]string{"api.minimax.*", "api.minimaxi.*"}, func(d *Dialect) {
		d.Reasoning = ReasoningSplit
		d.Echo = EchoDetails
		d.Think = ThinkAnywhere
		d.NoFiles = true
	}}},
	{"openrouter", known{[]string{"openrouter.ai", ".openrouter.ai"}, func(d *Dialect) {
		d.Reasoning = ReasoningObject
		d.Efforts = upToXHigh
		d.Echo = EchoDetails
		d.Send |= User | StrictTools
	}}},
	{"siliconflow", known{[]string{"api.siliconflow.*"}, func(d *Dialect) {
		d.Reasoning = EnableThinking
		d.NoFiles = true
	}}},
	{"volcengine", known{[]string{".volces.com", ".byteplusapi.com"}, func(d *Dialect) {
		d.Reasoning = ThinkingType
		d.NoFiles = true
	}}},
	{"local", known{nil, func(d *Dialect) {
		d.Efforts = lowHigh
		d.NoFiles = true
	}}},
}

// Names lists the dialects that Named knows.
func Names() []string {
	names := []string{Default().Name}
	for _, e := range table {
		names = append(names, e.name)
	}
	slices.Sort(names)
	return names
}

// Named is the dialect of that name.
func Named(name string) (Dialect, bool) {
	d := Default()
	if name == d.Name {
		return d, true
	}
	for _, e := range table {
		if e.name == name {
			d.Name = name
			e.make(&d)
			return d, true
		}
	}
	return Dialect{}, false
}

// ForURL is the dialect of the endpoint's host: a known one, "local" for a loopback address, else Default.
func ForURL(u *url.URL) Dialect {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	name := Default().Name
	for _, e := range table {
		if slices.ContainsFunc(e.hosts, func(pattern string) bool { return matches(pattern, host) }) {
			name = e.name
			break
		}
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		name = "local"
	}
	d, _ := Named(name)
	return d
}

func matches(pattern, host string) bool {
	if strings.HasPrefix(pattern, ".") {
		return strings.HasSuffix(host, pattern)
	}
	if stem, ok := strings.CutSuffix(pattern, "*"); ok {
		rest, found := strings.CutPrefix(host, stem)
		return found && rest != "" && !strings.Contains(rest, ".")
	}
	return pattern == host
}
