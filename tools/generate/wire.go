package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// The parts of the code of openapi.yaml, a file each, so that a reader finds the one that they look for.
var parts = map[string]string{"types": "models", "server": "std-http-server", "client": "client"}

// wire makes types, server and client of openapi.yaml.
func wire(dir string) (map[string][]byte, error) {
	scratch, err := os.MkdirTemp("", "wire")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	files := map[string][]byte{}
	for file, part := range parts {
		config := filepath.Join(scratch, file+".yaml")
		// The document itself is none of the interface's values: reading it would take a parser of YAML.
		text := "package: wire\ngenerate: { " + part + ": true }\noutput-options: { exclude-operation-ids: [document] }\n"
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return nil, err
		}
		cmd := exec.Command("go", "tool", "oapi-codegen", "-config", config, filepath.Join(dir, "openapi.yaml"))
		cmd.Stderr = os.Stderr
		code, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("oapi-codegen, %s: %w", file, err)
		}
		files["wire/"+file+".gen.go"] = code
	}
	return files, nil
}
