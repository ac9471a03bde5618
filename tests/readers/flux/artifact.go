package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/fluxcd/pkg/oci"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// artifact checks an OCI image layout, pushes its image to a registry and pulls it into a folder with the library of
// `flux pull artifact`, which source-controller uses, too. Prints what its annotations say.
func artifact(folder, into string) error {
	path, err := layout.FromPath(folder)
	if err != nil {
		return err
	}
	index, err := path.ImageIndex()
	if err != nil {
		return err
	}
	if err := validate.Index(index); err != nil {
		return fmt.Errorf("not valid: %w", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	if len(manifest.Manifests) != 1 {
		return fmt.Errorf("%d images in the layout", len(manifest.Manifests))
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		return err
	}
	server := httptest.NewServer(registry.New())
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://") + "/fleet:latest"
	reference, err := name.ParseReference(address)
	if err != nil {
		return err
	}
	if err := remote.Write(reference, image); err != nil {
		return fmt.Errorf("pushing: %w", err)
	}
	found, err := image.Manifest()
	if err != nil {
		return err
	}
	if found.Config.MediaType != oci.CanonicalConfigMediaType || found.Layers[0].MediaType != oci.CanonicalContentMediaType {
		return fmt.Errorf("media types %s, %s", found.Config.MediaType, found.Layers[0].MediaType)
	}
	pulled, err := oci.NewClient(oci.DefaultOptions()).Pull(context.Background(), address, into)
	if err != nil {
		return fmt.Errorf("pulling: %w", err)
	}
	fmt.Println(pulled.Created, pulled.Revision, pulled.Source)
	return nil
}
