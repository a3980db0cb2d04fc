package plan

// View is a plan as it is shown to people and programs: with how it stands, and without its credential.
type View struct {
	Plan
	Status  Status  `json:"status"`
	Billing Billing `json:"billingMode"`
}

// View is the plan as it is shown.
func (p Plan) View() View {
	if p.Models == nil {
		p.Models = []Model{}
	}
	return View{p, p.Status(), p.Template.Billing()}
}
