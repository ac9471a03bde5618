// The machine controller of a provider (machine-controller-manager's own library) whose machines are files.
//
// main --machines=FOLDER FLAGS: FOLDER/NAME.json has what a cloud would get for the machine NAME, while it is there. What is
// asked of a class has no effect. The test starts the nodes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener/machine-controller-manager/pkg/util/provider/app"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/app/options"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/driver"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/codes"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machinecodes/status"
	"github.com/spf13/pflag"
	"k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
)

const scheme = "files:///"

// What a cloud gets. Bytes are written as base64.
type machine struct {
	Class      string `json:"class"`
	Secret     string `json:"secret"`
	UserData   []byte `json:"userData"`
	Credential []byte `json:"credential"`
}

type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), name+".json") }

func (f folder) CreateMachine(_ context.Context, r *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	made := machine{Class: r.MachineClass.Name, UserData: r.Secret.Data["userData"], Credential: r.Secret.Data["credential"]}
	if r.MachineClass.SecretRef != nil {
		made.Secret = r.MachineClass.SecretRef.Name
	}
	text, err := json.Marshal(made)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	// Readers see all of it or nothing.
	partial := filepath.Join(string(f), "."+r.Machine.Name)
	if err := os.WriteFile(partial, text, 0o600); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if err := os.Rename(partial, f.path(r.Machine.Name)); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &driver.CreateMachineResponse{ProviderID: scheme + r.Machine.Name, NodeName: r.Machine.Name}, nil
}

func (f folder) InitializeMachine(context.Context, *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error) {
	return nil, status.Error(codes.Unimplemented, "a file needs none")
}

func (f folder) DeleteMachine(_ context.Context, r *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	if err := os.Remove(f.path(r.Machine.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &driver.DeleteMachineResponse{}, nil
}

func (f folder) GetMachineStatus(_ context.Context, r *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	if _, err := os.Stat(f.path(r.Machine.Name)); err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	return &driver.GetMachineStatusResponse{ProviderID: scheme + r.Machine.Name, NodeName: r.Machine.Name}, nil
}

func (f folder) ListMachines(_ context.Context, r *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	found := map[string]string{}
	paths, err := filepath.Glob(f.path("*"))
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	for _, path := range paths {
		var made machine
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &made) != nil || made.Class != r.MachineClass.Name {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		found[scheme+name] = name
	}
	return &driver.ListMachinesResponse{MachineList: found}, nil
}

func (f folder) GetVolumeIDs(context.Context, *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error) {
	return &driver.GetVolumeIDsResponse{}, nil
}

func main() {
	server := options.NewMCServer()
	server.AddFlags(pflag.CommandLine)
	machines := pflag.String("machines", "", "the folder of the machines' files")
	flag.InitFlags()
	logs.InitLogs()
	defer logs.FlushLogs()
	if err := app.Run(server, folder(*machines)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
