/*
 * Words that people type, used to other programs, with what osm-gen has instead; and the flags of
 * the controller that need a cluster. tests/cli/command_line.sh types each of them.
 */
#include "option_table.h"

#define APPLY    "osm-gen commits files; Flux, Argo CD or kubectl applies them (docs/howto/flux.md)"
#define GENERATE "`osm-gen generate` renders, seals, writes and commits"
#define INIT     "`osm-gen init DIR` starts a repository"
#define LIST     "`osm-gen list` lists all MachineDeployments"
#define SHOW     "`osm-gen list` has the names, `osm-gen render NAMESPACE/NAME` prints one"
#define PLAN     "`osm-gen plan` shows what a run would do, and writes nothing"
#define CHECK    "`osm-gen validate` checks the inputs, `osm-gen check` the output"
#define UNSEAL   "`osm-gen unseal FILE` decrypts a sealed file"
#define ENCRYPT  "`osm-gen generate` seals what it writes; sops encrypts inputs"
#define KEYGEN   "`osm-gen keygen seed` or `osm-gen keygen identity` makes a key"
#define REMOVE   "delete the manifests in git: `osm-gen generate` then deletes their output"
#define CONFIG   "`osm-gen config settings` lists the settings, `osm-gen config show` their values"
#define REVERT   "revert the commit of the inputs with git, then run `osm-gen generate`"
#define ROLL     "`osm-gen roll NAMESPACE/NAME` has the machines replaced"
#define FETCHED  "`osm-gen inventory` lists what machines fetch"
#define ONCE     "osm-gen runs once and ends: start it from CI or a timer (docs/howto/run.md)"
#define READS    "osm-gen reads the whole repository; --manifests FILE adds a file, - reads a pipe"
#define NAMES    "the namespace is part of the name: NAMESPACE/NAME"
#define ALL      "all clusters and namespaces are shown; --cluster CLUSTER shows one"
#define CLUSTER  "osm-gen reads git and contacts no cluster"
#define ASKS     "leave it out: osm-gen asks no questions"
#define ALLOW    "an error names the option that allows what was refused, such as --allow-removal"
#define MESSAGE  "osm-gen writes the message of the commit"
#define FOLDERS  "leave it out: all folders are read, but for what .osm-gen-ignore lists"
#define REPORT   "--report FORMAT=FILE writes a report, such as html=report.html"
#define IDENTITY "SOPS_AGE_KEY_FILE names the file with the age identity"
#define SET      "settings are options, too, and are in osm-gen.yaml: `osm-gen config settings`"

struct word {
	const char *word; /* as typed */
	const char *instead;
};

static const struct word words[] = {
    /* commands */
    {"apply", APPLY},
    {"deploy", APPLY},
    {"sync", APPLY},
    {"reconcile", APPLY},
    {"push", "`osm-gen generate --push` commits and pushes"},
    {"commit", GENERATE},
    {"build", GENERATE},
    {"make", GENERATE},
    {"run", GENERATE},
    {"write", GENERATE},
    {"update", GENERATE},
    {"new", INIT},
    {"create", INIT},
    {"setup", INIT},
    {"bootstrap", INIT},
    {"install", INIT},
    {"ls", LIST},
    {"get", LIST},
    {"units", LIST},
    {"clusters", LIST},
    {"machines", LIST},
    {"nodes", LIST},
    {"show", SHOW},
    {"template", SHOW},
    {"view", SHOW},
    {"print", SHOW},
    {"describe", SHOW},
    {"status", "`osm-gen plan` shows what would change, `osm-gen observe` what is live, "
               "`osm-gen doctor` what is wrong"},
    {"drift", "`osm-gen check` compares with the inputs, `osm-gen observe` with what is live"},
    {"preview", PLAN},
    {"dry-run", PLAN},
    {"lint", CHECK},
    {"test", CHECK},
    {"audit", "`osm-gen verify` audits the committed output"},
    {"decrypt", UNSEAL},
    {"reveal", UNSEAL},
    {"open", UNSEAL},
    {"encrypt", ENCRYPT},
    {"seal", ENCRYPT},
    {"key", KEYGEN},
    {"keys", KEYGEN},
    {"rotate", "`osm-gen generate --rotate-seed` or --rotate-recipients (docs/howto/rotate.md)"},
    {"delete", REMOVE},
    {"remove", REMOVE},
    {"destroy", REMOVE},
    {"prune", REMOVE},
    {"edit", "edit the manifests in git; `osm-gen plan --worktree` shows the effect"},
    {"settings", CONFIG},
    {"options", "`osm-gen help --all COMMAND` lists the options of a command"},
    {"import", "`osm-gen adopt` takes over a cluster from kubectl's output"},
    {"migrate", "`osm-gen adopt` takes over a cluster from kubectl's output"},
    {"export", "kubectl writes exports: kubectl get -A -o yaml (docs/migration.md)"},
    {"rollback", REVERT},
    {"revert", REVERT},
    {"undo", REVERT},
    {"rollout", ROLL},
    {"restart", ROLL},
    {"replace", ROLL},
    {"history", "git log shows the runs: each commit names its inputs"},
    {"log", "git log shows the runs: each commit names its inputs"},
    {"images", FETCHED},
    {"packages", FETCHED},
    {"mirror", FETCHED},
    {"sbom", "`osm-gen inventory -o cyclonedx` prints a bill of materials"},
    {"osp", "`osm-gen profiles` lists the profiles"},
    {"serve", ONCE},
    {"server", ONCE},
    {"start", ONCE},
    {"watch", ONCE},
    {"controller", ONCE},
    {"error", "`osm-gen explain CODE` explains a diagnostic"},
    {"errors", "`osm-gen explain CODE` explains a diagnostic"},
    {"codes", "`osm-gen explain` lists the codes"},
    {"usage", "`osm-gen help` lists the commands"},
    {"login", CLUSTER},
    /* options */
    {"--dry-run", PLAN},
    {"--preview", PLAN},
    {"--plan", PLAN},
    {"--check", "`osm-gen check` compares and writes nothing"},
    {"--diff", "`osm-gen diff` prints the difference and writes nothing"},
    {"--json", "use -o json"},
    {"--yaml", "`osm-gen render` prints YAML; other commands take -o json"},
    {"--format", "use -o json"},
    {"--sarif", REPORT},
    {"--junit", REPORT},
    {"--markdown", REPORT},
    {"--html", REPORT},
    {"--file", READS},
    {"--filename", READS},
    {"-f", READS},
    {"--stdin", READS},
    {"--recursive", FOLDERS},
    {"-R", FOLDERS},
    {"-r", FOLDERS},
    {"-n", NAMES},
    {"--name", NAMES},
    {"--all-namespaces", ALL},
    {"-A", ALL},
    {"-a", ALL},
    {"--context", CLUSTER},
    {"--server", CLUSTER},
    {"--offline", CLUSTER},
    {"--yes", ASKS},
    {"-y", ASKS},
    {"--auto-approve", ASKS},
    {"--non-interactive", ASKS},
    {"--force", ALLOW},
    {"--allow", ALLOW},
    {"-V", "use --version"},
    {"-d", "use -v"},
    {"--debug", "use -v"},
    {"--trace", "use -v"},
    {"-s", "use -q"},
    {"--silent", "use -q"},
    {"--no-color", "use --color never"},
    {"--message", MESSAGE},
    {"-m", MESSAGE},
    {"--commit", "leave it out: `osm-gen generate` commits, unless --no-commit is given"},
    {"--no-push", "leave it out: nothing is pushed without --push"},
    {"--allow-empty", "--vouch makes a commit although nothing changes"},
    {"--watch", ONCE},
    {"-w", ONCE},
    {"--daemon", ONCE},
    {"--prune", "leave it out: `osm-gen generate` deletes the output of deleted manifests"},
    {"--config", "settings are in osm-gen.yaml, at the root and in each cluster's folder"},
    {"-c", "settings are in osm-gen.yaml, at the root and in each cluster's folder"},
    {"--set", SET},
    {"--values", SET},
    {"--seed", "use --seal-seed-file FILE"},
    {"--seed-file", "use --seal-seed-file FILE"},
    {"--decrypt", "--reveal shows secrets in the clear"},
    {"--show-secrets", "--reveal shows secrets in the clear"},
    {"--identity", IDENTITY},
    {"-i", IDENTITY},
    {"--age-key", IDENTITY},
    {"--threads", "use -j N"},
    {"--workers", "use -j N"},
    {"--parallel", "use -j N"},
    {"--concurrency", "use -j N"},
    {"--path", "use -C DIR"},
    {"--dir", "use -C DIR"},
    {"--chdir", "use -C DIR"},
    {"--git-dir", "use --repo DIR"},
    {"--output-dir", "use --out DIR"},
    {"--out-dir", "use --out DIR"},
    {"-O", "use --out DIR"},
    {"--ref", "use --rev REV"},
    {"--revision", "use --rev REV"},
    {"--sha", "use --rev REV"},
    {"--tag", "use --rev REV"},
    {"--dirty", "--worktree reads uncommitted files, too"},
    {"--uncommitted", "--worktree reads uncommitted files, too"},
    {"--local", "--worktree reads uncommitted files, too"},
};

/* The flags of the controller. */
static const struct word of_controller[] = {
    {"--kubeconfig", "objects are read from the repository; the CA comes from cluster-info or "
                     "--kubernetes-ca-bundle"},
    {"--worker-cluster-kubeconfig",
     "commit the worker cluster's kube-public/cluster-info ConfigMap"},
    {"--worker-count", "use -j N for threads"},
    {"--leader-elect", "not needed: of two runs only one can move the branch"},
    {"--health-probe-address", "osm-gen runs once and ends: use its exit status"},
    {"--metrics-address", "osm-gen runs once and ends: use --report json=FILE"},
    {"--worker-health-probe-address", "osm-gen runs once and ends: use its exit status"},
    {"--worker-metrics-address", "osm-gen runs once and ends: use --report json=FILE"},
    {"--log-debug", "use -v"},
    {"--log-format", "use --report json=FILE"},
    {"--ca-bundle", "the controller ignores it; use --host-ca-bundle or --kubernetes-ca-bundle"},
};

static const char *find(const struct word *table, size_t count, sv word)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq_cstr(word, table[i].word))
			return table[i].instead;
	return NULL;
}

const char *option_word_instead(sv word, bool *ret_needs_cluster)
{
	const char *instead = find(of_controller, COUNT_OF(of_controller), word);

	*ret_needs_cluster = instead != NULL;
	return instead ? instead : find(words, COUNT_OF(words), word);
}
