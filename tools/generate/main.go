// Command generate makes the code of the two contracts anew: that of adapters from sdk/protocol/preparer.proto, without
// protoc, and that of the daemon's interface from daemon/api/openapi.yaml. With -check it writes nothing and fails when
// what is committed is out of date.
//
//	cd tools && GOWORK=off go run ./generate [-check]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// The name under which the file is known to every program that links it; it must be unique in the world.
const name = "greenroom/preparer/v1/preparer.proto"

func main() {
	check := flag.Bool("check", false, "fail when committed files are out of date, and write nothing")
	root := flag.String("root", "..", "root of the repository")
	flag.Parse()
	for dir, make := range contracts {
		if err := run(filepath.Join(*root, filepath.FromSlash(dir)), make, *check); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// A maker returns the content of each file that is generated of the contract in a directory, by its path below that.
type maker func(dir string) (map[string][]byte, error)

// The contracts, by their directories.
var contracts = map[string]maker{"sdk/protocol": protocol, "daemon/api": wire}

func run(dir string, make maker, check bool) error {
	files, err := make(dir)
	if err != nil {
		return err
	}
	for path, want := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if check {
			if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
				return fmt.Errorf("%s is out of date: run go run ./generate in tools", path)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// protocol makes the code of preparer.proto and its descriptor image.
func protocol(dir string) (map[string][]byte, error) {
	src, err := os.ReadFile(filepath.Join(dir, "preparer.proto"))
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver: &protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(map[string]string{name: string(src)}),
		},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	linked, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, err
	}
	file := protoutil.ProtoFromFileDescriptor(linked[0])
	files := map[string][]byte{}
	for _, plugin := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		if err := runPlugin(plugin, file, files); err != nil {
			return nil, fmt.Errorf("%s: %w", plugin, err)
		}
	}
	image := proto.Clone(file).(*descriptorpb.FileDescriptorProto)
	image.SourceCodeInfo = nil
	files["preparer.binpb"], err = proto.MarshalOptions{Deterministic: true}.Marshal(
		&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{image}})
	return files, err
}

func runPlugin(plugin string, file *descriptorpb.FileDescriptorProto, out map[string][]byte) error {
	in, err := proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		Parameter:      proto.String("module=github.com/greenroom-agents/greenroom/sdk/protocol"),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file},
	})
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "tool", plugin)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return err
	}
	var resp pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(raw, &resp); err != nil {
		return err
	}
	if resp.Error != nil {
		return fmt.Errorf("%s", resp.GetError())
	}
	for _, f := range resp.File {
		out[f.GetName()] = []byte(f.GetContent())
	}
	return nil
}
