package translate

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// defaultWait is in seconds. Agents give up at once on a refusal that does not say how long to wait.
const defaultWait = "10"

const maxWait = 3600

var tryAgain = regexp.MustCompile(`(?i)(?:try again|retry)(?: after| in)? *([0-9]+(?:\.[0-9]+)?) *(ms|milliseconds?|s|secs?|seconds?|m|min|minutes?)\b`)

// retryAfter is how long to wait, in whole seconds, as the upstream says it in one of the ways in use.
func retryAfter(h http.Header, message string, now time.Time) string {
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return wait(n)
		}
		if at, err := http.ParseTime(v); err == nil {
			return wait(at.Sub(now).Seconds())
		}
	}
	if n, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return wait(n / 1000)
	}
	for _, name := range []string{"X-Ratelimit-Reset", "X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens"} {
		v := strings.TrimSpace(h.Get(name))
		if d, err := time.ParseDuration(v); err == nil {
			return wait(d.Seconds())
		}
		n, err := strconv.ParseFloat(v, 64)
		switch {
		case err != nil:
		case n > 1e12: // milliseconds of Unix time
			return wait(n/1000 - float64(now.Unix()))
		case n > 1e9: // seconds of Unix time
			return wait(n - float64(now.Unix()))
		default:
			return wait(n)
		}
	}
	if m := tryAgain.FindStringSubmatch(message); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		switch unit := strings.ToLower(m[2]); {
		case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"):
			n /= 1000
		case strings.HasPrefix(unit, "m"):
			n *= 60
		}
		return wait(n)
	}
	return defaultWait
}

func wait(seconds float64) string {
	if math.IsNaN(seconds) {
		return defaultWait
	}
	return strconv.Itoa(int(min(max(math.Ceil(seconds), 1), maxWait)))
}
