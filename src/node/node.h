/*
 * node: the neutral node configuration, the waist of the hourglass. Dialects (osm/, gardener/) fill
 * it, formats (userdata/) read it. It holds the files, units and settings of a machine, not their
 * spelling in a format.
 *
 * Strings are `struct value`s, so that taint (which bytes came from a secret) goes through.
 */
#ifndef OSM_GEN_NODE_NODE_H
#define OSM_GEN_NODE_NODE_H

#include "base/base.h"
#include "value/value.h"

/* No mode is asked for: Ignition has its own, the other formats give NODE_FILE_MODE. */
#define NODE_MODE_ABSENT (-1)
#define NODE_FILE_MODE   0644

struct node_file {
	struct value path;
	/* Permission bits, 0 to 07777, or NODE_MODE_ABSENT. Not for Kubermatic's formats. */
	int mode;
	/*
	 * Kubermatic's formats only: the digits as they write them, with a leading zero, "0644".
	 * Its modes are decimal numbers that spell an octal one, and whatever else they spell goes
	 * through (docs/spec/userdata.md 1.2).
	 */
	sv mode_text;
	/* How content shall be carried: empty, "b64", or a dialect's own word that is only a label.
	 */
	struct value encoding;
	struct value content; /* in the clear, never encoded here */
	/*
	 * A later program replaces placeholders in the content: it must be in the user-data
	 * readable, once, in the format's spelling (docs/spec/userdata.md 6).
	 */
	bool is_transparent;
	/*
	 * Kubermatic's formats only: the file is written apart from the others (userdata_apart),
	 * with its content under this key if it is not empty.
	 */
	bool is_apart;
	sv key;
};

/*
 * A symbolic link. A file or a link at its path is replaced; a folder there makes a script fail,
 * while Ignition replaces it too.
 */
struct node_link {
	struct value path;
	struct value target;
};

struct node_drop_in {
	struct value name;
	struct value content;
};

enum node_enable {
	NODE_ENABLE_UNSAID, /* each format has its own default */
	NODE_ENABLE_NO,
	NODE_ENABLE_YES,
};

struct node_unit {
	struct value name;
	enum node_enable enable;
	bool mask;
	/*
	 * The systemctl command that is run once the unit is in place: "start", "stop", ...; may be
	 * empty. Not for Kubermatic's formats.
	 */
	sv command;
	/*
	 * Content of the unit file. The invalid value: write drop-ins only, or use the image's
	 * unit. An empty string: an empty file, or no file in Kubermatic's formats. Ignored if
	 * masked.
	 */
	struct value content;
	struct node_drop_in *drop_ins;
	size_t drop_in_count;
};

struct node_pair {
	sv key;
	struct value text;
};

struct node_repository {
	sv name;
	struct node_pair *pairs; /* sorted by key */
	size_t pair_count;
};

/* Settings that only cloud-init has: its modules of these names. */
struct node_modules {
	const struct value *bootcmd;
	size_t bootcmd_count;
	const struct value *runcmd;
	size_t runcmd_count;
	struct node_pair *rh_subscription; /* sorted by key */
	size_t rh_subscription_count;
	struct node_repository *yum_repos; /* sorted by name */
	size_t yum_repo_count;
	struct value yum_repo_dir; /* may be empty */
};

/*
 * A unit that a script hands to systemctl. If both verbs are null, it enables and restarts the
 * unit; else it runs those that are not.
 */
struct node_start {
	struct value name;
	bool no_block;           /* `systemctl restart --no-block` */
	const char *enable_verb; /* "enable", "disable" */
	const char *run_verb;    /* "restart", "stop" */
};

/*
 * Shell commands that a script runs besides writing files, links and units, from the operating
 * system's own document. Formats other than scripts cannot carry them.
 */
struct node_script {
	struct value before;             /* runs first; may be empty */
	struct value after;              /* runs after files, links and units, before units start */
	const struct node_start *starts; /* in this order */
	size_t start_count;
	/* Does nothing when it has run to its end before. Bash only: the others are run by programs
	 * that know by themselves what they have done. */
	bool once;
	/* With `once`: what was written is on the disk before it counts as done. */
	bool settles;
};

struct node_config {
	/*
	 * Written to /etc/machine-name and set as the host name, unless it is empty.
	 * May be NODE_MACHINE_NAME, which machine-controller replaces.
	 */
	struct value hostname;
	bool upgrade_packages;  /* at first boot, rebooting when needed */
	struct value *ssh_keys; /* of the image's default user; trimmed, each once */
	size_t ssh_key_count;
	struct node_file *files;
	size_t file_count;
	struct node_link *links;
	size_t link_count;
	struct node_unit *units;
	size_t unit_count;
	const struct node_script *script; /* or null */
	/*
	 * cloud-init's own members at the top level, as lines of YAML ("apt_update: false\n"), of
	 * the operating system's document. May be empty.
	 */
	struct value cloud_config;
	/* coreos-cloudinit's coreos.update.reboot_strategy, "off"; empty if unset. */
	struct value reboot_strategy;
	const struct node_modules *modules; /* or null */
};

/*
 * The placeholder that machine-controller replaces by the machine's name, anywhere in the user-data
 * (docs/spec/userdata.md 4).
 */
#define NODE_MACHINE_NAME "<MACHINE_NAME>"

/*
 * Adds the keys of a list of strings as the formats want them: trimmed of Unicode white space,
 * empty and repeated ones dropped, first-seen order (docs/spec/userdata.md 1.5).
 */
void node_set_ssh_keys(struct arena *arena, struct node_config *node, const struct value *keys);

/*
 * Returns the path of a unit's file, or of one of its drop-ins if `drop_in` is not null:
 * /etc/systemd/system/a.service, /etc/systemd/system/a.service.d/10.conf.
 */
struct value node_unit_path(struct arena *arena, const struct node_unit *unit,
                            const struct node_drop_in *drop_in);
#define NODE_UNIT_FILE_MODE 0644

/* Returns a map of strings as pairs sorted by key: no pairs if `map` is null or not a map. */
struct node_pair *node_sorted_pairs(struct arena *arena, const struct value *map,
                                    size_t *ret_count);

/*
 * Lists the effect on a machine, one line each, for people and for tests. Words that are not
 * printable ASCII without blanks are quoted as Go does; "----" stands for a mode that is absent:
 *
 *   file PATH MODE BYTES sha256:DIGEST     files, then units and drop-ins; of content that holds
 *                                          a secret, size and digest are secret
 *   link PATH TARGET                       links; masked units
 *   unit NAME enable|disable COMMAND       a unit's own settings
 *   run TEXT                               the script's lines, then its starts
 */
struct value node_effect(struct arena *arena, const struct node_config *node);

#endif
