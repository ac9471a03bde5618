/*
 * Private to osm/: reports what cloud-init, the kubelet and containerd read otherwise than it is
 * meant, or cannot read (userdata/userdata.h).
 */
#ifndef OSM_GEN_OSM_READ_BACK_H
#define OSM_GEN_OSM_READ_BACK_H

#include "node/node.h"
#include "osm/machine.h"
#include "tmpl/tmpl.h"

struct osm_read_back {
	struct arena *arena;
	struct sink *sink;
	const struct kube_object *machine;
	/* How the files were rendered, for positions in messages. */
	const struct tmpl_profile *templates;
	size_t template_count; /* the number of files that templates make, which come first */
	const struct value *data;
	const struct tmpl_options *options;
	struct quota *steps;
	struct userdata_read_texts *known;
	bool is_cloud_init;
	bool is_bootstrap;
	bool warns; /* unreadableUserData: warning */
};

/*
 * Reads the node configuration back. Warns of values that arrive as other ones
 * (DIAG_READ_OTHERWISE), and reports files that a consumer cannot read (DIAG_READ_NOTHING): an
 * error, though the controller writes the same bytes. Says nothing of a mistake that depends on
 * bytes of a secret in a template's file.
 */
void osm_read_back(const struct osm_read_back *check, const struct node_config *node);

#endif
