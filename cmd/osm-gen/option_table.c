/*
 * The table of options.
 */
#include "option_table.h"

#include "kube/kube.h"

#include <stddef.h>

#define FIELD(member) offsetof(struct options, member)
#define USUAL         OPTION_USUAL
#define RARE          OPTION_RARE
#define JOB           OPTION_GROUP_JOB
#define READ          OPTION_GROUP_READ
#define ALLOWED       OPTION_GROUP_ALLOWED
#define WHERE         OPTION_GROUP_WHERE
#define REPORTS       OPTION_GROUP_REPORTS
#define LIMITS        OPTION_GROUP_LIMITS
#define EVERY         OPTION_GROUP_EVERY

static const struct option_info options[] = {
    {"repo", 0, RARE, READ, OPTION_TEXT, FIELD(read.repo), ON_COMMITS, "DIR",
     "the repository: the root of a work tree, or a "
     "bare one (default: that of the current folder)"},
    {"out", 0, USUAL, WHERE, OPTION_TEXT, FIELD(target.out), ON_COMMITS, "DIR",
     "the output folder, relative to the repository's root (default out); an absolute path outside "
     "of it is written without a commit"},
    {"rev", 0, USUAL, READ, OPTION_TEXT, FIELD(read.rev),
     ON_COMMITS & ~(ON(COMMAND_UPGRADE) | ON(COMMAND_ROLL)), "REV",
     "the commit to read (default HEAD)"},
    {"worktree", 0, USUAL, READ, OPTION_FLAG, FIELD(read.worktree),
     (ON_INPUTS & ~(ON(COMMAND_UPGRADE) | ON(COMMAND_MERGE))) | ON_ASKING, NULL,
     "read the working tree instead of a commit; never commits"},
    {"branch", 0, USUAL, WHERE, OPTION_TEXT, FIELD(target.branch), ON_RUNS | ON(COMMAND_DOCTOR),
     "NAME", "the branch to commit on (default: HEAD's)"},
    {"history", 0, RARE, WHERE, OPTION_TEXT, FIELD(target.history_text), ON(COMMAND_GENERATE), "N",
     "with --branch, which has no inputs, keep the newest N commits "
     "of osm-gen there; the branch is replaced when it would have more"},
    {"author", 0, RARE, WHERE, OPTION_TEXT, FIELD(target.author), ON_MAKING, "\"NAME <MAIL>\"",
     "author and committer (default: the fleet's commit.author)"},
    {"no-commit", 0, USUAL, WHERE, OPTION_FLAG, FIELD(target.no_commit), ON(COMMAND_GENERATE), NULL,
     "only write the folder"},
    {"artifact", 0, RARE, WHERE, OPTION_TEXT, FIELD(target.artifact), ON(COMMAND_GENERATE), "DIR",
     "also write the output as OCI images: a layout for each cluster, DIR/CLUSTER, for Flux's "
     "OCIRepository; DIR is outside of the repository"},
    {"push", 0, USUAL, WHERE, OPTION_MAYBE, FIELD(target.push), ON_MAKING, "[REMOTE]",
     "push the branch with the git program (default: to its upstream's remote, else origin); if "
     "the branch has moved there, render again on its tip; never by force but with --history"},
    {"push-retries", 0, RARE, WHERE, OPTION_TEXT, FIELD(target.push_retries_text), ON_MAKING, "N",
     "how many times --push renders again if others push first (default 5)"},
    {"notes", 0, RARE, WHERE, OPTION_FLAG, FIELD(target.notes), ON_MAKING, NULL,
     "with --push, also record in refs/notes/osm-gen that the source commit was processed"},
    {"skip-ci", 0, RARE, WHERE, OPTION_FLAG, FIELD(target.skip_ci), ON_MAKING, NULL,
     "put [skip ci] into the commit's subject, so that CI runs no job for it"},
    {"vouch", 0, RARE, JOB, OPTION_FLAG, FIELD(target.vouch), ON_MAKING, NULL,
     "commit even if nothing changes, when no commit vouches for the output (OSG5109)"},
    {"shard", 0, RARE, JOB, OPTION_TEXT, FIELD(work.shard_text), ON(COMMAND_GENERATE), "I/N",
     "render only part I of N, for merge, into the folder "
     "--out outside of the repository; commits nothing"},
    {"merged-out", 0, RARE, WHERE, OPTION_TEXT, FIELD(work.merged_out), ON(COMMAND_GENERATE), "DIR",
     "with --shard: the output folder in the repository, as merge's --out (default out)"},
    {"no-proofs", 0, RARE, JOB, OPTION_FLAG, FIELD(work.no_proofs), ON_RUNS, NULL,
     "render every unit, whatever proves that its files are there already"},
    {"seal-seed-file", 0, USUAL, READ, OPTION_TEXT, FIELD(read.seed_file),
     ON_RUNS | ON(COMMAND_RENDER) | ON(COMMAND_VERIFY) | ON(COMMAND_ADOPT) | ON(COMMAND_COMPARE) |
         ON(COMMAND_DOCTOR),
     "FILE", "the sealing seed (else OSM_GEN_SEAL_SEED or OSM_GEN_SEAL_SEED_FILE)"},
    {"rotate-seed", 0, RARE, ALLOWED, OPTION_FLAG, FIELD(allowed.rotate_seed), ON_RUNS, NULL,
     "seal everything again with another seed"},
    {"rotate-recipients", 0, RARE, ALLOWED, OPTION_FLAG, FIELD(allowed.rotate_recipients), ON_RUNS,
     NULL,
     "seal to other recipients than before, or to those of a new cluster (refused otherwise)"},
    {"allow-removal", 0, RARE, ALLOWED, OPTION_FLAG, FIELD(allowed.removal), ON_RUNS, NULL,
     "remove all units of a cluster, or a large part of the fleet (refused otherwise, OSG2030)"},
    {"allow-roll", 0, RARE, ALLOWED, OPTION_FLAG, FIELD(allowed.roll), ON_RUNS, NULL,
     "replace more machines than rollGuard allows, or by the first run with the setting roll "
     "(refused otherwise, OSG2035)"},
    {"allow-recipients", 0, RARE, ALLOWED, OPTION_TEXT, FIELD(allowed.recipients_file), ON_RUNS,
     "FILE",
     "the recipients that each cluster may have, one CLUSTER RECIPIENT or * RECIPIENT a line: a "
     "list that CI holds outside of the repository, and that alone decides"},
    {"secrets", 0, RARE, READ, OPTION_TEXT, FIELD(read.secrets_folder),
     ON_INPUTS | ON_ASKING | ON(COMMAND_DOCTOR), "DIR",
     "a folder of Secret manifests outside git, DIR/CLUSTER/ for "
     "one cluster; they take precedence over the repository's"},
    {"manifests", 0, RARE, READ, OPTION_TEXTS, FIELD(read.manifests),
     ON_INPUTS | ON_ASKING | ON(COMMAND_DOCTOR), "[CLUSTER=]FILE",
     "manifests that are not in the commit, such as Helm's output (- is standard input), for the "
     "cluster of --cluster; the commit names them in a trailer, since it cannot be made from git "
     "alone; may be given many times"},
    {"allow-env", 0, RARE, ALLOWED, OPTION_VARIABLES, 0,
     ON_INPUTS | ON(COMMAND_LIST) | ON(COMMAND_INVENTORY), "[CLUSTER:]NAME,...",
     "environment variables from which cloud-configs may take values that "
     "cloudProviderSpec lacks, as the controller does; CLUSTER:NAME=VARIABLE "
     "reads another variable; without CLUSTER, or with *, every cluster may, "
     "if all have the same recipients (OSG5077); may be given many times"},
    {"allow-program", 0, RARE, ALLOWED, OPTION_TEXTS, FIELD(allowed.programs),
     ON_INPUTS | ON_ASKING | ON(COMMAND_DOCTOR), "NAME",
     "another program that may run: sops, which decrypts inputs for keys of a cloud's KMS, of "
     "Vault and of PGP; kustomize (or else kubectl), for Clusters with `kustomize: DIR`; found in "
     "PATH, outside of the work tree; may be given many times"},
    {"revisions", 0, RARE, READ, OPTION_TEXT, FIELD(read.revisions_file),
     ON_RUNS | ON(COMMAND_RENDER) | ON(COMMAND_COMPARE), "PATH",
     "live revisions: the output of `kubectl get machinedeployments -A -o json`, or a folder with "
     "CLUSTER.json or CLUSTER.yaml"},
    {"key", 0, RARE, READ, OPTION_TEXT, FIELD(read.key_file),
     ON(COMMAND_UNSEAL) | ON(COMMAND_VERIFY) | ON(COMMAND_OBSERVE) | ON(COMMAND_DIFF), "FILE",
     "private keys of a sealed-secrets controller: PEM, or its Secrets as kubectl prints them"},
    {"machine-deployment", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.machine_deployment),
     ON(COMMAND_RENDER), "[CLUSTER/]NAMESPACE/NAME", "which MachineDeployment to render"},
    {"operating-system-config", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.operating_system_config),
     ON(COMMAND_RENDER), "[CLUSTER/]NAMESPACE/NAME",
     "which of Gardener's OperatingSystemConfigs to render"},
    {"print", 0, USUAL, JOB, OPTION_TEXT, FIELD(shown.print), ON(COMMAND_RENDER),
     "osc|bootstrap|provisioning|configmap|machine-deployment|user-data|status|node-agent|script|"
     "provision|effect",
     "what to print: of a MachineDeployment one of the first five "
     "(configmap: with provisioning: split), of an OperatingSystemConfig one of the others; "
     "effect: the files, links and calls of user-data"},
    {"reveal", 0, USUAL, JOB, OPTION_FLAG, FIELD(shown.reveal),
     ON(COMMAND_RENDER) | ON(COMMAND_DIFF), NULL,
     "show secrets in the clear; diff opens sealed files with an identity"},
    {"decode", 0, USUAL, JOB, OPTION_FLAG, FIELD(shown.decode), ON(COMMAND_UNSEAL), NULL,
     "print values decoded, and the files in user-data one by one"},
    {"textconv", 0, USUAL, JOB, OPTION_FLAG, FIELD(shown.textconv), ON(COMMAND_UNSEAL), NULL,
     "as --decode, for git: what cannot be opened is described, with exit status 0"},
    {"effective", 0, USUAL, JOB, OPTION_FLAG, FIELD(shown.effective), ON(COMMAND_PROFILES), NULL,
     "show the profile that a MachineDeployment gets, extensions included"},
    {"no-origins", 0, USUAL, JOB, OPTION_FLAG, FIELD(shown.no_origins), ON(COMMAND_PROFILES), NULL,
     "with --effective: the profile alone, as a manifest"},
    {"comments", 0, USUAL, JOB, OPTION_FLAG, FIELD(shown.comments), ON(COMMAND_PROFILES), NULL,
     "with show: the scripts with their comments, which nodes do not get"},
    {"to", 0, USUAL, JOB, OPTION_TEXT, FIELD(upgrade.to_text), ON(COMMAND_UPGRADE), "N",
     "the output contract to raise to (default: the newest)"},
    {"dry-run", 0, USUAL, JOB, OPTION_FLAG, FIELD(upgrade.dry_run), ON(COMMAND_UPGRADE), NULL,
     "only print the plan"},
    {"inputs-rev", 0, RARE, READ, OPTION_TEXT, FIELD(read.inputs_rev), ON(COMMAND_VERIFY), "REV",
     "the commit of the inputs, if the output has its own branch (default: --rev)"},
    {"require-history", 0, USUAL, JOB, OPTION_FLAG, FIELD(read.require_history), ON(COMMAND_VERIFY),
     NULL, "fail on a shallow clone"},
    {"output", 'o', USUAL, REPORTS, OPTION_TEXT, FIELD(print.format),
     ON_RUNS | ON(COMMAND_VALIDATE) | ON(COMMAND_RENDER) | ON(COMMAND_VERIFY) |
         ON(COMMAND_COMPARE) | ON(COMMAND_OBSERVE) | ON(COMMAND_CONFIG) | ON(COMMAND_DOCTOR) |
         ON(COMMAND_REVISIONS) | ON(COMMAND_VERSION) | ON(COMMAND_PROFILES) | ON(COMMAND_EXPLAIN) |
         ON(COMMAND_SCHEMA),
     "text|json", "how the result is printed (default text)"},
    {"output", 'o', USUAL, REPORTS, OPTION_TEXT, FIELD(print.format), ON(COMMAND_LIST),
     "text|json|names",
     "how the result is printed (default text); names: only CLUSTER/NAMESPACE/NAME, for shells"},
    {"output", 'o', USUAL, REPORTS, OPTION_TEXT, FIELD(print.format), ON(COMMAND_INVENTORY),
     "text|json|cyclonedx", "how the result is printed (default text)"},
    {"check-mirror", 0, USUAL, JOB, OPTION_TEXT, FIELD(inventory.check_mirror),
     ON(COMMAND_INVENTORY), "DIR|FILE",
     "list what a mirror lacks: a folder of HOST/PATH, or a file with one URL a line"},
    {"mirror-script", 0, USUAL, JOB, OPTION_FLAG, FIELD(inventory.mirror_script),
     ON(COMMAND_INVENTORY), NULL, "print a bash script that fills the folder of a mirror"},
    {"output", 'o', USUAL, WHERE, OPTION_TEXT, FIELD(print.format), ON(COMMAND_KEYGEN), "FILE",
     "write the key to a new file, mode 0600 (default: print it)"},
    {"keys", 0, USUAL, WHERE, OPTION_TEXT, FIELD(init.keys_folder), ON(COMMAND_INIT), "DIR",
     "where seed and identity are kept, outside of the repository (default: osm-gen/NAME below "
     "$XDG_CONFIG_HOME or ~/.config); keys that are there are used only if this names them"},
    {"editor", 0, USUAL, JOB, OPTION_FLAG, FIELD(init.editor), ON(COMMAND_INIT), NULL,
     "also write what editors check manifests by: osm-gen.schema.json, .vscode/settings.json"},
    {"example", 0, USUAL, JOB, OPTION_FLAG, FIELD(init.example), ON(COMMAND_INIT), NULL,
     "write the example repository: three clusters, "
     "an extension, Flux, jobs for GitHub and GitLab"},
    {"force", 0, USUAL, ALLOWED, OPTION_FLAG, FIELD(allowed.force), ON(COMMAND_UNSEAL), NULL,
     "print a file even if it is not where it belongs"},
    {"report", 0, USUAL, REPORTS, OPTION_REPORT, 0, ON_RUNS | ON(COMMAND_VALIDATE), "FORMAT=FILE",
     "also write a report: json, sarif, junit, markdown, html, github or gitlab; may be given many "
     "times, and FILE may be - for standard output"},
    {"cluster", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.cluster), ON(COMMAND_ADOPT), "NAME",
     "the name that the cluster gets"},
    {"cluster", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.cluster),
     ON(COMMAND_COMPARE) | ON(COMMAND_OBSERVE), "CLUSTER",
     "the cluster that is live (default: the only one)"},
    {"cluster", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.cluster),
     ON_ONE_CLUSTER & ~ON(COMMAND_ROLL), "CLUSTER",
     "show this cluster alone; with --manifests: the cluster that the files belong to"},
    {"cluster", 0, USUAL, READ, OPTION_TEXT, FIELD(chosen.cluster), ON(COMMAND_DOCTOR), "CLUSTER",
     "the cluster of --live, or of --manifests (default: the only one)"},
    {"cluster", 0, RARE, READ, OPTION_TEXT, FIELD(chosen.cluster),
     (ON_INPUTS | ON_ASKING) & ~(ON_ONE_CLUSTER | ON(COMMAND_COMPARE)), "CLUSTER",
     "the cluster that the files of --manifests belong to (default: the only one)"},
    {"cluster", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.cluster), ON(COMMAND_ROLL), "CLUSTER",
     "the MachineDeployments of this cluster"},
    {"profile", 0, USUAL, JOB, OPTION_TEXT, FIELD(chosen.profile), ON(COMMAND_ROLL), "NAME",
     "the MachineDeployments with this OperatingSystemProfile"},
    {"no-machines", 0, USUAL, JOB, OPTION_FLAG, FIELD(chosen.no_machines), ON(COMMAND_OBSERVE),
     NULL, "check objects only, without waiting for machines"},
    {"into", 0, USUAL, WHERE, OPTION_TEXT, FIELD(target.into), ON(COMMAND_REVISIONS), "DIR",
     "write DIR/CLUSTER.json instead of printing"},
    {"into", 0, USUAL, WHERE, OPTION_TEXT, FIELD(target.into), ON(COMMAND_SCHEMA), "DIR",
     "write all schemas below this folder, as DIR/GROUP/KIND_VERSION.json"},
    {"into", 0, USUAL, WHERE, OPTION_TEXT, FIELD(target.into), ON(COMMAND_ADOPT), "DIR",
     "the folder to write, in a work tree; it must not exist yet"},
    {"recipient", 0, USUAL, JOB, OPTION_TEXTS, FIELD(target.recipients), ON(COMMAND_ADOPT),
     "age1...",
     "a recipient to encrypt Secrets to; may be given many times (default: those of osm-gen.yaml)"},
    {"allow-clear", 0, USUAL, ALLOWED, OPTION_TEXTS, FIELD(allowed.clear), ON(COMMAND_ADOPT),
     "KIND/NAMESPACE/NAME:FIELD",
     "a field that looks like a secret but is not, named as in the error; may be given many times"},
    {"live", 0, USUAL, READ, OPTION_TEXTS, FIELD(read.live),
     ON(COMMAND_COMPARE) | ON(COMMAND_DOCTOR), "EXPORT",
     "the output of kubectl get -A -o yaml or -o json for the live cluster (- is standard input); "
     "may be given many times"},
    {"max-entries", 0, RARE, LIMITS, OPTION_AMOUNT, FIELD(work.limits.entries), ON_INPUTS, "N",
     "maximum number of files and folders to list (default 2000000)"},
    {"max-input", 0, RARE, LIMITS, OPTION_AMOUNT, FIELD(work.limits.input_bytes), ON_INPUTS,
     "BYTES",
     "maximum number of bytes to read in total (default 128M; K, M and G are powers of 1024)"},
    {"max-values", 0, RARE, LIMITS, OPTION_AMOUNT, FIELD(work.limits.values), ON_INPUTS, "N",
     "maximum number of values in all manifests (default 1000000, and one for 10 bytes of a file)"},
    {"max-steps", 0, RARE, LIMITS, OPTION_AMOUNT, FIELD(work.limits.steps), ON_INPUTS, "N",
     "maximum number of steps of work, for templates and comparisons (default "
     "60000000, 40000 for each MachineDeployment and 16 for each byte of input)"},
    {"max-output", 0, RARE, LIMITS, OPTION_AMOUNT, FIELD(work.limits.output_bytes), ON_INPUTS,
     "BYTES",
     "maximum number of bytes to write in total (default 1G, 400000 for each MachineDeployment and "
     "16 for "
     "each byte of input)"},
    {"jobs", 'j', RARE, LIMITS, OPTION_TEXT, FIELD(work.jobs_text), ON_INPUTS, "N",
     "number of threads (default: one for each core); does not change the output"},
    {"directory", 'C', RARE, EVERY, OPTION_TEXT, FIELD(directory), ON_ALL, "DIR",
     "change to this folder before anything else, as git -C does"},
    {"quiet", 'q', RARE, REPORTS, OPTION_FLAG, FIELD(print.quiet), ON_ALL, NULL,
     "print only warnings and errors"},
    {"verbose", 'v', USUAL, REPORTS, OPTION_FLAG, FIELD(print.verbose), ON_ALL, NULL,
     "list every file that changes, show every diagnostic"},
    {"color", 0, RARE, REPORTS, OPTION_TEXT, FIELD(print.color), ON_ALL, "auto|always|never",
     "colour (default auto; NO_COLOR is honoured)"},
    {"progress", 0, RARE, REPORTS, OPTION_TEXT, FIELD(print.progress), ON_ALL, "auto|always|never",
     "a progress line on a terminal when a run takes long (default auto)"},
    {"help", 'h', RARE, EVERY, OPTION_FLAG, FIELD(help), ON_ALL, NULL, "help on the command"},
    {"all", 0, RARE, EVERY, OPTION_FLAG, FIELD(all), ON(COMMAND_HELP), NULL,
     "with help or --help: all options and settings of the command, in groups"},
    {"version", 0, RARE, EVERY, OPTION_FLAG, FIELD(version), ON_ALL, NULL, "the program's version"},
};

static const struct option_note environment_notes[] = {
    {"OSM_GEN_REPO, OSM_GEN_OUT, ...",
     "options and settings; the command line wins. Flags are true or false; options given many "
     "times take one value a line"},
    {"OSM_GEN_SEAL_SEED, OSM_GEN_SEAL_SEED_FILE", "the sealing seed, or the file that holds it"},
    {"SOPS_AGE_KEY, SOPS_AGE_KEY_FILE", "age identities (also SOPS_AGE_SSH_PRIVATE_KEY_FILE)"},
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

const char *option_group_title(enum option_group group)
{
	switch (group) {
	case OPTION_GROUP_JOB:
		return "what the command does";
	case OPTION_GROUP_READ:
		return "what it reads";
	case OPTION_GROUP_ALLOWED:
		return "what is allowed";
	case OPTION_GROUP_WHERE:
		return "where the result goes";
	case OPTION_GROUP_REPORTS:
		return "what it prints";
	case OPTION_GROUP_LIMITS:
		return "limits";
	case OPTION_GROUP_EVERY:
		return "for every command";
	case OPTION_GROUP_COUNT:
		break;
	}
	BUG("group of options");
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

void option_manifests_split(sv text, sv *ret_cluster, sv *ret_path)
{
	if (sv_cut(text, SV("="), ret_cluster, ret_path) && kube_name_valid(*ret_cluster))
		return;
	*ret_cluster = SV("");
	*ret_path = text;
}

bool options_read_stdin(const struct options *given)
{
	if (given->arguments.count == 0)
		return false;
	/* No other argument of validate means anything: check_stdin reports it. */
	return given->command == COMMAND_VALIDATE ||
	       (given->command == COMMAND_RENDER && sv_eq(given->arguments.items[0], SV("-")));
}
