package plan

import "time"

// Stage is a step of checking an endpoint.
type Stage string

// The stages, in their order.
const (
	Network   Stage = "network"
	Auth      Stage = "auth"
	Discovery Stage = "model_discovery"
	Inference Stage = "inference"
)

// Stages are all of them.
func Stages() []Stage { return []Stage{Network, Auth, Discovery, Inference} }

// Outcome is how a stage went.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Reason says why a stage failed.
type Reason string

// The reasons.
const (
	ConnectionFailed  Reason = "connection_failed"
	DNSError          Reason = "dns_error"
	TLSError          Reason = "tls_error"
	Timeout           Reason = "timeout"
	Unauthorized      Reason = "unauthorized"
	RateLimited       Reason = "rate_limited"
	QuotaExceeded     Reason = "quota_exceeded"
	ProviderError     Reason = "provider_error"
	NoCatalog         Reason = "model_catalog_unavailable"
	CatalogUnreadable Reason = "model_catalog_decode_failed"
	NoModel           Reason = "no_model_selected"
	ModelRejected     Reason = "model_rejected"
	InferenceFailed   Reason = "inference_failed"
	NoStreaming       Reason = "streaming_unsupported"
	NoToolCalls       Reason = "tool_call_unsupported"
	NoRuntime         Reason = "provider_runtime_unavailable"
	LoginRequired     Reason = "provider_auth_required"
)

// Remedy says what a person can do about it.
type Remedy string

// The remedies.
const (
	CheckAddress    Remedy = "check_network_or_base_url"
	CheckKey        Remedy = "check_api_key"
	AddModels       Remedy = "add_models_manually"
	CheckModel      Remedy = "check_model_id"
	SelectModel     Remedy = "select_model"
	RetryInference  Remedy = "retry_inference"
	InstallProvider Remedy = "install_or_enable_agent_provider"
	LogIn           Remedy = "login_agent_provider"
)

// Result is how one stage went.
type Result struct {
	Stage   Stage     `json:"stage"`
	Status  Outcome   `json:"status"`
	Latency int64     `json:"latencyMs,omitempty"` // milliseconds
	Reason  Reason    `json:"failureReason,omitempty"`
	Remedy  Remedy    `json:"remedy,omitempty"`
	Detail  string    `json:"detail,omitempty"` // for people; redacted, at most 500 bytes
	Checked time.Time `json:"checkedAt"`
}

// Extra is something beside the stages that was tried: it says more about the endpoint and fails no stage.
type Extra struct {
	Name   string  `json:"name"` // "streaming" or "tool_call"
	Status Outcome `json:"status"`
	Reason Reason  `json:"failureReason,omitempty"`
	Detail string  `json:"detail,omitempty"`
}

// Detection is what a check of an endpoint found.
type Detection struct {
	// Revision is the revision of the plan that was checked, 0 for a draft.
	Revision int64     `json:"revision,omitempty"`
	Stages   []Result  `json:"stages"`
	Extras   []Extra   `json:"extras,omitempty"`
	Model    string    `json:"model,omitempty"` // that the inference was asked of
	Checked  time.Time `json:"checkedAt"`
}

// Status is how a plan stands.
type Status string

// The statuses.
const (
	Disabled        Status = "disabled"
	Undetected      Status = "undetected"
	DetectionFailed Status = "detection_failed"
	Ready           Status = "ready"
)

// Status is how the plan stands. Only a check in which every stage passed or was skipped makes one ready, and the
// inference has to have passed: an endpoint that answered nothing has shown nothing.
func (p Plan) Status() Status {
	switch {
	case !p.Enabled:
		return Disabled
	case p.Detection == nil || len(p.Detection.Stages) == 0:
		return Undetected
	case p.Detection.OK():
		return Ready
	}
	return DetectionFailed
}

// OK says whether all stages are there, none failed, and the inference passed.
func (d Detection) OK() bool {
	got := map[Stage]Outcome{}
	for _, r := range d.Stages {
		got[r.Stage] = r.Status
	}
	for _, s := range Stages() {
		if got[s] != Passed && (got[s] != Skipped || s == Inference) {
			return false
		}
	}
	return true
}
