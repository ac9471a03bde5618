// samples DIR [PROFILE]: the generated repositories with the controller's true
// renderings beside them, for reading and for comparing by hand.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	clusterv1alpha1 "k8c.io/machine-controller/sdk/apis/cluster/v1alpha1"
	"osm-gen.dev/tests/oracle/controller"
	"osm-gen.dev/tests/oracle/fleet"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || len(os.Args) > 3 {
		log.Fatal("usage: samples DIR [PROFILE]")
	}
	profile, err := controller.UbuntuOSP()
	if len(os.Args) == 3 {
		profile, err = os.ReadFile(os.Args[2])
	}
	if err != nil {
		log.Fatal(err)
	}
	system, err := fleet.ReadSystem("osp-ubuntu", string(profile))
	if err != nil {
		log.Fatal(err)
	}
	for _, set := range fleet.Matrix(1, system) {
		if err := write(filepath.Join(os.Args[1], set.Name), set); err != nil {
			log.Fatalf("%s: %v", set.Name, err)
		}
	}
}

func write(dir string, set *fleet.Set) error {
	args, err := set.Write(dir)
	if err != nil {
		return err
	}
	if err := put(filepath.Join(dir, "flags.txt"), strings.Join(args, "\n")+"\n"); err != nil {
		return err
	}
	flags, err := controller.ParseFlags(args)
	if err != nil {
		return err
	}
	objects, err := controller.Load(filepath.Join(dir, "repo"))
	if err != nil {
		return err
	}
	cluster, err := controller.NewCluster(flags, objects)
	if err != nil {
		return err
	}
	for _, o := range objects {
		md, ok := o.(*clusterv1alpha1.MachineDeployment)
		if !ok {
			continue
		}
		r, err := cluster.Render(context.Background(), md)
		if err != nil {
			return fmt.Errorf("%s: %w", client.ObjectKeyFromObject(md), err)
		}
		if err := writeOne(filepath.Join(dir, "true", md.Namespace+"_"+md.Name), r); err != nil {
			return err
		}
	}
	return nil
}

func writeOne(dir string, r *controller.Rendering) error {
	osc, err := yaml.Marshal(r.OSC)
	if err != nil {
		return err
	}
	annotations, err := json.MarshalIndent(map[string]any{
		"osc": r.OSC.Annotations, "bootstrap": r.Bootstrap.Annotations, "provisioning": r.Provisioning.Annotations,
	}, "", "  ")
	if err != nil {
		return err
	}
	files := map[string]string{
		"osc.yaml":         string(osc),
		"annotations.json": string(annotations) + "\n",
		"bootstrap.txt":    string(r.Bootstrap.Data["cloud-config"]),
		"provisioning.txt": string(r.Provisioning.Data["cloud-config"]),
		"kubeconfig.yaml":  string(r.Kubeconfig.Data["kubeconfig"]),
	}
	if r.EdgeScript != nil {
		files["edge-script.txt"] = string(r.EdgeScript.Data["fetch-bootstrap-script"])
	}
	for name, text := range files {
		if err := put(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

func put(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
