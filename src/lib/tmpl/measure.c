/*
 * Charges for encoders and decoders, which check no budgets, before they run.
 */
#include "tmpl/exec.h"

/* ---- encoding values --------------------------------------------------------------------- */

/* The size of a value's encoded form, at most. */
struct measure {
	struct tmpl_run *run;
	size_t indent;
	size_t bytes;
};

/* The bytes that an encoder adds to each line of a string besides its indentation. */
#define BYTES_PER_LINE 8
/* Each character is looked at: whether the whole needs quotes, and whether it is an escape. */
#define ENCODED_PER_STEP 2

static enum status measure_text(struct measure *m, sv s, size_t depth)
{
	size_t lines = 1;

	for (size_t i = 0; i < s.len; i++)
		lines += s.ptr[i] == '\n';
	m->bytes += lines * (depth * m->indent + BYTES_PER_LINE) + s.len * FMT_BYTES_PER_ESCAPE;
	return exec_charge(m->run, 1 + s.len / ENCODED_PER_STEP);
}

static enum status measure(struct measure *m, const struct value *v, size_t depth)
{
	if (!v || !v->type || v->type == &type_nil)
		return measure_text(m, SV("null"), depth);
	TRY(exec_descend(m->run));
	enum type_kind kind = v->type->kind;
	if (kind == KIND_POINTER)
		return measure(m, v->target, depth);
	if (kind == KIND_STRING)
		return measure_text(m, v->string, depth);
	if (type_is_bytes(v->type)) {
		/* Some encoders write them as a list of numbers. */
		TRY(exec_charge(m->run, v->string.len));
		return measure_text(m, v->string, depth);
	}
	TRY(measure_text(m, SV(""), depth));
	size_t count = value_count(v);
	if (kind == KIND_MAP)
		TRY(exec_charge_sorting(m->run, v));
	if (kind == KIND_STRUCT)
		count = v->type->fields ? v->type->field_count : 0;
	for (size_t i = 0; i < count; i++) {
		if (kind == KIND_MAP)
			TRY(measure_text(m, v->map->entries[i].key, depth));
		TRY(measure(m,
		            kind == KIND_STRUCT ? &v->fields[i]
		            : kind == KIND_MAP  ? &v->map->entries[i].value
		                                : value_item(v, i),
		            depth + 1));
	}
	return STATUS_OK;
}

enum status exec_measure(struct tmpl_run *run, const struct value *v, size_t indent)
{
	struct measure m = {.run = run, .indent = indent};

	TRY(measure(&m, v, 0));
	return exec_room(run, m.bytes);
}

/* ---- decoding values --------------------------------------------------------------------- */

/* The cost of a value for a decoder: its node, and its place in a list or map that grows. */
#define BYTES_PER_PART 512
#define STEPS_PER_PART 10
/* A decoder is made. */
#define STEPS_PER_DOCUMENT 10

enum status exec_measure_document(struct tmpl_run *run, sv text, const char *beginnings)
{
	size_t parts = 0;

	for (size_t i = 0; i < text.len; i++)
		parts += text.ptr[i] != '\0' && strchr(beginnings, text.ptr[i]) != NULL;
	TRY(exec_charge(run, STEPS_PER_DOCUMENT + text.len / 4 + parts * STEPS_PER_PART));
	return exec_room(run, parts * BYTES_PER_PART);
}
