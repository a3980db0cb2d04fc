module github.com/greenroom-agents/greenroom/examples/vmhost

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/greenroom-agents/greenroom/core v0.0.0
	github.com/greenroom-agents/greenroom/providers/claude v0.0.0
	github.com/greenroom-agents/greenroom/providers/codex v0.0.0
	github.com/greenroom-agents/greenroom/providers/cursor v0.0.0
	github.com/greenroom-agents/greenroom/providers/kimi v0.0.0
	github.com/greenroom-agents/greenroom/providers/opencode v0.0.0
	github.com/greenroom-agents/greenroom/providers/tuttiagent v0.0.0
	github.com/greenroom-agents/greenroom/sdk v0.0.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/Masterminds/semver/v3 v3.5.0 // indirect
	github.com/coder/acp-go-sdk v0.13.0 // indirect
	github.com/fatih/color v1.13.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/hashicorp/go-hclog v1.6.3 // indirect
	github.com/hashicorp/go-plugin v1.8.0 // indirect
	github.com/hashicorp/yamux v0.1.2 // indirect
	github.com/mattn/go-colorable v0.1.12 // indirect
	github.com/mattn/go-isatty v0.0.17 // indirect
	github.com/oklog/run v1.1.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace (
	github.com/greenroom-agents/greenroom/core => ../../core
	github.com/greenroom-agents/greenroom/providers/claude => ../../providers/claude
	github.com/greenroom-agents/greenroom/providers/codex => ../../providers/codex
	github.com/greenroom-agents/greenroom/providers/cursor => ../../providers/cursor
	github.com/greenroom-agents/greenroom/providers/kimi => ../../providers/kimi
	github.com/greenroom-agents/greenroom/providers/opencode => ../../providers/opencode
	github.com/greenroom-agents/greenroom/providers/tuttiagent => ../../providers/tuttiagent
	github.com/greenroom-agents/greenroom/sdk => ../../sdk
)
