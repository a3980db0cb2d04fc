module github.com/greenroom-agents/greenroom/core

go 1.26.0

require (
	github.com/Masterminds/semver/v3 v3.5.0
	github.com/google/go-cmp v0.7.0
	github.com/greenroom-agents/greenroom/sdk v0.0.0
	github.com/pelletier/go-toml/v2 v2.4.3
	gopkg.in/yaml.v3 v3.0.1
)

replace github.com/greenroom-agents/greenroom/sdk => ../sdk
