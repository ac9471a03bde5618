// Package machines compares what osm-gen says of MachineDeployments with the API server's reading of
// metadata and machine-controller's own webhook, which asks no cloud here: run.sh puts testdata/provider.go
// in the place of the file that links the clouds' libraries. Each stub reads cloudProviderSpec with the
// SDK's own function and then says yes.
package machines

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/Masterminds/semver/v3"
	"go.uber.org/zap"
	"k8c.io/machine-controller/pkg/admission"
	"k8c.io/machine-controller/pkg/node"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"
)

// Cluster is what stands between a manifest and etcd.
type Cluster struct {
	webhook http.Handler
}

// NewCluster has a webhook that takes every version: what its flag refuses osm-gen does not know.
func NewCluster() (*Cluster, error) {
	constraint, err := semver.NewConstraint(">=0.0.0-0")
	if err != nil {
		return nil, err
	}
	client := fake.NewClientBuilder().Build()
	server, err := admission.Builder{
		Log:                zap.NewNop().Sugar(),
		Client:             client,
		WorkerClient:       client,
		NodeFlags:          node.NewFlags(flag.NewFlagSet("", flag.ContinueOnError)),
		Namespace:          "kube-system",
		VersionConstraints: constraint,
	}.Build()
	if err != nil {
		return nil, err
	}
	return &Cluster{server.WebhookMux()}, nil
}

// Refuses is why a manifest cannot be created, or nil.
func (c *Cluster) Refuses(manifest []byte) error {
	text, err := yaml.YAMLToJSON(manifest)
	if err != nil {
		return err
	}
	var object unstructured.Unstructured
	if err := object.UnmarshalJSON(text); err != nil {
		return err
	}
	// CustomResourceDefinitions of cluster.k8s.io have no schema but for the metadata.
	metadata, _, _, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{})
	if err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if err := objectmeta.SetObjectMeta(object.Object, metadata); err != nil {
		return err
	}
	if text, err = object.MarshalJSON(); err != nil {
		return err
	}
	if err := c.admits(text); err != nil {
		return err
	}
	errs := validation.ValidateObjectMetaAccessor(metadata, true, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
	return errs.ToAggregate()
}

func (c *Cluster) admits(object []byte) error {
	body, err := json.Marshal(admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "test", Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: object},
	}})
	if err != nil {
		return err
	}
	request := httptest.NewRequest(http.MethodPost, "/machinedeployments", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	c.webhook.ServeHTTP(recorder, request)
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &review); err != nil {
		return fmt.Errorf("%s: %w", recorder.Body, err)
	}
	if !review.Response.Allowed {
		return errors.New(review.Response.Result.Message)
	}
	return nil
}
