/*
 * The table of commands.
 */
#include "option_table.h"

static const struct command_info commands[COMMAND_COUNT] = {
    [COMMAND_GENERATE] =
        {"generate", "", "render, seal, write, commit",
         "Reads the inputs of a commit, renders every "
         "MachineDeployment, seals secrets, writes the\n"
         "output tree and commits it. A run that fails "
         "changes nothing. A run with nothing new makes\n"
         "no commit, unless --vouch asks for one. With --push the branch is pushed, too; if the\n"
         "remote refuses the commit, it stays in the local branch.\n",
         0, 0},
    [COMMAND_CHECK] = {"check", "", "render and compare with what is committed; writes nothing",
                       "Exit status 1 if the output tree is not what the inputs make: the gate for "
                       "pull requests.\n",
                       0, 0},
    [COMMAND_DIFF] =
        {"diff", "", "as check, printing the difference, secrets masked",
         "Prints a unified diff of the output tree. Sealed values show only that they differ,\n"
         "unless --reveal is given: the user-data in them is then compared file by file.\n"
         "The clusters' index.json come last, in one line each; -v shows their lines.\n"
         "Without a seed, secrets are replaced by "
         "placeholders and sealed files are not compared.\n",
         0, 0},
    [COMMAND_PLAN] =
        {"plan", "", "what a run would do to machines: roll, add, remove",
         "Compares as check does, and prints a class for "
         "every MachineDeployment, with the number of\n"
         "its machines: ROLL (its template changed: machines "
         "are replaced), NEW-NODES-ONLY (user-data\n"
         "changed: running nodes keep theirs), IN-PLACE (running nodes apply it, and restart the\n"
         "units that are named), UNKNOWN (without the seed: a secret may have changed),\n"
         "METADATA, NONE, ADD, REMOVE. Writes nothing. Exit status 0, whatever changes.\n"
         "Without a seed, secrets are replaced by "
         "placeholders and sealed files are not compared.\n",
         0, 0},
    [COMMAND_VALIDATE] =
        {"validate", "[-]", "check the inputs only; needs no seed and no secrets",
         "Reads and renders everything, with placeholders for secrets, and reports all errors.\n"
         "Safe for pull requests of strangers: no key is read, nothing is written.\n"
         "With - the manifests of one cluster are read "
         "from standard input instead of a repository;\n"
         "Fleet and Cluster may be among them.\n",
         0, 1},
    [COMMAND_RENDER] = {"render", "NAMESPACE/NAME | CLUSTER/NAMESPACE/NAME | - NAMESPACE/NAME",
                        "print the rendering of one MachineDeployment or Gardener OSC",
                        "Prints the OperatingSystemConfig of a MachineDeployment, or the user-data "
                        "of Gardener's;\n"
                        "--print names another part. Secrets are masked unless --reveal is given; "
                        "without a seed they\n"
                        "are placeholders. With -o json the text comes in an object of strings, as "
                        "Terraform reads it.\n"
                        "With - the manifests of one cluster are read from standard input instead "
                        "of a repository;\n"
                        "Fleet and Cluster may be among them.\n",
                        0, 2},
    [COMMAND_UNSEAL] =
        {"unseal", "FILE...", "print sealed output decrypted with an age identity",
         "The identity comes from SOPS_AGE_KEY or SOPS_AGE_KEY_FILE, as for sops. The MAC is\n"
         "verified. SOPS files may be YAML, JSON, dotenv "
         "or binary. A SealedSecret is opened with the\n"
         "private key of its controller: --key. In an "
         "output folder a file that index.json does not\n"
         "list, or lists as another object's, is refused "
         "unless --force is given. - is standard input.\n",
         1, SIZE_MAX},
    [COMMAND_VERIFY] =
        {"verify", "[FILE...]", "audit the committed output: is it what osm-gen wrote?",
         "Reads the output of a commit and reports what is wrong with it. Changes nothing.\n"
         "Without keys it finds files that no index "
         "lists, links, and objects in another's place.\n"
         "With the seed it finds files that were changed since the last run of osm-gen, with the\n"
         "commit that changed them, and older versions "
         "brought back. With an age identity it checks\n"
         "that sealed files open and their MAC holds. "
         "With both it finds files that somebody else\n"
         "sealed; for SealedSecrets that takes the key of their controller: --key.\n"
         "Checks that could not be made are listed. Exit status 1 if something was found.\n",
         0, SIZE_MAX},
    [COMMAND_KEYGEN] =
        {"keygen", "seed|identity", "make a sealing seed or an age identity",
         "Only CI holds the seed (OSM_GEN_SEAL_SEED). A "
         "cluster decrypts with an identity; its public\n"
         "key is the recipient to name in osm-gen.yaml.\n"
         "The key is printed, or with -o FILE written to a new file that only you can read. An\n"
         "existing file is never replaced, and a file that git would add is refused.\n",
         1, 1},
    [COMMAND_PROFILES] = {"profiles", "[list] | show NAME",
                          "list or print the embedded default profiles",
                          "An OperatingSystemProfile of the repository "
                          "replaces the embedded one of the same name;\n"
                          "with disableDefaultOSPs no embedded profile is used. Its scripts have "
                          "no comments: nodes need\n"
                          "none. show --comments prints them. With show --effective, NAME is a\n"
                          "MachineDeployment, [CLUSTER/]NAMESPACE/NAME: "
                          "prints the profile that it gets, extensions\n"
                          "included, and beside each line the file and line that it comes from.\n",
                          0, 2, "PROFILE"},
    [COMMAND_SCHEMA] = {"schema", "[KIND]",
                        "print JSON Schemas of what it reads, for editors and kubeconform",
                        "KIND is a kind of document, or KIND/VARIANT: "
                        "MachineDeployment/aws. Without one, all are\n"
                        "listed; with --into DIR all are written. all "
                        "is one schema for all documents, output that\n"
                        "of what commands print with -o json.\n",
                        0, 1},
    [COMMAND_EXPLAIN] =
        {"explain", "[CODE]", "what a diagnostic means and how to correct it",
         "CODE is a code as printed, such as OSG3001. Without one, all codes are listed.\n", 0, 1},
    [COMMAND_COMPLETION] = {"completion", "bash|zsh|fish", "print a completion script for a shell",
                            "`make install` and packages install these scripts.\n", 1, 1},
    [COMMAND_MAN] = {"man", "[COMMAND]", "print a manual page, of osm-gen or of a command",
                     "`make install` and packages install these pages.\n", 0, 1},
    [COMMAND_HELP] = {"help", "[COMMAND]", "this help, or a command's",
                      "A command's help has its options, its variables and examples.\n", 0, 1},
    [COMMAND_VERSION] =
        {"version", "", "the program's version",
         "With -o json also the digest of its source, the output contracts that it supports, the\n"
         "controllers whose results it reproduces, and the versions of libraries.\n",
         0, 0},
    [COMMAND_ADOPT] =
        {"adopt", "EXPORT...", "write a cluster that a controller serves into git",
         "EXPORT is the output of kubectl get -A -o yaml or -o json (- is standard input):\n"
         "OperatingSystemProfiles, MachineDeployments, MachineSets, Secrets, ConfigMaps, the\n"
         "controller's Deployment. Writes the cluster's "
         "folder: settings, clean manifests, Secrets\n"
         "encrypted with SOPS; and beside it the file "
         "for --revisions. Lists what it left out, and\n"
         "why. docs/migration.md has all steps.\n",
         1, SIZE_MAX, NULL, "--cluster NAME --into DIR"},
    [COMMAND_COMPARE] =
        {"compare", "", "compare the rendering of a cluster with the live one",
         "Renders a cluster and compares its OperatingSystemConfigs and Secrets with those of an\n"
         "export of the live one: equal, differs (with "
         "the first line, secrets masked), only here,\n"
         "only there. Also prints which machines would be replaced, and by which fields of the\n"
         "MachineDeployment.\n"
         "Exit status 1 if something differs.\n",
         0, 0, NULL, "--cluster CLUSTER --live EXPORT"},
    [COMMAND_OBSERVE] =
        {"observe", "EXPORT...", "compare the committed output with what is live: did it arrive?",
         "EXPORT is the output of kubectl get -A -o yaml or -o json (- is standard input) for\n"
         "machinedeployments,machinesets,machines,\n"
         "operatingsystemprofiles,operatingsystemconfigs,\n"
         "secrets,configmaps, and nodes with Gardener's flows; if the management and the\n"
         "worker cluster are two, one export of each. Lists which committed objects are live,\n"
         "at which revision, and which machines run which user-data. Renders nothing and needs\n"
         "no seed; without an identity the content of sealed objects is not compared. Exit\n"
         "status 1 until everything is live and every machine is current.\n",
         1, SIZE_MAX, NULL, "--cluster CLUSTER"},
    [COMMAND_INIT] =
        {"init", "DIR", "start a repository: settings, keys, an example that renders",
         "Makes DIR a git repository if it is not one, "
         "and adds the files that it lacks: osm-gen.yaml\n"
         "with its JSON Schema, .sops.yaml, .osm-gen-ignore and, if it has no manifests,\n"
         "clusters/example, or with --example a whole "
         "repository to try. The sealing seed and an age\n"
         "identity go to --keys, outside of the repository. "
         "Replaces nothing, commits nothing, and\n"
         "prints the next commands.\n",
         1, 1},
    [COMMAND_DOCTOR] =
        {"doctor", "", "check the repository, keys, recipients, and what CI needs",
         "Checks the repository's shape, the seed, the "
         "identities, the recipients, the profiles and\n"
         "the commit's author, and changes nothing. With --live it also compares the\n"
         "MachineDeployments that the output has with the "
         "live ones: which machines roll as soon as it\n"
         "is applied. Exit status 0 if all is well, 1 if somebody\n"
         "should look at something, 2 if the inputs are wrong, 3 if keys or repository are.\n",
         0, 0},
    [COMMAND_UPGRADE] =
        {"upgrade", "", "raise the output contract: print the plan, write osm-gen.yaml",
         "For one contract (spec.contract of the Fleet) every version of osm-gen writes the same\n"
         "bytes. Prints, as plan does, what a newer "
         "contract changes for the inputs of HEAD, then\n"
         "writes its number into osm-gen.yaml of the "
         "working tree, and nothing else. Commits nothing.\n"
         "Refused if that file differs from HEAD's.\n",
         0, 0},
    [COMMAND_MERGE] =
        {"merge", "DIR...", "make one commit of the parts that runs with --shard rendered",
         "Reads the inputs, takes what osm-gen --shard 1/N "
         "to N/N wrote into the folders, and makes the\n"
         "commit that a single run would have made, to the "
         "byte. Needs the seed, and the options that the\n"
         "shards had. A shard that is missing, doubled, "
         "forged, or of another commit, program, seed or\n"
         "request is refused (OSG6071 to OSG6075), and nothing changes. docs/howto/shards.md has\n"
         "pipelines.\n",
         1, SIZE_MAX},
    [COMMAND_MERGE_DRIVER] =
        {"merge-driver", "%O %A %B %P", "merge a file of the output, when git calls it for a merge",
         "git runs it for a file of the output that both branches changed, if .gitattributes has\n"
         "merge=osm-gen, as `osm-gen init` writes it, and git knows the driver:\n"
         "  git config merge.osm-gen.driver 'osm-gen merge-driver %O %A %B %P'\n"
         "Writes the result to %A: index.json and kustomization.yaml list the files of both\n"
         "sides, any other file is ours. Needs no key, so it cannot know what the merged inputs\n"
         "make: until `osm-gen generate` has run, check and verify report the index. A file that\n"
         "osm-gen did not write is a conflict, and the exit status is 2 (OSG6117).\n",
         4, 4},
    [COMMAND_LIST] = {"list", "", "list the MachineDeployments of all clusters",
                      "Prints every MachineDeployment with provider, operating system, profile and "
                      "its version,\n"
                      "kubelet version and replicas; sorted. Needs neither seed nor secrets.\n",
                      0, 0},
    [COMMAND_INVENTORY] =
        {"inventory", "[CLUSTER]", "what machines fetch: binaries, packages, images, keys, URLs",
         "Renders every MachineDeployment of the cluster, "
         "or of all, with placeholders for secrets, and\n"
         "prints what its machines fetch over the network, by the inventory of their profile:\n"
         "versions, architectures, pinned checksums, and the setting that moves it to a mirror.\n"
         "Profiles and extensions without an inventory are reported (OSG6053).\n"
         "Exit status 1 if the mirror of --check-mirror lacks something.\n",
         0, 1},
    [COMMAND_CONFIG] =
        {"config", "show [CLUSTER] | schema | settings",
         "effective settings, and where each comes from",
         "show prints every setting of the cluster, or "
         "of all clusters, with the place that decides\n"
         "it: a flag, the cluster's osm-gen.yaml, the "
         "fleet's, or the default. User and password in a\n"
         "URL are masked. schema prints the JSON Schema of osm-gen.yaml. settings prints the\n"
         "reference of all settings, in Markdown.\n",
         1, 2, "CLUSTER"},
    [COMMAND_ROLL] = {"roll", "NAMESPACE/NAME... | --profile NAME | --cluster CLUSTER",
                      "mark MachineDeployments so that their machines are replaced",
                      "Sets the annotation osm-gen.dev/roll of "
                      "spec.template.metadata, a counter, in manifests of the\n"
                      "working tree, and changes no other byte of them. "
                      "machine-controller replaces the machines of a\n"
                      "MachineDeployment whose template changed: a new "
                      "profile then reaches running nodes, too. Names\n"
                      "may have CLUSTER/ before them; --profile and "
                      "--cluster choose all that have it. Commits nothing;\n"
                      "`osm-gen plan --worktree` shows what rolls. If a "
                      "manifest cannot be edited as it is written (an\n"
                      "alias, a kustomization, an encrypted file), no file is changed.\n",
                      0, SIZE_MAX},
    [COMMAND_REVISIONS] =
        {"revisions", "[CLUSTER=]EXPORT...", "list live revisions from kubectl's output",
         "EXPORT is the output of kubectl get machinedeployments -A -o json or -o yaml for one\n"
         "cluster. Without CLUSTER= its file must be named "
         "after the cluster. Prints the revision of\n"
         "each MachineDeployment, the highest one if a "
         "cluster has several exports. With --into DIR\n"
         "writes only the revisions, to DIR/CLUSTER.json for each cluster, for --revisions DIR.\n",
         1, SIZE_MAX},
    [COMMAND_CONVERT] = {"convert", "FILE...", "write KKP's extensions of profiles as osm-gen's",
                         "Prints each OperatingSystemProfileExtension of "
                         "kubermatic.k8c.io (a draft of KKP) as one of\n"
                         "osm-gen.dev, for a file of the repository. Reports "
                         "what has no counterpart, with its line and\n"
                         "the remedy; exit status 2 if the result lacks "
                         "it. Lists and several documents in a file are\n"
                         "read; comments are lost. - is standard input. Writes nothing.\n",
                         1, SIZE_MAX},
};

const char *options_command_name(enum command command)
{
	return commands[command].name;
}

const struct command_info *command_info(enum command command)
{
	return &commands[command];
}

struct option_texts command_forms(struct arena *arena, enum command command)
{
	const struct command_info *info = &commands[command];
	const char *required = info->required ? info->required : "";
	sv rest = sv_from_cstr(info->arguments);
	struct option_texts forms = {0};
	bool is_last;

	do {
		sv form;

		is_last = !sv_cut(rest, SV(" | "), &form, &rest);
		VEC_PUSH(arena, &forms,
		         arena_printf(arena, "%.*s%s%s", SV_ARG(form),
		                      *required && !sv_empty(form) ? " " : "", required));
	} while (!is_last);
	return forms;
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
	bool needs_cluster;
	const char *instead = option_word_instead(name, &needs_cluster);

	if (instead) {
		diag_set_help(sink, diag, "%s", instead);
		return;
	}
	for (int i = 0; i < COMMAND_COUNT; i++)
		names[i] = sv_from_cstr(commands[i].name);
	diag_help_nearest(sink, diag, name, (struct diag_names){names, COMMAND_COUNT},
	                  "`osm-gen help` lists the commands");
}
