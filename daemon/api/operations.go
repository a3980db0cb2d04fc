package api

import (
	"net/http"

	"github.com/greenroom-agents/greenroom/daemon/api/wire"
)

// operations are those of the document, as the code that is generated of it wants them: an operation that is added there
// does not build until it is added here.
type operations struct{ *server }

// told answers with the problem of an operation that failed.
func told(w http.ResponseWriter, err error) {
	if err != nil {
		writeProblem(w, err)
	}
}

func (o operations) ListProviders(w http.ResponseWriter, r *http.Request) {
	told(w, o.providers(w, r))
}

func (o operations) StreamEvents(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.events(w, r, in))
}

func (o operations) ListModelPlans(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.listPlans(w, r, in))
}

func (o operations) CreateModelPlan(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.createPlan(w, r, in))
}

func (o operations) DetectModelPlan(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.detect(w, r, in))
}

func (o operations) GetModelPlan(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.PlanID) {
	told(w, o.getPlan(w, r, in, id))
}

func (o operations) UpdateModelPlan(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.PlanID, p wire.UpdateModelPlanParams) {
	told(w, o.updatePlan(w, r, in, id, p.IfMatch))
}

func (o operations) DeleteModelPlan(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.PlanID, p wire.DeleteModelPlanParams) {
	told(w, o.deletePlan(w, r, in, id, p.IfMatch))
}

func (o operations) DuplicateModelPlan(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.PlanID) {
	told(w, o.duplicatePlan(w, r, in, id))
}

func (o operations) SetModelPlanEnabled(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.PlanID, p wire.SetModelPlanEnabledParams) {
	told(w, o.enablePlan(w, r, in, id, p.IfMatch))
}

func (o operations) ListModelPlanReferences(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.PlanID) {
	told(w, o.references(w, r, in, id))
}

func (o operations) ListAgentModelBindings(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.listBindings(w, r, in))
}

func (o operations) ListWorkspaceAgents(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.listAgents(w, r, in))
}

func (o operations) CreateWorkspaceAgent(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.createAgent(w, r, in))
}

func (o operations) GetWorkspaceAgent(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.AgentID) {
	told(w, o.getAgent(w, r, in, id))
}

func (o operations) UpdateWorkspaceAgent(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.AgentID, p wire.UpdateWorkspaceAgentParams) {
	told(w, o.updateAgent(w, r, in, id, p.IfMatch))
}

func (o operations) DeleteWorkspaceAgent(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.AgentID, p wire.DeleteWorkspaceAgentParams) {
	told(w, o.deleteAgent(w, r, in, id, p.IfMatch))
}

func (o operations) GetComposerOptions(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.AgentID) {
	told(w, o.composer(w, r, in, id))
}

func (o operations) ListAgentSessions(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID) {
	told(w, o.listSessions(w, r, in))
}

func (o operations) GetAcceptance(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.SessionID) {
	told(w, o.getAcceptance(w, r, in, id))
}

func (o operations) AcceptTurn(w http.ResponseWriter, r *http.Request, in wire.WorkspaceID, id wire.SessionID) {
	told(w, o.accept(w, r, in, id))
}
