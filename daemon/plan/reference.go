package plan

// Reference is something that uses a plan.
type Reference struct {
	Kind ReferenceKind `json:"kind"`
	ID   string        `json:"id"`
	Name string        `json:"name,omitempty"`
	Role string        `json:"role,omitempty"` // default, fallback, execution, planning or review
}

// ReferenceKind is what uses a plan.
type ReferenceKind string

// The kinds. A session is told for the person to know, and keeps no plan from being deleted.
const (
	RefAgent   ReferenceKind = "workspace_agent"
	RefTarget  ReferenceKind = "agent_target"
	RefPolicy  ReferenceKind = "model_policy"
	RefSession ReferenceKind = "agent_session"
)

// Blocks says whether the reference keeps its plan from being deleted.
func (r Reference) Blocks() bool { return r.Kind != RefSession }
