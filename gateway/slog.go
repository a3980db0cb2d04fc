package gateway

import (
	"context"
	"log/slog"
	"slices"
	"strings"
)

// SlogObserver writes events to a logger: what went well at debug level, what did not at warn level.
func SlogObserver(l *slog.Logger) Observer {
	return ObserverFunc(func(e Event) {
		level := slog.LevelDebug
		if e.Kind == EventRejected || e.Outcome == OutcomeFailed {
			level = slog.LevelWarn
		}
		ctx := context.Background()
		if !l.Enabled(ctx, level) {
			return
		}
		l.LogAttrs(ctx, level, "model_gateway."+string(e.Kind), e.attrs()...)
		if len(e.ToolsFiltered) > 0 {
			l.LogAttrs(ctx, slog.LevelDebug, "model_gateway.tools.filtered",
				slog.String("workspace_id", e.Workspace), slog.String("agent_session_id", e.Session),
				slog.String("tool_types", strings.Join(e.ToolsFiltered, ",")),
				slog.Int("tool_type_count", len(e.ToolsFiltered)))
		}
	})
}

// attrs gives what an event says, without the fields that say nothing.
func (e Event) attrs() []slog.Attr {
	var all []slog.Attr
	text := func(k, v string) {
		if v != "" {
			all = append(all, slog.String(k, v))
		}
	}
	number := func(k string, v int64) {
		if v != 0 {
			all = append(all, slog.Int64(k, v))
		}
	}
	counts := func(k string, m map[string]int) {
		if len(m) == 0 {
			return
		}
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		slices.Sort(names)
		group := make([]any, len(names))
		for i, n := range names {
			group[i] = slog.Int(n, m[n])
		}
		all = append(all, slog.Group(k, group...))
	}
	text("workspace_id", e.Workspace)
	text("agent_session_id", e.Session)
	number("generation", int64(e.Generation))
	text("revision", e.Revision)
	text("request_id", e.RequestID)
	text("model", e.Model)
	text("dialect", e.Dialect)
	text("outcome", string(e.Outcome))
	number("status", int64(e.Status))
	number("upstream_status", int64(e.UpstreamStatus))
	text("code", e.Code)
	text("finish", e.Finish)
	counts("items", e.Items)
	number("messages", int64(e.Messages))
	number("tools", int64(e.ToolsKept))
	text("ignored", strings.Join(e.Ignored, ","))
	counts("repairs", e.Repairs)
	number("omitted", int64(e.Omitted))
	number("request_bytes", e.RequestBytes)
	number("upstream_bytes", e.UpstreamBytes)
	number("response_bytes", e.ResponseBytes)
	number("input_tokens", e.Usage.Input)
	number("cached_tokens", e.Usage.Cached)
	number("output_tokens", e.Usage.Output)
	number("calls", int64(e.Calls))
	number("keep_alives", int64(e.KeepAlives))
	if e.Estimated {
		all = append(all, slog.Bool("usage_estimated", true))
	}
	number("headers_ms", e.TimeToHeaders.Milliseconds())
	number("first_token_ms", e.TimeToFirstToken.Milliseconds())
	number("duration_ms", e.Duration.Milliseconds())
	return all
}
