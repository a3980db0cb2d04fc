package chat

import "github.com/greenroom-agents/greenroom/gateway/internal/rawjson"

// most is the largest number of tokens that is believed: every client can read it exactly, and no sum overflows.
const most = 1<<53 - 1

// Usage are the tokens of one answer. No number is negative.
type Usage struct {
	Input, Output, Total int64
	Cached, CacheWritten int64
	Reasoning            int64
}

// ParseUsage reads a usage object in any of the spellings in use. It reports whether it held anything.
func ParseUsage(raw Raw) (Usage, bool) {
	var u Usage
	known := false
	for w := rawjson.Walk(raw); w.Next(); {
		n, ok := rawjson.Int(w.Value)
		n = min(max(n, 0), most)
		switch string(w.Key) {
		case "prompt_tokens", "input_tokens":
			u.Input = max(u.Input, n)
			known = known || ok
		case "completion_tokens", "output_tokens":
			u.Output = max(u.Output, n)
			known = known || ok
		case "total_tokens":
			u.Total = n
			known = known || ok
		case "cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens":
			u.Cached = max(u.Cached, n)
		case "cache_write_tokens", "cache_creation_input_tokens", "cache_write_input_tokens":
			u.CacheWritten = max(u.CacheWritten, n)
		case "reasoning_tokens":
			u.Reasoning = max(u.Reasoning, n)
		case "prompt_tokens_details", "input_tokens_details":
			for d := rawjson.Walk(w.Value); d.Next(); {
				n, _ := rawjson.Int(d.Value)
				switch string(d.Key) {
				case "cached_tokens":
					u.Cached = max(u.Cached, min(n, most))
				case "cache_write_tokens", "cache_creation_tokens":
					u.CacheWritten = max(u.CacheWritten, min(n, most))
				}
			}
		case "completion_tokens_details", "output_tokens_details":
			if n, _ := rawjson.Int(rawjson.Get(w.Value, "reasoning_tokens")); n > u.Reasoning {
				u.Reasoning = min(n, most)
			}
		}
	}
	if u.Total == 0 {
		u.Total = min(u.Input+u.Output, most)
	}
	return u, known
}
