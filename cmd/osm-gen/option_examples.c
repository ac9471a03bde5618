/*
 * Examples of each command, for help and manual pages; tests/cli/help.sh runs them in the sample
 * fleet.
 */
#include "option_table.h"

#define MOST 4

static const struct option_note examples[COMMAND_COUNT][MOST] = {
    [COMMAND_GENERATE] = {{"osm-gen generate", "render the inputs of HEAD, and commit out/"},
                          {"osm-gen generate --push --branch main",
                           "in CI: also push; if the branch has moved, render again"},
                          {"osm-gen generate --worktree --no-commit",
                           "write out/ from the files that you edit, to look at it"}},
    [COMMAND_CHECK] = {{"osm-gen check", "is out/ what the inputs make?"},
                       {"osm-gen check --report sarif=osm-gen.sarif --report markdown=-",
                        "in a pull request: the findings for code scanning, and a comment"}},
    [COMMAND_DIFF] = {{"osm-gen diff", "what a run would change in out/"},
                      {"osm-gen diff --worktree", "the same for the files that you edit"}},
    [COMMAND_PLAN] = {{"osm-gen plan", "which machines would be replaced, and why"},
                      {"osm-gen plan -o json | jq -r '.units[] | select(.class == \"ROLL\").name'",
                       "the names of those that roll, for a script"}},
    [COMMAND_VALIDATE] = {{"osm-gen validate --worktree", "while editing"},
                          {"osm-gen validate --report github=-",
                           "in a GitHub workflow: annotations of the lines"},
                          {"kustomize build clusters/prod | osm-gen validate -",
                           "the manifests of one cluster, from another program"}},
    [COMMAND_RENDER] = {{"osm-gen render prod-us-1/kube-system/workers --print bootstrap",
                         "the user-data of the first boot"},
                        {"osm-gen render prod-us-1/kube-system/workers --print osc",
                         "the OperatingSystemConfig"},
                        {"kustomize build clusters/prod | osm-gen render - kube-system/workers",
                         "from manifests that another program prints"}},
    [COMMAND_UNSEAL] =
        {{"osm-gen unseal out/prod-us-1/worker/cloud-init-settings/secret-*.yaml",
          "the Secrets of a cluster's machines"},
         {"osm-gen unseal - <out/prod-us-1/worker/kube-system/secret-bootstrap-token-df7dwt.yaml",
          "the output of another program: git show, kubectl"}},
    [COMMAND_VERIFY] = {{"osm-gen verify", "was anything changed by others than osm-gen?"},
                        {"osm-gen verify --require-history -o json", "every night, for a program"}},
    [COMMAND_KEYGEN] = {{"osm-gen keygen seed -o ../seed.txt", "for CI alone"},
                        {"osm-gen keygen identity -o ../identity.txt", "for Flux, in the cluster"}},
    [COMMAND_PROFILES] = {{"osm-gen profiles", "list the profiles inside the program"},
                          {"osm-gen profiles show --comments osp-ubuntu >osp-acme.yaml",
                           "to start a profile of one's own"},
                          {"osm-gen profiles show --effective prod-us-1/kube-system/workers",
                           "what a MachineDeployment gets, and where each line comes from"}},
    [COMMAND_SCHEMA] = {{"osm-gen schema OperatingSystemProfile >osp.schema.json",
                         "for an editor: # yaml-language-server: $schema=osp.schema.json"},
                        {"osm-gen schema --into schemas",
                         "kubeconform -schema-location "
                         "'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json'"}},
    [COMMAND_EXPLAIN] = {{"osm-gen explain OSG3001", "what it means, and what to do"},
                         {"osm-gen explain -o json", "all of them, for a program"}},
    [COMMAND_COMPLETION] = {{"source <(osm-gen completion bash)", "for this shell alone"},
                            {"osm-gen completion zsh >_osm-gen", "zsh: into a folder of $fpath"},
                            {"osm-gen completion fish >osm-gen.fish",
                             "fish: into ~/.config/fish/completions"}},
    [COMMAND_MAN] = {{"osm-gen man plan | man -l -",
                      "read the page where no package has installed it"}},
    [COMMAND_HELP] = {{"osm-gen help plan", "what plan does, and its options"}},
    [COMMAND_VERSION] = {{"osm-gen version", "for people"},
                         {"osm-gen version -o json", "with its libraries, for a report of a bug"}},
    [COMMAND_ADOPT] = {{"osm-gen adopt ../live.yaml --cluster prod --into clusters/prod",
                        "a new folder of the work tree; look, then git add"}},
    [COMMAND_COMPARE] = {{"osm-gen compare --cluster prod-us-1 --live ../live.yaml",
                          "before osm-gen replaces the controller"}},
    [COMMAND_OBSERVE] = {{"osm-gen observe --cluster prod-us-1 ../live.yaml",
                          "after Flux has applied"},
                         {"osm-gen observe --cluster prod-us-1 --no-machines - <../live.yaml",
                          "without waiting for machines"}},
    [COMMAND_INIT] = {{"osm-gen init ../another", "a new repository"},
                      {"osm-gen init ../new --example",
                       "a whole one to try: three clusters, CI, Flux"},
                      {"osm-gen init . --keys ../keys", "what is missing in this one"}},
    [COMMAND_DOCTOR] = {{"osm-gen doctor", "before the first run, or when a run fails only in CI"},
                        {"osm-gen doctor --cluster prod-us-1 --live ../live.yaml",
                         "before MachineDeployments of the output are applied"}},
    [COMMAND_UPGRADE] = {{"osm-gen upgrade --dry-run", "what a newer contract does to machines"},
                         {"osm-gen upgrade", "the same, and write its number into osm-gen.yaml"}},
    [COMMAND_MERGE] = {{"osm-gen --shard 1/1 --out ../parts && osm-gen merge ../parts",
                        "in CI each part has a job of its own, and merge the last one"}},
    [COMMAND_MERGE_DRIVER] = {{"git config merge.osm-gen.driver 'osm-gen merge-driver %O %A %B %P'",
                               "once in each clone; .gitattributes has /out/** merge=osm-gen"}},
    [COMMAND_LIST] =
        {{"osm-gen list", "a table"},
         {"osm-gen list -o json | jq -r '.units[] | \"\\(.name) \\(.kubeletVersion)\"'",
          "two columns of it"}},
    [COMMAND_INVENTORY] =
        {{"osm-gen inventory prod-us-1", "what the machines of one cluster fetch"},
         {"osm-gen inventory -o cyclonedx >nodes.cdx.json", "as a bill of materials"},
         {"osm-gen inventory --mirror-script >fill.sh", "a script that fills a mirror"},
         {"osm-gen inventory --check-mirror .", "what a mirror in this folder lacks"}},
    [COMMAND_CONFIG] = {{"osm-gen config show prod-us-1",
                         "the settings of a cluster, and where each comes from"},
                        {"osm-gen config schema >osm-gen.schema.json", "for editors"}},
    [COMMAND_ROLL] = {{"osm-gen roll prod-us-1/kube-system/workers", "one MachineDeployment"},
                      {"osm-gen roll --profile osp-ubuntu --cluster prod-us-1",
                       "after a change of the profile, a first cluster; the others follow later"}},
    [COMMAND_REVISIONS] = {{"osm-gen revisions prod-us-1=../live.json", "print them"},
                           {"osm-gen revisions --into revisions prod-us-1=../live.json",
                            "for osm-gen --revisions revisions"}},
    [COMMAND_CONVERT] = {{"osm-gen convert ../kkp/extension.yaml >extension.yaml",
                          "look at the result, and at what is reported; then git add"}},
};

const struct option_note *command_examples(enum command command, size_t *ret_count)
{
	size_t count = 0;

	while (count < MOST && examples[command][count].name)
		count++;
	*ret_count = count;
	return examples[command];
}
