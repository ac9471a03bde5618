// One sync of an Argo CD Application: gitops-engine, the library by which Argo CD compares, applies and prunes.
//
// main --application=NAME [--prune] FILE, with KUBECONFIG: FILE is a JSON array of the Application's objects, in clear text. Each gets
// the annotation by which Argo CD finds what it manages. Prints a line of JSON for each object: what happened to it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/argoproj/gitops-engine/pkg/cache"
	"github.com/argoproj/gitops-engine/pkg/diff"
	"github.com/argoproj/gitops-engine/pkg/engine"
	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
)

const trackingAnnotation = "argocd.argoproj.io/tracking-id"

// The tracking ID of an object, in the form that Argo CD's documentation gives.
func trackingID(application string, key kube.ResourceKey) string {
	return fmt.Sprintf("%s:%s/%s:%s/%s", application, key.Group, key.Kind, key.Namespace, key.Name)
}

func readObjects(path, application string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	if err := json.Unmarshal(text, &objects); err != nil {
		return nil, err
	}
	for _, object := range objects {
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[trackingAnnotation] = trackingID(application, kube.GetResourceKey(object))
		object.SetAnnotations(annotations)
	}
	return objects, nil
}

func run() error {
	application := flag.String("application", "", "its name")
	prune := flag.Bool("prune", false, "delete what the Application had and no longer has")
	flag.Parse()
	objects, err := readObjects(flag.Arg(0), *application)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	live := cache.NewClusterCache(config, cache.SetPopulateResourceInfoHandler(
		func(object *unstructured.Unstructured, _ bool) (any, bool) {
			id := object.GetAnnotations()[trackingAnnotation]
			return id, id != ""
		}))
	syncer := engine.NewEngine(config, live)
	stop, err := syncer.Run()
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	isManaged := func(resource *cache.Resource) bool {
		id, _ := resource.Info.(string)
		return id == trackingID(*application, resource.ResourceKey())
	}
	// ApplyOutOfSyncOnly=true, which the Applications of the output have.
	isOutOfSync := func(_ kube.ResourceKey, target, live *unstructured.Unstructured) bool {
		if target == nil || live == nil {
			return true
		}
		result, err := diff.Diff(target, live)
		return err != nil || result.Modified
	}
	results, err := syncer.Sync(ctx, objects, isManaged, "test", "default", sync.WithPrune(*prune),
		sync.WithResourcesFilter(isOutOfSync))
	for _, result := range results {
		line, _ := json.Marshal(map[string]string{"kind": result.ResourceKey.Kind, "namespace": result.ResourceKey.Namespace,
			"name": result.ResourceKey.Name, "status": string(result.Status), "message": result.Message})
		fmt.Println(string(line))
	}
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
