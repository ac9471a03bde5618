package controller

import (
	"errors"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// captureManager stands where the controller expects the process's manager.
// The controller's reconciler has no exported constructor; what is exported is
// the function that registers it with a manager. So this manager runs nothing:
// it keeps what is registered, and the caller drives it one request at a time.
type captureManager struct {
	manager.Manager // nil: a method not listed below is a surprise worth a panic

	client   client.Client
	scheme   *runtime.Scheme
	recorder record.EventRecorder
	captured reconcile.Reconciler
}

func (m *captureManager) Add(r manager.Runnable) error {
	rec, ok := r.(reconcile.Reconciler)
	if !ok {
		return errors.New("the controller registered something that does not reconcile")
	}
	m.captured = rec
	return nil
}

func (m *captureManager) GetClient() client.Client             { return m.client }
func (m *captureManager) GetScheme() *runtime.Scheme           { return m.scheme }
func (m *captureManager) GetCache() cache.Cache                { return nil }
func (m *captureManager) GetLogger() logr.Logger               { return logr.Discard() }
func (m *captureManager) GetHTTPClient() *http.Client          { return nil }
func (m *captureManager) Elected() <-chan struct{}             { return nil }
func (m *captureManager) GetFieldIndexer() client.FieldIndexer { return nil }

func (m *captureManager) GetEventRecorderFor(string) record.EventRecorder { return m.recorder }

func (m *captureManager) GetControllerOptions() config.Controller {
	skip := true // one process builds many controllers of one name
	return config.Controller{SkipNameValidation: &skip}
}
