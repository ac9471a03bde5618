/*
 * The audit's result for programs (docs/spec/reports.md 3).
 */
#include "json/json.h"
#include "audit/audit.h"

#define FORMAT_VERSION "1.0"

static struct json_t *texts_list(const struct audit_texts *texts)
{
	struct json_t *list = json_doc_list();

	VEC_EACH (text, texts)
		json_doc_add_text(list, *text);
	return list;
}

static struct json_t *vouchers_list(const struct audit_vouchers *vouchers)
{
	struct json_t *list = json_doc_list();

	VEC_EACH (voucher, vouchers) {
		struct json_t *map = json_doc_map();

		json_doc_set_text(map, "commit", voucher->commit);
		json_doc_set_text(map, "source", voucher->source);
		json_doc_add(list, map);
	}
	return list;
}

static struct json_t *findings_list(struct arena *arena, const struct sink *sink)
{
	struct json_t *list = json_doc_list();

	VEC_EACH (diag, &sink->diags) {
		struct json_t *map = json_doc_map();

		json_doc_set_text(map, "code",
		                  arena_printf(arena, "OSG%04u", (unsigned)(*diag)->code));
		json_doc_set_text(map, "path", (*diag)->at.source->path);
		json_doc_set_text(map, "text", (*diag)->text);
		json_doc_set_text_if(map, "help", (*diag)->help);
		json_doc_add(list, map);
	}
	return list;
}

void audit_json(struct buf *buf, const struct audit_request *request,
                const struct audit_result *result)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *checked = json_doc_map();

	json_doc_set_text(root, "formatVersion", SV(FORMAT_VERSION));
	json_doc_set_text(root, "generator", SV("osm-gen verify"));
	json_doc_set_text(root, "commit", result->commit);
	json_doc_set_text(root, "out", result->findings.out);
	json_doc_set_bool(root, "seed", request->root != NULL);
	json_doc_set_bool(root, "identity", seal_identities_count(request->identities) > 0);
	json_doc_set_size(checked, "files", result->file_count);
	json_doc_set_size(checked, "sealed", result->sealed_count);
	json_doc_set_size(checked, "opened", result->opened_count);
	json_doc_set_size(checked, "resealed", result->resealed_count);
	json_doc_set(root, "checked", checked);
	json_doc_set(root, "vouchers", vouchers_list(&result->findings.vouchers));
	json_doc_set(root, "notes", texts_list(&result->findings.notes));
	json_doc_set(root, "undecided", texts_list(&result->findings.undecided));
	json_doc_set(root, "findings", findings_list(buf->arena, &result->findings.sink));
	json_doc_set_size(root, "more", result->findings.more);
	json_doc_write(buf, root);
}
