/*
 * Functions of the program's own forms. What they return is a word (tmpl_type_word) if it cannot
 * hold markup.
 */
#include "tmpl/exec.h"
#include "tmpl/func.h"

#include <inttypes.h>

static void add_separated(struct buf *buf, uint64_t number)
{
	if (number >= 1000) {
		add_separated(buf, number / 1000);
		buf_printf(buf, ",%03" PRIu64, number % 1000);
	} else {
		buf_printf(buf, "%" PRIu64, number);
	}
}

/* Returns an argument of any type as a number: 0 unless it is a positive integer. */
static uint64_t positive_argument(const struct tmpl_call *call, size_t i)
{
	const struct value *v = arg_value(call, i);

	return v && go_kind_is_int(v->type->kind) && v->integer > 0 ? (uint64_t)v->integer : 0;
}

/* number 1234567: "1,234,567" */
static enum status fn_number(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);

	add_separated(&buf, positive_argument(call, 0));
	return tmpl_return(call, tmpl_word(buf_sv(&buf)));
}

static bool is_form_word(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)text.ptr[i]) && text.ptr[i] != ' ')
			return false;
	return true;
}

/* count 2 "machine is" "machines are": "2 machines are" */
static enum status fn_count(struct tmpl_call *call)
{
	uint64_t number = positive_argument(call, 0);
	sv noun = arg_string(call, number == 1 ? 1 : 2);
	struct buf buf = buf_in(call->arena);

	add_separated(&buf, number);
	buf_add_char(&buf, ' ');
	buf_add(&buf, noun);
	return tmpl_return(call, is_form_word(noun) ? tmpl_word(buf_sv(&buf))
	                                            : value_string(buf_sv(&buf)));
}

/* lines "a\nb": a list of lines; an empty string has none */
static enum status fn_lines(struct tmpl_call *call)
{
	struct value list = value_list_new(call->arena);
	sv text = arg_string(call, 0);
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	list.type = &type_string_list;
	while (!sv_empty(text) && sv_split_next(&lines, &line))
		value_list_add(call->arena, &list, value_string(line));
	return tmpl_return(call, list);
}

/* cut 10 "abc": the first bytes of a longer string, between two characters, and "..." */
static enum status fn_cut(struct tmpl_call *call)
{
	size_t end = (size_t)arg_int(call, 0);
	sv text = arg_string(call, 1);

	if (text.len <= end)
		return tmpl_return_ref(call, call->args[1]);
	while (end > 0 && ((unsigned char)text.ptr[end] & 0xC0) == 0x80)
		end--;
	return tmpl_return_string(call,
	                          ARENA_CONCAT(call->arena, sv_slice(text, 0, end), SV("...")));
}

/*
 * include "name" .: the output of another template, to print it later or not at all. Each of its
 * actions has been escaped, so that the whole is a word.
 */
static enum status fn_include(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);

	TRY(exec_include(call->run, arg_string(call, 0), go_ref_unboxed(call->args[1]), &out));
	return tmpl_return(call, tmpl_word(text_sv(&out)));
}

/* written: the bytes of the output so far, within `include` of its own */
static enum status fn_written(struct tmpl_call *call)
{
	return tmpl_return_int(call, (int64_t)(call->run->out->buf.len - call->run->out_start));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC_KEEPS("cut", "is>s", fn_cut), TMPL_FUNC("count", "ass>a", fn_count),
    TMPL_FUNC("lines", "s>S", fn_lines),    TMPL_FUNC("number", "a>a", fn_number),
    TMPL_FUNC("written", ">i", fn_written), TMPL_FUNC("include", "sa>a", fn_include),
};

const struct tmpl_func_table tmpl_funcs_of_forms = TMPL_TABLE(funcs);
