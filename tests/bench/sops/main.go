// bench-sops -n COUNT: sops' own library sealing so many Secrets of 32 KiB for one age recipient, each
// another. Prints seconds of processor time and the bytes of all files. Parsing is not counted: the trees are made.
package main

import (
	"flag"
	"fmt"
	"log"
	"strings"
	"syscall"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	"github.com/getsops/sops/v3/age"
	"github.com/getsops/sops/v3/cmd/sops/common"
	"github.com/getsops/sops/v3/config"
	"github.com/getsops/sops/v3/keyservice"
	"github.com/getsops/sops/v3/stores/yaml"
)

// TEST ONLY: its identity is public.
const recipient = "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 1000, "how many Secrets")
	flag.Parse()
	key, err := age.MasterKeyFromRecipient(recipient)
	if err != nil {
		log.Fatal(err)
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var text strings.Builder
	for i := range 32*1024 - 8 {
		text.WriteByte(letters[i*7%64])
	}
	store := yaml.NewStore(&config.YAMLStoreConfig{Indent: 4})
	services := []keyservice.KeyServiceClient{keyservice.NewLocalClient()}
	bytes := 0
	since := seconds()
	for i := range *n {
		item := func(key string, value any) sops.TreeItem { return sops.TreeItem{Key: key, Value: value} }
		tree := sops.Tree{
			Branches: sops.TreeBranches{{
				item("apiVersion", "v1"), item("kind", "Secret"),
				item("metadata", sops.TreeBranch{
					item("name", fmt.Sprintf("md-%d-bootstrap-config", i)), item("namespace", "cloud-init-settings"),
				}),
				item("data", sops.TreeBranch{item("cloud-config", fmt.Sprintf("%s%08d", text.String(), i))}),
			}},
			Metadata: sops.Metadata{KeyGroups: []sops.KeyGroup{{key}}, EncryptedRegex: "^(data|stringData)$", Version: "3.13.3"},
		}
		dataKey, errs := tree.GenerateDataKeyWithKeyServices(services)
		if len(errs) > 0 {
			log.Fatal(errs)
		}
		if err := common.EncryptTree(common.EncryptTreeOpts{DataKey: dataKey, Tree: &tree, Cipher: aes.NewCipher()}); err != nil {
			log.Fatal(err)
		}
		file, err := store.EmitEncryptedFile(tree)
		if err != nil {
			log.Fatal(err)
		}
		bytes += len(file)
	}
	fmt.Printf("%.3f %d\n", seconds()-since, bytes)
}

func seconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
