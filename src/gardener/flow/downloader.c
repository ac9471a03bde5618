/*
 * Makes the downloader that runs on the nodes, and its unit. Also finds the scripts of
 * profiles/gardener/flow, which osm-gen carries.
 */
#include "gardener/flow/flow.h"

sv gardener_flow_steps(struct arena *arena, const struct dialect_cluster *cluster, sv name)
{
	for (size_t i = 0; i < gardener_flow_file_count; i++) {
		const struct dialect_text *text = &gardener_flow_files[i];

		if (sv_eq(sv_after_last(sv_from_cstr(text->path), '/'), name) &&
		    dialect_text_holds(text, cluster->contract))
			return dialect_text_open(arena, text);
	}
	BUG("a script of the flow is not in the program");
}

void gardener_flow_set(struct arena *arena, struct text *text, sv name, const struct value *v)
{
	struct value quoted = gardener_shell_word(arena, v);

	text_add(text, name);
	TEXT_ADD_LIT(text, "=");
	text_add_value(text, &quoted);
	TEXT_ADD_LIT(text, "\n");
}

struct value gardener_flow_downloader(struct arena *arena, const struct dialect_cluster *cluster,
                                      const struct kube_object *osc)
{
	const struct value name = value_string(gardener_flow_name(arena, osc));
	struct text text = text_in(arena);

	TEXT_ADD_LIT(&text, "#!/bin/sh\n");
	gardener_flow_set(arena, &text, SV("name"), &name);
	text_add(&text, gardener_flow_steps(arena, cluster, SV("download.sh")));
	return text_value(arena, &text);
}

sv gardener_flow_unit(struct arena *arena, sv cri_name)
{
	sv runtime = sv_eq(cri_name, SV("containerd")) ? SV("containerd") : SV("docker");

	return ARENA_CONCAT(arena,
	                    SV("[Unit]\n"
	                       "Description=Downloads and applies the node's configuration\n"
	                       "Wants=network-online.target\n"
	                       "After=network-online.target "),
	                    runtime,
	                    SV(".service\n"
	                       "[Service]\n"
	                       "Restart=always\n"
	                       "RestartSec=30\n"
	                       "RuntimeMaxSec=1200\n"
	                       "EnvironmentFile=-/etc/environment\n"
	                       "ExecStart=/bin/sh " GARDENER_FLOW_PROGRAM "\n"
	                       "[Install]\n"
	                       "WantedBy=multi-user.target\n"));
}
