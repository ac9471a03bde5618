/*
 * Warns of a unit that mounts a device which somebody has to format: Gardener does this on the
 * first boot, with the size of the volume from the Shoot, which an OSC does not have
 * (docs/gardener.md, "A data volume").
 */
#include "gardener/internal.h"

/* Returns the value of the last line `What=` of a unit. */
static sv device_of(sv content)
{
	struct sv_splitter it = sv_split(content, '\n');
	sv device = {0};
	sv line;

	while (sv_split_next(&it, &line))
		if (sv_starts_with(line, SV("What=")))
			device = sv_trim_space(sv_from_offset(line, strlen("What=")));
	return device;
}

static bool is_data_volume(sv name)
{
	return sv_eq(name, SV("var-lib.mount")) || sv_eq(name, SV("var-lib-kubelet.mount"));
}

void gardener_data_volume_check(struct sink *sink, const struct gardener_system *system,
                                const struct gardener_osc *osc)
{
	const struct kube_object *document = gardener_system_object(system);

	for (size_t i = 0; i < osc->unit_count; i++) {
		const struct value *name = &osc->units[i].name;
		sv device = device_of(value_text(&osc->units[i].content));
		sv label = sv_after_last(device, '/');

		if (!is_data_volume(name->string) || sv_empty(label) ||
		    (document && sv_contains(document->source->text, label)))
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_GARDENER_DATA_VOLUME, value_position(name),
		                "%.*s mounts %.*s, and nothing formats this device",
		                SV_ARG(name->string), SV_ARG(device));
		diag_set_help(
		    sink, diag,
		    "format it in the first boot of an OperatingSystemExtension that names "
		    "%.*s (docs/gardener.md, \"A data volume\"), or in the machine's image",
		    SV_ARG(label));
	}
}
