/*
 * node: the neutral node configuration, the waist of the hourglass. Dialects (osm/, gardener/) fill
 * it, formats (userdata/) read it. It holds what a machine shall have, not how any format says it.
 *
 * Texts are string values, so that taint (which bytes came from a secret) goes through.
 */
#ifndef OSM_GEN_NODE_NODE_H
#define OSM_GEN_NODE_NODE_H

#include "base/base.h"
#include "value/value.h"

struct node_file {
	struct value path;
	/*
	 * Octal digits as the formats write them, with a leading zero: "0644". A dialect that takes
	 * decimal numbers for modes (Kubermatic) passes on what it makes of them
	 * (docs/spec/userdata.md 1.2).
	 */
	sv mode;
	/* How content shall be carried: empty, "b64", or a dialect's own word that is only a label.
	 */
	struct value encoding;
	struct value content; /* in the clear, never encoded here */
};

struct node_drop_in {
	struct value name;
	struct value content;
};

struct node_unit {
	struct value name;
	bool enable;
	bool mask;
	struct value content; /* empty: only drop-ins, or a unit that the image has */
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

/* What only cloud-init does: its modules of these names. */
struct node_modules {
	const struct value *bootcmd;
	size_t bootcmd_count;
	const struct value *runcmd;
	size_t runcmd_count;
	struct node_pair *rh_subscription; /* sorted by key */
	size_t rh_subscription_count;
	struct node_repository *yum_repos; /* sorted by name */
	size_t yum_repo_count;
	struct value yum_repo_dir; /* empty: none */
};

struct node_config {
	/*
	 * The machine's name is written to /etc/machine-name and set as host name; empty: neither.
	 * May be NODE_MACHINE_NAME, which machine-controller replaces.
	 */
	struct value hostname;
	bool upgrade_packages;  /* at first boot, rebooting when needed */
	struct value *ssh_keys; /* of the image's default user; trimmed, each once */
	size_t ssh_key_count;
	struct node_file *files;
	size_t file_count;
	struct node_unit *units;
	size_t unit_count;
	const struct node_modules *modules; /* or null */
};

/* What machine-controller replaces by the machine's name, in all of the text (docs/spec/userdata.md
 * 4). */
#define NODE_MACHINE_NAME "<MACHINE_NAME>"

/*
 * Adds the keys of a list of strings as the formats want them: trimmed of Unicode white space,
 * empty and repeated ones dropped, first-seen order (docs/spec/userdata.md 1.5).
 */
void node_set_ssh_keys(struct arena *arena, struct node_config *node, const struct value *keys);

/* A map of strings as pairs sorted by key; null for none. */
struct node_pair *node_sorted_pairs(struct arena *arena, const struct value *map,
                                    size_t *ret_count);

#endif
