module github.com/greenroom-agents/greenroom/conformance

go 1.26.0

require github.com/greenroom-agents/greenroom/core v0.0.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/greenroom-agents/greenroom/gateway v0.0.0
	github.com/greenroom-agents/greenroom/providers/claude v0.0.0
	github.com/greenroom-agents/greenroom/providers/codex v0.0.0
	github.com/greenroom-agents/greenroom/providers/kimi v0.0.0
	github.com/greenroom-agents/greenroom/providers/opencode v0.0.0
	github.com/greenroom-agents/greenroom/providers/tuttiagent v0.0.0
	github.com/greenroom-agents/greenroom/sdk v0.0.0
	github.com/pelletier/go-toml/v2 v2.4.3
)

require (
	github.com/coder/acp-go-sdk v0.13.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/google/go-containerregistry v0.21.9 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/secure-systems-lab/go-securesystemslib v0.11.1 // indirect
	github.com/sigstore/protobuf-specs v0.5.2 // indirect
	github.com/sigstore/sigstore v1.10.11 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	github.com/youmark/pkcs8 v0.0.0-20240726163527-a2c0da244d78 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/term v0.46.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260817212433-ac3dfec99bb1 // indirect
)

require (
	github.com/Masterminds/semver/v3 v3.5.0 // indirect
	github.com/fatih/color v1.13.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/hashicorp/go-hclog v1.6.3 // indirect
	github.com/hashicorp/go-plugin v1.8.0 // indirect
	github.com/hashicorp/yamux v0.1.2 // indirect
	github.com/mattn/go-colorable v0.1.12 // indirect
	github.com/mattn/go-isatty v0.0.17 // indirect
	github.com/oklog/run v1.1.0 // indirect
	github.com/openai/openai-go/v3 v3.99.0
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace (
	github.com/greenroom-agents/greenroom/core => ../core
	github.com/greenroom-agents/greenroom/gateway => ../gateway
	github.com/greenroom-agents/greenroom/providers/claude => ../providers/claude
	github.com/greenroom-agents/greenroom/providers/codex => ../providers/codex
	github.com/greenroom-agents/greenroom/providers/kimi => ../providers/kimi
	github.com/greenroom-agents/greenroom/providers/opencode => ../providers/opencode
	github.com/greenroom-agents/greenroom/providers/tuttiagent => ../providers/tuttiagent
	github.com/greenroom-agents/greenroom/sdk => ../sdk
)
