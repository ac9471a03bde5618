/*
 * SOPS as a format of sealed files: how its files are recognised, and what is shown of them.
 */
#include "seal/sops.h"

#include "seal/age.h"
#include "seal/gcm.h"

/* A map with a map "sops". */
static bool is_sealed(const struct value *document)
{
	return value_is_map(value_map_get(document, SV("sops")));
}

static bool is_sealed_text(sv text)
{
	return sv_starts_with(text, SV(GCM_SEALED_BEGIN));
}

/* `sops --encrypt` without a rule encrypts apiVersion and kind, too. */
static bool may_hide_kind(sv text)
{
	for (size_t at; (at = sv_find(text, SV(GCM_SEALED_BEGIN))) != SV_NPOS;) {
		/* Formatters of YAML and JSON add and remove quotes and blanks. */
		sv key = sv_trim_right(sv_slice(text, 0, at), " \t\"':");

		if (sv_ends_with(key, SV("kind")))
			return true;
		text = sv_from_offset(text, at + strlen(GCM_SEALED_BEGIN));
	}
	return false;
}

/*
 * Returns where the line's sealed value begins, or SV_NPOS. A line of a clear text, such as a
 * script's, may spell one, too: what follows the last bracket, or has any other character, is
 * shown.
 */
static size_t sealed_value_at(sv line)
{
	size_t at = sv_find(line, SV(GCM_SEALED_BEGIN));
	sv value = at == SV_NPOS ? SV("") : sv_from_offset(line, at);
	sv before = sv_slice(line, 0, at == SV_NPOS ? 0 : at);

	if (!gcm_is_sealed(value) ||
	    (!sv_ends_with(before, SV(": ")) && !sv_ends_with(before, SV("- "))))
		return SV_NPOS;
	value = sv_slice(value, strlen("ENC["), value.len - 1);
	for (size_t i = 0; i < value.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)value.ptr[i]) &&
		    sv_find_char(SV("+/=_,:"), value.ptr[i]) == SV_NPOS)
			return SV_NPOS;
	return at;
}

/* Sealed values as <sealed>; the sops block is left out: its lines follow from the rest. */
static bool mask(struct arena *arena, sv text, sv *ret_masked)
{
	struct buf masked = buf_in(arena);
	struct sv_splitter it = sv_split(text, '\n');
	sv line;

	if (sv_starts_with(text, SV("{\n\t\"data\": \"" GCM_SEALED_BEGIN))) {
		*ret_masked = SV("<sealed>\n");
		return true;
	}
	if (!sv_contains(text, SV("\nsops:\n")))
		return false;
	while (sv_split_next(&it, &line)) {
		size_t at = sealed_value_at(line);

		if (sv_eq(line, SV("sops:")))
			break;
		if (at == SV_NPOS) {
			buf_add(&masked, line);
		} else {
			buf_add(&masked, sv_slice(line, 0, at));
			BUF_ADD_LIT(&masked, "<sealed>");
		}
		buf_add_char(&masked, '\n');
	}
	*ret_masked = buf_sv(&masked);
	return true;
}

/* Before the sops block, of YAML or of JSON, whose code is sealed as values are. */
static void add_values(struct buf *buf, sv text)
{
	struct sv_splitter it = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&it, &line) && !sv_eq(line, SV("sops:")) &&
	       !sv_starts_with(line, SV("\t\"sops\":"))) {
		if (!sv_contains(line, SV(GCM_SEALED_BEGIN)))
			continue;
		buf_add(buf, line);
		buf_add_char(buf, '\n');
	}
}

const struct sealer_format sops_format = {
    .name = SV_INIT("sops"),
    .is_input = true,
    .parse_recipients = age_recipients_parse,
    .state_new = sops_writer_new,
    .state_free = sops_writer_free,
    .seal = sops_seal,
    .seal_bytes = sops_seal_bytes,
    .is_sealed = is_sealed,
    .is_sealed_text = is_sealed_text,
    .may_hide_kind = may_hide_kind,
    .read = sops_read,
    .list_recipients = sops_list_recipients,
    .list_marks = sops_list_marks,
    .mask = mask,
    .add_values = add_values,
    .identity_help = "set SOPS_AGE_KEY, or SOPS_AGE_KEY_FILE to a file of identities",
    .values_help = "encrypt only the values, with sops --encrypted-regex '^(data|stringData)$'",
};
