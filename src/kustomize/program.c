/*
 * Finds and runs the program kustomize, or kubectl, which contains it.
 */
#include "kustomize/internal.h"

#include "codec/codec.h"
#include "json/json.h"

enum {
	PROGRAM_MAX_BYTES = 512 * 1024 * 1024,
	OUT_MAX_BYTES = 64 * 1024 * 1024,
	VERSION_MAX_BYTES = 100,
};

#define MEMORY_MAX_BYTES ((size_t)4 * 1024 * 1024 * 1024)

bool kustomize_find_program(struct arena *arena, sv path, sv folder, sv untrusted,
                            struct kustomize_program *ret_program)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink unused = sink_in(scratch);
	struct kustomize_program program = {
	    .left_ms = KUSTOMIZE_MS,
	    .folder = sv_starts_with(folder, SV("/")) ? folder : SV("/tmp"),
	};
	sv bytes;

	if (sv_empty(path))
		path = SV(OS_USUAL_PATH);
	if (!os_find_program(arena, path, SV("kustomize"), untrusted, &program.path)) {
		program.is_kubectl = true;
		if (!os_find_program(arena, path, SV("kubectl"), untrusted, &program.path))
			return false;
	}
	if (os_read_file(scratch, &unused, program.path, PROGRAM_MAX_BYTES, &bytes) != STATUS_OK)
		return false;
	program.digest = digest_hex(arena, DIGEST_SHA256, bytes);
	*ret_program = program;
	return true;
}

enum status kustomize_run(struct arena *arena, struct sink *sink, struct kustomize_program *program,
                          sv folder, const sv *arguments, size_t count, struct os_ended *ret_ended)
{
	/* Lines of a file for `envs` without "=" take variables: there are none but these. */
	static const sv environment[] = {SV_INIT("HOME=/nonexistent"),
	                                 SV_INIT("XDG_CONFIG_HOME=/nonexistent"),
	                                 SV_INIT("KUSTOMIZE_PLUGIN_HOME=/nonexistent"),
	                                 SV_INIT("PATH=/nonexistent"),
	                                 SV_INIT("KUBECONFIG=/nonexistent"),
	                                 SV_INIT("LC_ALL=C")};
	const struct os_bounds bounds = {
	    .milliseconds = (unsigned)program->left_ms,
	    .memory_bytes = MEMORY_MAX_BYTES,
	    .out_bytes = OUT_MAX_BYTES,
	};
	const struct os_program run = {
	    .path = program->path,
	    .arguments = arguments,
	    .argument_count = count,
	    .environment = environment,
	    .environment_count = COUNT_OF(environment),
	    .folder = folder,
	    .bounds = &bounds,
	};

	uint64_t began = os_monotonic_ns();
	enum status status = os_run_program(arena, sink, &run, ret_ended);
	uint64_t took_ms = (os_monotonic_ns() - began) / 1000000;

	program->left_ms -= took_ms < program->left_ms ? took_ms : program->left_ms;
	return status;
}

/* Keeps what can be in a version, on one line; anything else becomes "_". */
static sv plain_version(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	text = sv_trim_space(sv_slice(text, 0, sv_find_char(text, '\n')));
	for (size_t i = 0; i < text.len && i < VERSION_MAX_BYTES; i++) {
		char c = text.ptr[i];

		buf_add_char(
		    &buf,
		    ascii_is_alphanumeric((unsigned char)c) || ascii_is_any(c, ".-+/") ? c : '_');
	}
	return buf_sv(&buf);
}

/* Returns kubectl's own version and kustomize's, of kubectl's JSON. */
static sv kubectl_version(struct arena *arena, sv text)
{
	struct sink unused = sink_in(arena);
	struct source *source = source_new(arena, SV("kubectl"), text, false);
	struct value root;

	if (json_parse(arena, &unused, source, &root) != STATUS_OK)
		return SV("kubectl");
	return ARENA_CONCAT(
	    arena, SV("kubectl/"),
	    plain_version(arena, value_text(value_path(&root, "clientVersion."
	                                                      "gitVersion"))),
	    SV("/kustomize/"),
	    plain_version(arena, value_text(value_path(&root, "kustomizeVersion"))));
}

enum status kustomize_ask_version(struct arena *arena, struct sink *sink,
                                  struct kustomize_program *program)
{
	static const sv of_kustomize[] = {SV_INIT("version")};
	static const sv of_kubectl[] = {SV_INIT("version"), SV_INIT("--client"),
	                                SV_INIT("--output=json")};
	struct os_ended ended;

	if (!sv_empty(program->version))
		return STATUS_OK;
	if (kustomize_run(arena, sink, program, SV("/"),
	                  program->is_kubectl ? of_kubectl : of_kustomize,
	                  program->is_kubectl ? COUNT_OF(of_kubectl) : COUNT_OF(of_kustomize),
	                  &ended) != STATUS_OK)
		return STATUS_FAILED;
	program->version = program->is_kubectl ? kubectl_version(arena, ended.out)
	                                       : plain_version(arena, ended.out);
	if (ended.status != 0 || sv_empty(program->version))
		program->version = SV("unknown");
	return STATUS_OK;
}
