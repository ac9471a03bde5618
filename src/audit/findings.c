/* Reports what the audit finds. */
#include "audit/internal.h"

struct audit_findings audit_findings_in(struct arena *arena, sv out)
{
	return (struct audit_findings){.sink = sink_in(arena), .out = out, .merged = map_in(arena)};
}

struct diag *audit_find(struct audit_findings *findings, enum diag_code code, sv path,
                        const char *format, ...)
{
	struct arena *arena = findings->sink.arena;
	sv shown =
	    sv_empty(path) ? findings->out : ARENA_CONCAT(arena, findings->out, SV("/"), path);
	va_list args;

	/* Callers add a help to the diagnostic that they get; this one is never printed. */
	if (findings->sink.diags.count >= AUDIT_MOST_FINDINGS) {
		findings->more++;
		return ARENA_NEW(arena, struct diag);
	}
	va_start(args, format);
	sv text = arena_vprintf(arena, format, args);
	va_end(args);
	struct diag *diag = diag_report(&findings->sink, code,
	                                position_of_source(source_new(arena, shown, SV(""), false)),
	                                "%.*s", SV_ARG(text));
	diag_set_help(&findings->sink, diag,
	              "restore what osm-gen wrote, or run `osm-gen generate`");
	return diag;
}

void audit_note(struct arena *arena, struct audit_texts *texts, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(arena, format, args);
	va_end(args);
	VEC_PUSH(arena, texts, text);
}
