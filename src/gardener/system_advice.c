/*
 * Warns of members of an OSC that do not fit its operating system: files in folders that its nodes
 * cannot write to, another cgroup driver.
 */
#include "gardener/system.h"

#define KUBELET_CONFIG "/var/lib/kubelet/config/kubelet"

static bool is_below(sv path, sv folder)
{
	return sv_starts_with(path, folder) && path.len > folder.len && path.ptr[folder.len] == '/';
}

/* ---- folders that are read-only ---------------------------------------------------------- */

static void check_path(struct sink *sink, const struct gardener_system *system,
                       const struct gardener_osc *osc, const struct value *path)
{
	for (size_t i = 0; i < system->read_only_count; i++) {
		const struct value *folder = &system->read_only[i];

		if (!is_below(path->string, folder->string))
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_GARDENER_READ_ONLY, value_position(path),
		    "%.*s cannot be written on \"%.*s\": %.*s is read-only", SV_ARG(path->string),
		    SV_ARG(value_text(&osc->type)), SV_ARG(folder->string));
		diag_set_help(sink, diag, "use a folder such as /opt/bin or /etc");
		return;
	}
}

/* ---- the cgroup driver ------------------------------------------------------------------- */

const struct value *gardener_cri(struct arena *arena, const struct gardener_osc *osc,
                                 const struct gardener_stage *stage)
{
	if (!osc->cri || !stage->cgroup_driver.type)
		return osc->cri;
	struct value *cri = ARENA_NEW(arena, struct value);
	*cri = value_map_new(arena);
	for (size_t i = 0; i < value_count(osc->cri); i++)
		value_map_set(arena, cri, osc->cri->map->entries[i].key,
		              osc->cri->map->entries[i].value);
	value_map_set(arena, cri, SV("cgroupDriver"), stage->cgroup_driver);
	return cri;
}

/* Returns the value of `cgroupDriver:` at the beginning of a line, or an empty string. */
static sv driver_of(sv config)
{
	struct sv_splitter it = sv_split(config, '\n');
	sv key;
	sv driver;
	sv line;

	while (sv_split_next(&it, &line))
		if (sv_cut(line, SV(":"), &key, &driver) && sv_eq(key, SV("cgroupDriver")))
			return sv_trim_space(driver);
	return SV("");
}

/* Kubelet and containerd must have the same driver, or no pod starts. */
static void check_kubelet_driver(struct sink *sink, const struct gardener_file *file, sv driver)
{
	sv own = driver_of(value_text(&file->content));

	if (secrecy_find(&file->content) || sv_empty(own) || sv_eq(own, driver))
		return;
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_CGROUP_DRIVER, value_position(&file->path),
	                "the kubelet's configuration has another cgroupDriver than %.*s, which "
	                "containerd gets on this operating system",
	                SV_ARG(driver));
	diag_set_help(sink, diag, "write cgroupDriver: %.*s there", SV_ARG(driver));
}

void system_advise(struct sink *sink, const struct gardener_system *system,
                   const struct gardener_osc *osc, const struct gardener_stage *stage)
{
	for (size_t i = 0; i < osc->file_count; i++) {
		const struct gardener_file *file = &osc->files[i];

		check_path(sink, system, osc, &file->path);
		if (osc->cri && stage->cgroup_driver.type && file->content.type &&
		    sv_eq(file->path.string, SV(KUBELET_CONFIG)))
			check_kubelet_driver(sink, file, stage->cgroup_driver.string);
	}
}
