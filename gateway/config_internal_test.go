package gateway

import (
	"testing"
	"time"
)

// TestDefaultLimitsAndDeadlines holds the zero Config to what its documentation promises; G72 and F17 rest on it.
func TestDefaultLimitsAndDeadlines(t *testing.T) {
	t.Parallel()
	got := Config{}.withDefaults()
	limits := Limits{
		RequestBody: 32 << 20, ErrorBody: 1 << 20, StreamLine: 8 << 20, StreamEvent: 16 << 20, Response: 256 << 20, RouteRequests: 16, Requests: 64,
	}
	timeouts := Timeouts{
		RequestBody: time.Minute, Connect: 30 * time.Second, TLS: 15 * time.Second, Headers: 5 * time.Minute, FirstByte: 5 * time.Minute,
		Idle: 5 * time.Minute, Finish: 5 * time.Second, Write: time.Minute, Commit: 2 * time.Second, KeepAlive: 15 * time.Second, Close: 5 * time.Second,
	}
	if got.Limits != limits || got.Timeouts != timeouts {
		t.Errorf("%+v, %+v", got.Limits, got.Timeouts)
	}
	one := Config{Limits: Limits{Requests: 7}, Timeouts: Timeouts{Idle: time.Second}}.withDefaults()
	if one.Limits.Requests != 7 || one.Timeouts.Idle != time.Second || one.Limits.RouteRequests != 16 {
		t.Errorf("what was said does not hold: %+v", one)
	}
}
