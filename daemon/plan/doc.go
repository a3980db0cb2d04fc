// Package plan is the model access plan: a named endpoint of one workspace, with its protocol, models, default model and
// whether it may be used. It validates plans, says how they stand, and makes of one what a session is bound to. It stores
// nothing, asks no endpoint anything, and never holds the credential: that is a [Key] beside the plan, which shows its
// value to no printing or encoding.
//
// A [Spec] is what a person decides. A [Plan] is a revision of it in a store: immutable, and replaced by the next one.
// What a check of the endpoint found is a [Detection]; it is kept beside the plan and changes no revision.
package plan
