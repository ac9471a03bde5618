/*
 * The audit's result as a tree of values (docs/spec/reports.md 3).
 */
#include "audit/audit.h"

#define FORMAT_VERSION "1.1"

static struct value voucher_list(struct arena *arena, const struct audit_vouchers *vouchers)
{
	struct value list = value_list_new(arena);

	VEC_EACH (voucher, vouchers)
		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"commit", value_string(voucher->commit)},
		                         {"source", value_string(voucher->source)}));
	return list;
}

/* Returns the notes, which have no position, as strings; or an invalid value if there are none. */
static struct value note_list(struct arena *arena, const struct diag *diag)
{
	struct value list = value_list_new(arena);

	VEC_EACH (note, &diag->notes)
		value_list_add(arena, &list, value_string(note->text));
	return diag->notes.count > 0 ? list : VALUE_INVALID;
}

static struct value finding_list(struct arena *arena, const struct sink *sink)
{
	struct value list = value_list_new(arena);

	VEC_EACH (diag, &sink->diags)
		value_list_add(
		    arena, &list,
		    VALUE_MAP(arena, {"code", value_string(diag_code_text(arena, (*diag)->code))},
		              {"path", value_string((*diag)->at.source->path)},
		              {"text", value_string((*diag)->text)},
		              {"notes", note_list(arena, *diag)},
		              {"help", value_string_if((*diag)->help)}));
	return list;
}

struct value audit_result_tree(struct arena *arena, const struct audit_request *request,
                               const struct audit_result *result)
{
	const struct audit_findings *findings = &result->findings;
	bool has_identity = seal_identities_count(request->identities) > 0;
	struct value checked = VALUE_MAP(arena, {"files", value_size(result->file_count)},
	                                 {"sealed", value_size(result->sealed_count)},
	                                 {"opened", value_size(result->opened_count)},
	                                 {"resealed", value_size(result->resealed_count)});

	return VALUE_MAP(
	    arena, {"formatVersion", value_string(SV(FORMAT_VERSION))},
	    {"generator", value_string(SV("osm-gen verify"))},
	    {"commit", value_string(result->commit)}, {"out", value_string(findings->out)},
	    {"seed", value_bool(request->root != NULL)}, {"identity", value_bool(has_identity)},
	    {"checked", checked}, {"vouchers", voucher_list(arena, &findings->vouchers)},
	    {"notes", value_strings(arena, findings->notes.items, findings->notes.count)},
	    {"undecided",
	     value_strings(arena, findings->undecided.items, findings->undecided.count)},
	    {"findings", finding_list(arena, &findings->sink)},
	    {"more", value_size(findings->more)});
}
