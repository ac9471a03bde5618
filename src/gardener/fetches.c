/*
 * Lists what machines fetch, as far as an OSC names it: images of files, the sandbox's image, and
 * the hosts of registries.
 */
#include "gardener/internal.h"

static void add_image(struct arena *arena, const struct value *reference, const char *from,
                      struct dialect_fetches *fetches)
{
	struct dialect_fetch fetch = {
	    .kind = SV("image"),
	    .name = value_text(reference),
	    .from = sv_from_cstr(from),
	};

	if (sv_empty(fetch.name))
		return;
	dialect_fetch_image(&fetch);
	VEC_PUSH(arena, fetches, fetch);
}

static void add_registries(struct arena *arena, const struct value *registries,
                           struct dialect_fetches *fetches)
{
	for (size_t i = 0; i < value_count(registries); i++) {
		const struct value *registry = value_item(registries, i);
		const struct value *hosts = value_map_get(registry, SV("hosts"));

		for (size_t k = 0; k < value_count(hosts); k++) {
			sv url = value_text(value_map_get(value_item(hosts, k), SV("url")));
			const struct dialect_fetch fetch = {
			    .kind = SV("registry"),
			    .name = value_text(value_map_get(registry, SV("upstream"))),
			    .url = dialect_fetch_masked(arena, url),
			    .from = SV("criConfig"),
			};

			VEC_PUSH(arena, fetches, fetch);
		}
	}
}

void gardener_report_not_inventoried(struct sink *sink, const struct kube_object *osc)
{
	struct diag *diag =
	    diag_report(sink, DIAG_NOT_INVENTORIED, kube_object_position(osc),
	                "OperatingSystemConfigs do not list the downloads of their units and "
	                "scripts: only the images and registries that they name are listed");

	diag_set_help(sink, diag,
	              "see Gardener's documentation for what its images and scripts need");
}

void gardener_fetches(struct arena *arena, const struct gardener_osc *osc,
                      struct dialect_fetches *fetches)
{
	const struct value *containerd = value_map_get(osc->cri, SV("containerd"));

	for (size_t i = 0; i < osc->file_count; i++)
		add_image(arena, value_map_get(osc->files[i].image, SV("image")),
		          "gardener-node-agent", fetches);
	add_image(arena, value_map_get(containerd, SV("sandboxImage")), "containerd", fetches);
	add_registries(arena, value_map_get(containerd, SV("registries")), fetches);
}
