/*
 * The tables of commands, of options, and of the flags that are refused.
 */
#include "option_table.h"

#include <stddef.h>

static const struct command_info commands[COMMAND_COUNT] = {
    [COMMAND_GENERATE] =
        {"generate", "", "render, seal, write, commit (the default command)",
         "Reads the inputs of a commit, renders every MachineDeployment, seals what is\n"
         "secret, writes the output tree and commits it. A run that fails changes nothing;\n"
         "a run with nothing new makes no commit, but where --vouch asks for one. With --push\n"
         "the branch is pushed, too; a commit that the remote does not take stays.\n",
         0, 0},
    [COMMAND_CHECK] =
        {"check", "", "render and compare with what is committed; writes nothing",
         "Exit status 1 when the output tree is not what the inputs make: the gate for pull\n"
         "requests.\n",
         0, 0},
    [COMMAND_DIFF] =
        {"diff", "", "as check, printing the difference, secrets masked",
         "Prints a unified diff of the output tree. Sealed values show only that they differ.\n"
         "Without a seed secrets are stand-ins, and what is sealed is not compared.\n",
         0, 0},
    [COMMAND_PLAN] =
        {"plan", "", "what a run would do to machines: which roll, which are new, which go",
         "Compares as check does, and prints a class for every MachineDeployment: ROLL (its\n"
         "template changed: machines are replaced), NEW-NODES-ONLY (user-data changed: running\n"
         "nodes keep theirs), METADATA, NONE, ADD, REMOVE; with the number of machines. Writes\n"
         "nothing; exit status 0 whatever changes. Without a seed secrets are stand-ins, and\n"
         "what is sealed is not compared.\n",
         0, 0},
    [COMMAND_VALIDATE] =
        {"validate", "[-]", "check the inputs only; needs no seed and no secrets",
         "Reads and renders everything with stand-ins for secrets, and reports all errors.\n"
         "Safe for pull requests of strangers: no key is read, nothing is written.\n"
         "With - the manifests of one cluster are read from standard input, and no repository is:\n"
         "Fleet and Cluster may be among them.\n",
         0, 1},
    [COMMAND_RENDER] =
        {"render", "[-]", "print one MachineDeployment's or OperatingSystemConfig's rendering",
         "Needs --machine-deployment or --operating-system-config, and --print. Secrets are\n"
         "masked unless --reveal, and stand-ins where there is no seed.\n"
         "With - the manifests of one cluster are read from standard input, and no repository is:\n"
         "Fleet and Cluster may be among them.\n",
         0, 1},
    [COMMAND_UNSEAL] =
        {"unseal", "FILE...", "print sealed output decrypted with an age identity",
         "The identity comes from SOPS_AGE_KEY or SOPS_AGE_KEY_FILE, as for sops. The MAC is\n"
         "verified. Of SOPS files YAML, JSON, dotenv and binary ones are read. A SealedSecret\n"
         "is opened with the private key of its controller: --key. A file in an output folder\n"
         "that index.json says is another object's, or that it does not list, is refused unless\n"
         "--force is given. - is standard input.\n",
         1, SIZE_MAX},
    [COMMAND_VERIFY] =
        {"verify", "[FILE...]", "audit the committed output: is it what osm-gen wrote?",
         "Reads the output of a commit and prints what is wrong with it; changes nothing. Without\n"
         "keys: files that no index lists, links, objects in another's place. With the seed: "
         "files\n"
         "that were changed since the last run of osm-gen, and by which commit, and older "
         "versions\n"
         "brought back. With an age identity: whether sealed files open and their MAC holds. With\n"
         "both: whether they were sealed by somebody else; of SealedSecrets that takes the key of\n"
         "their controller: --key. What could not be checked is said.\n"
         "Exit status 1 when something was found.\n",
         0, SIZE_MAX},
    [COMMAND_KEYGEN] =
        {"keygen", "seed|identity", "make a sealing seed or an age identity",
         "A seed is held by CI alone (OSM_GEN_SEAL_SEED). An identity is what a cluster\n"
         "decrypts with; its public key is the recipient to name in osm-gen.yaml.\n"
         "Printed, or with -o FILE written to a new file that only you can read. A file that is\n"
         "there is never replaced; one that git would add is refused.\n",
         1, 1},
    [COMMAND_PROFILES] =
        {"profiles", "[list | show NAME]", "list or print the embedded default profiles",
         "The embedded OperatingSystemProfiles stand behind those of the repository, unless\n"
         "disableDefaultOSPs is set. With show --effective, NAME is a MachineDeployment,\n"
         "[CLUSTER/]NAMESPACE/NAME, and what is printed is the profile that it gets, extensions\n"
         "included: beside each line the file and line that it comes from.\n",
         0, 2},
    [COMMAND_EXPLAIN] = {"explain", "[CODE]", "what a diagnostic means and how to mend it",
                         "CODE as printed: OSG3001. Without one, all codes are listed.\n", 0, 1},
    [COMMAND_COMPLETION] = {"completion", "bash|zsh|fish", "print a completion script for a shell",
                            "`make install` and packages put these in place.\n", 1, 1},
    [COMMAND_MAN] = {"man", "[COMMAND]", "print a manual page, of osm-gen or of a command",
                     "`make install` and packages put these in place.\n", 0, 1},
    [COMMAND_HELP] = {"help", "[COMMAND]", "this help, or a command's",
                      "A command's help has its options, its variables and examples.\n", 0, 1},
    [COMMAND_VERSION] =
        {"version", "", "the program's version",
         "With -o json also the digest of its source, the output contracts that it carries,\n"
         "the controllers whose results it gives, and the versions of libraries.\n",
         0, 0},
    [COMMAND_ADOPT] =
        {"adopt", "EXPORT...", "a cluster that a controller serves, taken over into git",
         "EXPORT is what kubectl get -A -o yaml or -o json prints of it (- is standard input):\n"
         "OperatingSystemProfiles, MachineDeployments, MachineSets, Secrets, ConfigMaps, the\n"
         "controller's Deployment. Writes the cluster's folder: settings, clean manifests,\n"
         "Secrets encrypted with SOPS; beside it the file for --revisions. Says what it left\n"
         "out, and why. docs/migration.md has the whole way.\n",
         1, SIZE_MAX},
    [COMMAND_COMPARE] =
        {"compare", "", "what would be rendered beside what a live cluster has",
         "Renders a cluster and compares its OperatingSystemConfigs and Secrets with those of\n"
         "an export of the live one: equal, differs (with the first line, secrets masked), only\n"
         "here, only there; and whether machines would be replaced.\n"
         "Exit status 1 when something differs.\n",
         0, 0},
    [COMMAND_OBSERVE] =
        {"observe", "EXPORT...", "the committed output beside what is live: did it arrive?",
         "EXPORT is what kubectl get -A -o yaml or -o json prints (- is standard input) of\n"
         "machinedeployments,machinesets,machines,operatingsystemprofiles,operatingsystemconfigs,"
         "secrets;\n"
         "where management and worker cluster are two, one export of each. Says which committed\n"
         "objects are live, and at which revision, and which machines run which user-data. "
         "Renders\n"
         "nothing and needs no seed; without an identity the content of what is sealed is not\n"
         "compared. Exit status 1 until everything is live and every machine current.\n",
         1, SIZE_MAX},
    [COMMAND_INIT] =
        {"init", "DIR", "start: settings, keys, and an example cluster that renders",
         "Makes DIR a repository if it is none, and writes what is not there yet: osm-gen.yaml\n"
         "with its JSON Schema, .sops.yaml, .osm-gen-ignore and, where there are no manifests,\n"
         "clusters/example. The sealing seed and an age identity go outside of the repository,\n"
         "to --keys. Nothing is replaced, nothing is committed; what to do next is printed.\n",
         1, 1},
    [COMMAND_DOCTOR] =
        {"doctor", "", "check the surroundings: repository, keys, recipients, what CI will meet",
         "Looks at the repository's shape, the seed, the identities, the recipients, the profiles\n"
         "and the commit's author, and changes nothing. Exit status 0 all well, 1 something to\n"
         "look at, 2 the inputs are wrong, 3 keys or repository are.\n",
         0, 0},
    [COMMAND_UPGRADE] =
        {"upgrade", "", "raise the output contract: print the plan, write osm-gen.yaml",
         "Under its contract (spec.contract of the Fleet) a fleet gets the same bytes from every\n"
         "version of osm-gen. Prints, as plan does, what HEAD's inputs become under a newer one,\n"
         "then writes its number into osm-gen.yaml of the working tree, and nothing else;\n"
         "commits nothing. Refused where that file is not HEAD's.\n",
         0, 0},
    [COMMAND_LIST] =
        {"list", "", "the clusters' MachineDeployments, as the inputs have them",
         "Every MachineDeployment with provider, operating system, profile and its version,\n"
         "kubelet version and replicas; sorted. Needs neither seed nor secrets.\n",
         0, 0},
    [COMMAND_INVENTORY] =
        {"inventory", "[CLUSTER]", "what machines fetch: binaries, packages, images, keys, URLs",
         "Renders every MachineDeployment of the cluster, or of all, with stand-ins for secrets,\n"
         "and prints what its machines fetch over the network, as their profile's inventory says:\n"
         "versions, architectures, checksums where they are pinned, and the setting that moves it\n"
         "to a mirror. What does not say what it fetches is named (OSG6053).\n"
         "Exit status 1 when the mirror of --check-mirror lacks something.\n",
         0, 1},
    [COMMAND_CONFIG] =
        {"config", "show [CLUSTER] | schema | settings",
         "effective settings, and where each comes from",
         "show prints every setting of the cluster, or of all clusters, with the place that\n"
         "decides it: a flag, the cluster's osm-gen.yaml, the fleet's, or the default. User and\n"
         "password in a URL are masked. schema prints the JSON Schema of osm-gen.yaml, settings\n"
         "the reference of all settings, in Markdown.\n",
         1, 2},
    [COMMAND_REVISIONS] =
        {"revisions", "[CLUSTER=]EXPORT...", "live revisions, from what kubectl prints",
         "EXPORT is what kubectl get machinedeployments -A -o json or -o yaml prints of one\n"
         "cluster; without CLUSTER= its file is named after the cluster. Prints the revision of\n"
         "each MachineDeployment, of several exports of a cluster the highest. With --into DIR it\n"
         "writes DIR/CLUSTER.json for each, for --revisions DIR, with nothing else in it.\n",
         1, SIZE_MAX},
};

#define FIELD(member) offsetof(struct options, member)

static const struct option_info options[] = {
    {"repo", 0, OPTION_TEXT, FIELD(repo), ON_COMMITS, "DIR",
     "the repository: work tree or bare (default .)"},
    {"out", 0, OPTION_TEXT, FIELD(out), ON_COMMITS, "DIR",
     "the output folder, relative to the repository's root (default out); an absolute path outside "
     "exports without a commit"},
    {"rev", 0, OPTION_TEXT, FIELD(rev), ON_COMMITS & ~ON(COMMAND_UPGRADE), "REV",
     "the commit to read (default HEAD)"},
    {"worktree", 0, OPTION_FLAG, FIELD(worktree), (ON_INPUTS & ~ON(COMMAND_UPGRADE)) | ON_ASKING,
     NULL, "read the working tree instead of a commit; never commits"},
    {"branch", 0, OPTION_TEXT, FIELD(branch), ON_RUNS | ON(COMMAND_DOCTOR), "NAME",
     "the branch to commit on (default: HEAD's)"},
    {"author", 0, OPTION_TEXT, FIELD(author), ON(COMMAND_GENERATE), "\"NAME <MAIL>\"",
     "author and committer (default: the fleet's commit.author)"},
    {"no-commit", 0, OPTION_FLAG, FIELD(no_commit), ON(COMMAND_GENERATE), NULL,
     "only write the folder"},
    {"push", 0, OPTION_MAYBE, FIELD(push), ON(COMMAND_GENERATE), "[REMOTE]",
     "push the branch with git's own program (default: to its upstream's remote, else origin); "
     "where it has moved there, render afresh on its tip; never by force"},
    {"push-retries", 0, OPTION_TEXT, FIELD(push_retries_text), ON(COMMAND_GENERATE), "N",
     "how often --push renders afresh when others push first (default 5)"},
    {"notes", 0, OPTION_FLAG, FIELD(notes), ON(COMMAND_GENERATE), NULL,
     "with --push, also say in refs/notes/osm-gen that the source commit was processed"},
    {"skip-ci", 0, OPTION_FLAG, FIELD(skip_ci), ON(COMMAND_GENERATE), NULL,
     "put [skip ci] into the commit's subject, so that CI runs no job for it"},
    {"vouch", 0, OPTION_FLAG, FIELD(vouch), ON(COMMAND_GENERATE), NULL,
     "when nothing changes and no commit vouches for the output, commit all the same (OSG5109)"},
    {"seal-seed-file", 0, OPTION_TEXT, FIELD(seed_file),
     ON_RUNS | ON(COMMAND_RENDER) | ON(COMMAND_VERIFY) | ON(COMMAND_ADOPT) | ON(COMMAND_COMPARE) |
         ON(COMMAND_DOCTOR),
     "FILE", "the sealing seed (else OSM_GEN_SEAL_SEED or OSM_GEN_SEAL_SEED_FILE)"},
    {"rotate-seed", 0, OPTION_FLAG, FIELD(rotate_seed), ON_RUNS, NULL,
     "seal everything anew with a seed that is not the one before"},
    {"rotate-recipients", 0, OPTION_FLAG, FIELD(rotate_recipients), ON_RUNS, NULL,
     "seal to other recipients than before, or to those of a new cluster: a change is refused "
     "otherwise"},
    {"allow-removal", 0, OPTION_FLAG, FIELD(allow_removal), ON_RUNS, NULL,
     "remove all units of a cluster, or a large part of the fleet (OSG2030): refused otherwise"},
    {"allow-recipients", 0, OPTION_TEXT, FIELD(allow_recipients_file), ON_RUNS, "FILE",
     "the recipients that each cluster may have, CLUSTER RECIPIENT or * RECIPIENT a line: a list "
     "that CI holds outside of the repository; it decides alone"},
    {"secrets", 0, OPTION_TEXT, FIELD(secrets_folder), ON_INPUTS | ON_ASKING | ON(COMMAND_DOCTOR),
     "DIR",
     "a folder of Secret manifests outside git, DIR/CLUSTER/ for one cluster; wins over the "
     "repository's"},
    {"allow-env", 0, OPTION_VARIABLES, 0, ON_INPUTS | ON(COMMAND_LIST) | ON(COMMAND_INVENTORY),
     "[CLUSTER:]NAME,...",
     "environment variables that the cluster's cloud-configs may take values from, as the "
     "controller does, where cloudProviderSpec lacks them; CLUSTER:NAME=VARIABLE: the environment "
     "has it under another name; *: every cluster, as without CLUSTER, which only clusters with "
     "the same recipients may have (OSG5077); may be given many times"},
    {"revisions", 0, OPTION_TEXT, FIELD(revisions_file),
     ON_RUNS | ON(COMMAND_RENDER) | ON(COMMAND_COMPARE), "PATH",
     "live revisions: what `kubectl get machinedeployments -A -o json` prints; or a folder with "
     "CLUSTER.json or CLUSTER.yaml"},
    {"key", 0, OPTION_TEXT, FIELD(key_file),
     ON(COMMAND_UNSEAL) | ON(COMMAND_VERIFY) | ON(COMMAND_OBSERVE), "FILE",
     "private keys of a sealed-secrets controller: PEM, or its Secrets as kubectl prints them"},
    {"machine-deployment", 0, OPTION_TEXT, FIELD(machine_deployment), ON(COMMAND_RENDER),
     "[CLUSTER/]NAMESPACE/NAME", "which MachineDeployment to render"},
    {"operating-system-config", 0, OPTION_TEXT, FIELD(operating_system_config), ON(COMMAND_RENDER),
     "[CLUSTER/]NAMESPACE/NAME", "which OperatingSystemConfig of Gardener's to render"},
    {"print", 0, OPTION_TEXT, FIELD(print), ON(COMMAND_RENDER),
     "osc|bootstrap|provisioning|user-data|status|node-agent|effect",
     "what to print of it: the first three of a MachineDeployment, the others of an "
     "OperatingSystemConfig; effect: the files, links and calls of its user-data"},
    {"reveal", 0, OPTION_FLAG, FIELD(reveal), ON(COMMAND_RENDER), NULL,
     "show secrets in the clear"},
    {"effective", 0, OPTION_FLAG, FIELD(effective), ON(COMMAND_PROFILES), NULL,
     "show the profile that a MachineDeployment gets, extensions included"},
    {"no-origins", 0, OPTION_FLAG, FIELD(no_origins), ON(COMMAND_PROFILES), NULL,
     "with --effective: the profile alone, as a manifest"},
    {"to", 0, OPTION_TEXT, FIELD(to_text), ON(COMMAND_UPGRADE), "N",
     "the output contract to raise to (default: the newest)"},
    {"dry-run", 0, OPTION_FLAG, FIELD(dry_run), ON(COMMAND_UPGRADE), NULL, "only print the plan"},
    {"inputs-rev", 0, OPTION_TEXT, FIELD(inputs_rev), ON(COMMAND_VERIFY), "REV",
     "where the inputs are committed, when the output has a branch of its own (default: --rev)"},
    {"require-history", 0, OPTION_FLAG, FIELD(require_history), ON(COMMAND_VERIFY), NULL,
     "a history that is not complete, as in a shallow clone, is a finding"},
    {"output", 'o', OPTION_TEXT, FIELD(format),
     ON(COMMAND_VERIFY) | ON(COMMAND_PLAN) | ON(COMMAND_UPGRADE) | ON(COMMAND_COMPARE) |
         ON(COMMAND_OBSERVE) | ON(COMMAND_LIST) | ON(COMMAND_CONFIG) | ON(COMMAND_DOCTOR) |
         ON(COMMAND_REVISIONS) | ON(COMMAND_VERSION) | ON(COMMAND_PROFILES) | ON(COMMAND_EXPLAIN),
     "text|json", "how the result is printed (default text)"},
    {"output", 'o', OPTION_TEXT, FIELD(format), ON(COMMAND_INVENTORY), "text|json|cyclonedx",
     "how the result is printed (default text)"},
    {"check-mirror", 0, OPTION_TEXT, FIELD(check_mirror), ON(COMMAND_INVENTORY), "DIR|FILE",
     "say what a mirror lacks: a folder of HOST/PATH, or a file with a URL a line"},
    {"mirror-script", 0, OPTION_FLAG, FIELD(mirror_script), ON(COMMAND_INVENTORY), NULL,
     "print a bash script that fills the folder of a mirror"},
    {"output", 'o', OPTION_TEXT, FIELD(format), ON(COMMAND_KEYGEN), "FILE",
     "write the key to a new file, mode 0600 (default: print it)"},
    {"keys", 0, OPTION_TEXT, FIELD(keys_folder), ON(COMMAND_INIT), "DIR",
     "where seed and identity are kept, outside of the repository (default: osm-gen/NAME below "
     "$XDG_CONFIG_HOME or ~/.config)"},
    {"force", 0, OPTION_FLAG, FIELD(force), ON(COMMAND_UNSEAL), NULL,
     "print a file that lies where it does not belong"},
    {"report", 0, OPTION_REPORT, 0, ON_RUNS | ON(COMMAND_VALIDATE), "FORMAT=FILE",
     "also write a report: json, sarif, junit, markdown, html, github or gitlab; may be given many "
     "times, and FILE may be - for standard output"},
    {"cluster", 0, OPTION_TEXT, FIELD(cluster),
     ON(COMMAND_ADOPT) | ON(COMMAND_COMPARE) | ON(COMMAND_OBSERVE), "NAME",
     "the cluster's name: that it is to have, or which one is live"},
    {"no-machines", 0, OPTION_FLAG, FIELD(no_machines), ON(COMMAND_OBSERVE), NULL,
     "look at objects alone: machines take their time to come"},
    {"into", 0, OPTION_TEXT, FIELD(into), ON(COMMAND_REVISIONS), "DIR",
     "write DIR/CLUSTER.json in place of printing"},
    {"into", 0, OPTION_TEXT, FIELD(into), ON(COMMAND_ADOPT), "DIR",
     "the folder to write, in a work tree and not there yet"},
    {"recipient", 0, OPTION_TEXTS, FIELD(recipients), ON(COMMAND_ADOPT), "age1...",
     "whom Secrets are encrypted to; may be given many times (default: those of osm-gen.yaml)"},
    {"allow-clear", 0, OPTION_TEXTS, FIELD(allow_clear), ON(COMMAND_ADOPT),
     "KIND/NAMESPACE/NAME:FIELD",
     "a field that looks like a secret and is none, as the error names it; may be given many "
     "times"},
    {"live", 0, OPTION_TEXTS, FIELD(live), ON(COMMAND_COMPARE), "EXPORT",
     "what kubectl get -A -o yaml or -o json prints of the live cluster (- is standard input); may "
     "be "
     "given many times"},
    {"max-entries", 0, OPTION_AMOUNT, FIELD(limits.entries), ON_INPUTS, "N",
     "the most files and folders that are listed (default 2000000)"},
    {"max-input", 0, OPTION_AMOUNT, FIELD(limits.input_bytes), ON_INPUTS, "BYTES",
     "the most that is read, in all (default 128M; K, M and G are powers of 1024)"},
    {"max-values", 0, OPTION_AMOUNT, FIELD(limits.values), ON_INPUTS, "N",
     "the most values that all manifests hold (default 1000000, and one for 10 bytes of a file)"},
    {"max-steps", 0, OPTION_AMOUNT, FIELD(limits.steps), ON_INPUTS, "N",
     "the most steps of work, of templates and of what is compared (default 60000000, 40000 for "
     "each MachineDeployment and 16 for each byte of input)"},
    {"max-output", 0, OPTION_AMOUNT, FIELD(limits.output_bytes), ON_INPUTS, "BYTES",
     "the most that is written, in all (default 1G, 400000 for each MachineDeployment and 16 for "
     "each byte of input)"},
    {"jobs", 'j', OPTION_TEXT, FIELD(jobs_text), ON_INPUTS, "N",
     "threads (default: one a core); never changes a byte"},
    {"quiet", 'q', OPTION_FLAG, FIELD(quiet), ON_ALL, NULL, "say nothing but warnings and errors"},
    {"verbose", 'v', OPTION_FLAG, FIELD(verbose), ON_ALL, NULL,
     "list every file that changes, show every diagnostic"},
    {"color", 0, OPTION_TEXT, FIELD(color), ON_ALL, "auto|always|never",
     "colour (default auto; NO_COLOR is honoured)"},
    {"progress", 0, OPTION_TEXT, FIELD(progress), ON_ALL, "auto|always|never",
     "a progress line on a terminal when a run takes long (default auto)"},
    {"help", 'h', OPTION_FLAG, FIELD(help), ON_ALL, NULL, "help on the command"},
    {"version", 0, OPTION_FLAG, FIELD(version), ON_ALL, NULL, "the program's version"},
};

/* Flags of the controller that need a cluster, and what takes their place. */
static const struct {
	const char *name;
	const char *instead;
} refused[] = {
    {"kubeconfig", "objects are read from the repository; the CA comes from cluster-info or "
                   "--kubernetes-ca-bundle"},
    {"worker-cluster-kubeconfig", "commit the worker cluster's kube-public/cluster-info ConfigMap"},
    {"worker-count", "use -j N for threads"},
    {"leader-elect", "one run a commit: the branch moves by compare-and-swap"},
    {"health-probe-address", "osm-gen runs once and ends: use its exit status"},
    {"metrics-address", "osm-gen runs once and ends: use --report json=FILE"},
    {"worker-health-probe-address", "osm-gen runs once and ends: use its exit status"},
    {"worker-metrics-address", "osm-gen runs once and ends: use --report json=FILE"},
    {"log-debug", "use -v"},
    {"log-format", "use --report json=FILE"},
    {"ca-bundle", "the controller ignores it; use --host-ca-bundle or --kubernetes-ca-bundle"},
};

const char *options_command_name(enum command command)
{
	return commands[command].name;
}

const struct command_info *command_info(enum command command)
{
	return &commands[command];
}

enum command options_command_find(sv name)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (sv_eq_cstr(name, commands[i].name))
			return (enum command)i;
	return COMMAND_COUNT;
}

void options_command_help(struct sink *sink, struct diag *diag, sv name)
{
	sv names[COMMAND_COUNT];

	for (int i = 0; i < COMMAND_COUNT; i++)
		names[i] = sv_from_cstr(commands[i].name);
	sv nearest = diag_nearest(name, names, COMMAND_COUNT);
	if (!sv_empty(nearest))
		diag_set_help(sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	else
		diag_set_help(sink, diag, "`osm-gen help` lists the commands");
}

static const struct option_note environment_notes[] = {
    {"OSM_GEN_REPO, OSM_GEN_NO_COMMIT, ...",
     "options and settings by their names; those on the command line win. Empty counts as not set, "
     "flags are true or false, and of what may be given many times each line is one"},
    {"OSM_GEN_SEAL_SEED, OSM_GEN_SEAL_SEED_FILE", "the sealing seed, or the file that holds it"},
    {"SOPS_AGE_KEY, SOPS_AGE_KEY_FILE", "age identities, for encrypted inputs, unseal, verify"},
    {"those that --allow-env names", "values of cloud-configs"},
    {"NO_COLOR", "no colour"},
};

const struct option_note *option_environment_notes(size_t *ret_count)
{
	*ret_count = COUNT_OF(environment_notes);
	return environment_notes;
}

static const struct option_note exit_statuses[] = {
    {"0", "done, or no difference"},
    {"1", "difference found (check, compare, diff, doctor, inventory, observe, verify)"},
    {"2", "the inputs are wrong"},
    {"3", "the surroundings failed (git, I/O, keys)"},
    {"64", "wrong usage"},
};

const struct option_note *option_exit_statuses(size_t *ret_count)
{
	*ret_count = COUNT_OF(exit_statuses);
	return exit_statuses;
}

const struct option_info *option_table(size_t *ret_count)
{
	*ret_count = COUNT_OF(options);
	return options;
}

const struct option_info *option_find(sv name)
{
	for (size_t i = 0; i < COUNT_OF(options); i++)
		if (sv_eq_cstr(name, options[i].name))
			return &options[i];
	return NULL;
}

bool option_applies(const char *name, enum command command)
{
	for (size_t i = 0; i < COUNT_OF(options); i++)
		if (strcmp(name, options[i].name) == 0 && (options[i].commands & ON(command)))
			return true;
	return false;
}

const char *option_refused(sv name)
{
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		if (sv_eq_cstr(name, refused[i].name))
			return refused[i].instead;
	return NULL;
}

bool options_read_stdin(const struct options *given)
{
	return (given->command == COMMAND_VALIDATE || given->command == COMMAND_RENDER) &&
	       given->arguments.count > 0;
}
