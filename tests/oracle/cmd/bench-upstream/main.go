// bench-upstream -fleet DIR [-n N] [-j GOROUTINES]: the controller's own
// renderer in a loop over a fleet that tests/bench/fleet.sh made: OSC and both
// user-data of each MachineDeployment, nothing read or written meanwhile.
// Prints the seconds that rendering took, and those of processor time.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"osm-gen.dev/tests/oracle/controller"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("fleet", "", "the fleet's repository")
	n := flag.Int("n", 0, "how many MachineDeployments to expect; 0: any")
	j := flag.Int("j", 1, "goroutines")
	flag.Parse()
	loop, err := load(*dir)
	if err != nil {
		log.Fatal(err)
	}
	if *n != 0 && loop.Len() != *n {
		log.Fatalf("%d MachineDeployments, expected %d", loop.Len(), *n)
	}
	before := processorSeconds()
	took, bytes, err := loop.Run(*j)
	if err != nil {
		log.Fatal(err)
	}
	processor := processorSeconds() - before
	fmt.Fprintf(os.Stderr, "%d MachineDeployments, %d bytes of user-data\n", loop.Len(), bytes)
	fmt.Printf("%.3f %.3f\n", took.Seconds(), processor)
}

// processorSeconds is the processor time of this process so far, that of the garbage collector included.
func processorSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func load(dir string) (*controller.Loop, error) {
	// the settings of every cluster in the fleet
	flags, err := controller.ParseFlags([]string{"-namespace=kube-system", "-external-cloud-provider"})
	if err != nil {
		return nil, err
	}
	shared, err := controller.Load(filepath.Join(dir, "profiles"))
	if err != nil {
		return nil, err
	}
	clusters, err := filepath.Glob(filepath.Join(dir, "clusters", "*"))
	if err != nil {
		return nil, err
	}
	if len(clusters) == 0 {
		return nil, fmt.Errorf("no clusters below %s", dir)
	}
	loop := &controller.Loop{}
	for _, c := range clusters {
		objects, err := controller.Load(c)
		if err != nil {
			return nil, err
		}
		// each cluster has the profiles to itself: the objects get versions
		for _, o := range shared {
			objects = append(objects, o.DeepCopyObject().(client.Object))
		}
		if err := loop.Add(flags, objects); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(c), err)
		}
	}
	return loop, nil
}
