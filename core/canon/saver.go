package canon

import _ "embed"

// Names of the texts of the saver mode.
const (
	SaverPolicyName = "saver-policy" // what the session is told of its worker
	SaverWorkerName = "saver-worker" // what the worker is told
)

//go:embed saver-policy.md
var saverPolicy string

//go:embed saver-worker.md
var saverWorker string

// SaverPolicy goes behind the instructions of a session in saver mode. It depends on nothing.
func SaverPolicy() string { return saverPolicy }

// SaverWorker is all that the worker of such a session is told beside its task. It depends on nothing.
func SaverWorker() string { return saverWorker }
