/*
 * Leaves long ciphertexts of SOPS out of what libyaml reads.
 */
#include "yaml/events.h"
#include "yaml/problem.h"

#define CIPHERTEXT SV("ENC[AES256_GCM,data:")

enum {
	CUT_FROM = 8 << 10, /* bytes of a document that is worth it */
	CUT_LEAST = 256,    /* of one part */
	CUT_KEPT = 8,       /* base64 on each side of a cut */
	CUTS_MAX = 64,      /* each place is compared with all of them */
};

bool yml_text_cut(struct arena *scratch, struct yml_text *text)
{
	static const char base64[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	bool is_base64[256] = {false};
	VEC(struct yml_cut) cuts = {0};
	struct buf read = buf_in(scratch);
	sv body = text->body;
	size_t copied = 0; /* of body to read, but for the cuts */
	size_t at = 0;

	/* libyaml's places count characters, those of the cuts count bytes. */
	if (body.len < CUT_FROM || text->marks)
		return false;
	for (size_t i = 0; i < sizeof(base64) - 1; i++)
		is_base64[(uint8_t)base64[i]] = true;
	while (cuts.count < CUTS_MAX) {
		size_t begin = sv_find(sv_from_offset(body, at), CIPHERTEXT);

		if (begin == SV_NPOS)
			break;
		begin += at + CIPHERTEXT.len;
		for (at = begin; at < body.len && is_base64[(uint8_t)body.ptr[at]];)
			at++;
		if (at - begin < CUT_LEAST)
			continue;
		if (cuts.count == 0)
			buf_reserve(&read, body.len);
		buf_add(&read, sv_slice(body, copied, begin + CUT_KEPT));
		copied = at - CUT_KEPT;
		VEC_PUSH(scratch, &cuts, ((struct yml_cut){read.len, copied - begin - CUT_KEPT}));
	}
	if (cuts.count == 0)
		return false;
	buf_add(&read, sv_from_offset(body, copied));
	text->read = buf_sv(&read);
	text->cuts = cuts.items;
	text->cut_count = cuts.count;
	return true;
}

size_t yml_cut_before(const struct yml_text *text, size_t index)
{
	size_t removed = 0;

	for (size_t i = 0; i < text->cut_count && text->cuts[i].at < index; i++)
		removed += text->cuts[i].length;
	return removed;
}

enum yml_cut_result yml_whole_text(const struct yml_text *text, const yaml_event_t *scalar,
                                   size_t *passed, sv *ret_text)
{
	size_t start = scalar->start_mark.index;
	size_t end = scalar->end_mark.index;
	size_t first = *passed;
	size_t last;

	*ret_text = yml_scalar_text(scalar);
	while (first < text->cut_count && text->cuts[first].at < start)
		first++;
	for (last = first; last < text->cut_count && text->cuts[last].at < end;)
		last++;
	*passed = last;
	if (first == last)
		return YML_NOT_CUT;
	/* The cuts' places in the scalar are known if it has no escapes and no further lines. */
	if (!sv_eq(*ret_text, sv_slice(text->read, start, end)))
		return YML_CUT_UNKNOWN;
	*ret_text = sv_slice(text->body, start + yml_cut_before(text, start),
	                     end + yml_cut_before(text, end));
	return YML_CUT;
}
