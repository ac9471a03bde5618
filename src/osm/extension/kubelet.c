/*
 * Adds an extension's settings to the kubelet's configuration.
 *
 * The kubelet reads the files of --config-dir after its own, each one document of YAML, and does
 * not start if it cannot read one.
 */
#include "osm/extension/internal.h"

#include "yaml/yaml.h"

void extension_add_kubelet(struct extension_maker *maker)
{
	const struct value *configuration = &maker->extension->kubelet;
	struct extension_text text = extension_text_in(maker->arena);

	if (!configuration->type ||
	    !extension_need_hook(maker, "kubelet", value_position(configuration),
	                         SV("extensionKubeletFlags")))
		return;
	maker->has_kubelet = true;
	extension_text_add(&text, SV("apiVersion: kubelet.config.k8s.io/v1beta1\n"
	                             "kind: KubeletConfiguration\n"));
	extension_text_add_value(&text, configuration);
	struct value data = extension_text_value(&text, configuration);
	struct osm_extension_file file = {
	    .path = extension_add_own(maker, "/etc/kubernetes/kubelet.conf.d/", ".conf", 600, &data,
	                              configuration),
	    .extension = maker->extension->object,
	    .at = value_position(configuration),
	};

	VEC_PUSH(maker->arena, &maker->additions.kubelet, file);
}

/* ---- the rendered file ------------------------------------------------------------------- */

/* Returns the mistake in the document, or an empty string. */
static sv mistake_of(struct arena *arena, sv text)
{
	struct sink ignored = sink_in(arena);
	struct yml_documents documents = {0};
	const struct source *source = source_new(arena, SV("kubelet"), text, false);

	if (yml_parse(arena, &ignored, source, &documents) != STATUS_OK) {
		const struct diag *diag = ignored.diags.items[0];
		struct line_column place = position_line_column(diag->at);

		return arena_printf(arena, "line %zu: %.*s", place.line, SV_ARG(diag->text));
	}
	return documents.count == 1 ? SV("") : SV("it is several documents");
}

static enum status check_text(struct sink *sink, const struct osm_extension_file *file, sv text)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv mistake = mistake_of(scratch, text);

	if (sv_empty(mistake))
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_EXTENSION_KUBELET, file->at,
	                                "the kubelet could not read %.*s: %.*s", SV_ARG(file->path),
	                                SV_ARG(mistake));
	diag_add_note(sink, diag, NOWHERE,
	              "the line is that of the rendered file, whose first two are osm-gen's: "
	              "apiVersion and kind");
	diag_set_help(sink, diag, "write members of one KubeletConfiguration, each once");
	return STATUS_FAILED;
}

enum status osm_extension_check_kubelet(struct sink *sink, const struct osm_extension_files *files,
                                        const struct osm_rendered_config *config)
{
	enum status status = STATUS_OK;

	VEC_EACH (file, files)
		for (size_t i = 0; i < config->file_count; i++) {
			const struct value *data = &config->files[i].data;

			/* Skip files with secrets, which a message would show. */
			if (sv_eq(config->files[i].path.string, file->path) && !data->taint &&
			    check_text(sink, file, data->string) != STATUS_OK)
				status = STATUS_FAILED;
		}
	return status;
}
