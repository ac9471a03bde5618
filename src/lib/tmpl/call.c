/*
 * Calling functions and methods: counting and typing arguments, secrecy of results.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"

/* ---- signatures -------------------------------------------------------------------------- */

static const struct type *type_of_letter(char letter)
{
	switch (letter) {
	case 's':
		return &type_string;
	case 'i':
		return &type_int;
	case 'I':
		return &type_int64;
	case 'u':
		return &type_uint32;
	case 'f':
		return &type_float64;
	case 'b':
		return &type_bool;
	case 'a':
		return &type_any;
	case 'v':
		return &type_reflect_value;
	case 'l':
		return &type_any_list;
	case 'S':
		return &type_string_list;
	case 'm':
		return &type_any_map;
	case 't':
		return &type_time;
	case 'd':
		return &type_duration;
	case 'z':
		return &type_location_pointer;
	case 'n':
		return &type_ip;
	case 'k':
		return &type_ip_mask;
	case 'y':
		return &type_bytes;
	case 'p':
		return type_semver_pointer;
	}
	BUG("letter in a function's signature");
}

struct signature {
	const char *letters; /* fixed ones, then the repeating one */
	size_t fixed;
	bool variadic;
	char variadic_letter;
	char result;
	const char *refused; /* why, where it has more results than templates take; or null */
};

static struct signature signature_of(const char *text)
{
	struct signature s = {.letters = text};

	for (; *text && *text != '>' && *text != '*'; text++)
		s.fixed++;
	if (*text == '*') {
		s.variadic = true;
		s.variadic_letter = text[1];
		text += 2;
	}
	s.result = *text == '>' ? text[1] : 'a';
	s.refused = s.result == '!' ? text + 2 : NULL;
	return s;
}

static char letter_of(const struct signature *s, size_t i)
{
	return i < s->fixed ? s->letters[i] : s->variadic_letter;
}

static const struct type *parameter_type(const struct signature *s, size_t i)
{
	return type_of_letter(letter_of(s, i));
}

/* ---- secrecy ----------------------------------------------------------------------------- */

/* The secrets among the arguments of a call. */
struct call_secrets {
	struct exec_secrets arguments;
	const struct secret *choosing; /* in an argument that chooses; may be null */
};

static bool argument_chooses(unsigned flags, size_t i, size_t count)
{
	return (flags & FUNC_CHOOSES_FIRST && i == 0) || (flags & FUNC_CHOOSES_SECOND && i == 1) ||
	       (flags & FUNC_CHOOSES_THIRD && i == 2) || (flags & FUNC_CHOOSES_REST && i > 0) ||
	       (flags & FUNC_CHOOSES_PAIRS && i % 2 == 0) ||
	       (flags & FUNC_CHOOSES_PATH && i + 2 < count);
}

static enum status find_secrets(struct tmpl_run *run, const struct tmpl_call *call, unsigned flags,
                                struct call_secrets *found)
{
	*found = (struct call_secrets){0};
	if (call->receiver)
		TRY(exec_find_secrets(run, go_ref_of(call->receiver), &found->arguments));
	for (size_t i = 0; i < call->arg_count; i++) {
		struct exec_secrets one = {0};

		TRY(exec_find_secrets(run, call->args[i], &one));
		if (!found->arguments.any)
			found->arguments.any = one.any;
		if (!found->arguments.derived)
			found->arguments.derived = one.derived;
		if (!found->choosing && argument_chooses(flags, i, call->arg_count))
			found->choosing = one.any;
	}
	return STATUS_OK;
}

/* Returns true for a constant that means no value: an empty string, or two quotes. */
static bool is_empty_constant(const struct value *v)
{
	return value_is_string(v) && !taint_secret(v->taint) &&
	       (v->string.len == 0 || sv_eq(v->string, SV("\"\"")));
}

/* Returns true if exactly one secret, a whole one, is compared with such constants only. */
static bool compares_with_empty(const struct tmpl_call *call)
{
	size_t secrets = 0;

	for (size_t i = 0; i < call->arg_count; i++) {
		const struct value *v = go_ref_unboxed(call->args[i]).v;

		if (value_is_string(v) && taint_secret(v->taint))
			secrets++;
		else if (!is_empty_constant(v))
			return false;
	}
	return secrets == 1;
}

/*
 * Shorter strings, such as a line feed or a quote, are likely to occur in a secret. The call would
 * then fail; as a derived result it does not.
 */
#define LONG_ENOUGH 12

bool exec_searches_around(const struct tmpl_call *call)
{
	if (call->arg_count == 0)
		return false;
	const struct taint *taint = call->args[call->arg_count - 1].v->taint;
	for (size_t i = 0; i + 1 < call->arg_count; i++)
		if (call->args[i].v->taint)
			return false;
	return call->args[0].v->string.len >= LONG_ENOUGH && taint && !taint->derived &&
	       taint->count > 0 && taint->spans[0].start > 0;
}

/* Returns the secret that the result is derived from, or null if its own taint suffices. */
static const struct secret *derived_from(const struct tmpl_call *call, unsigned flags,
                                         const struct call_secrets *found)
{
	if (found->arguments.derived || found->choosing)
		return found->arguments.derived ? found->arguments.derived : found->choosing;
	if (flags & FUNC_KEEPS_TAINT) /* but a byte of a string is no longer a whole secret */
		return exec_deciding_secret(call->result);
	if (flags & (FUNC_IMAGE | FUNC_TRUTH) ||
	    (flags & FUNC_EQUALITY && compares_with_empty(call)))
		return NULL;
	return found->arguments.any;
}

/* Marks the result of a call as derived from the secrets among its arguments (func.h). */
static enum status taint_result(struct tmpl_run *run, struct tmpl_call *call, unsigned flags,
                                const struct signature *signature, const struct call_secrets *found)
{
	const struct secret *derived = derived_from(call, flags, found);

	/* Strings, numbers, and lists of them hold no dict. */
	if (derived && !strchr("siIufbSNM", signature->result)) {
		if (call->receiver)
			TRY(exec_mark_dicts(run, go_ref_of(call->receiver), derived));
		for (size_t i = 0; i < call->arg_count; i++)
			TRY(exec_mark_dicts(run, call->args[i], derived));
	}
	if (derived)
		return exec_mark_derived(run, &call->result, derived, flags & FUNC_SORTS);
	if (flags & FUNC_IMAGE && found->arguments.any) {
		struct value *copy = ARENA_NEW(run->arena, struct value);

		*copy = *call->result.v;
		copy->taint = taint_whole(run->arena, copy->string.len, found->arguments.any);
		call->result.v = copy;
	}
	return STATUS_OK;
}

/* ---- calling ----------------------------------------------------------------------------- */

static enum status check_count(struct tmpl_run *run, const struct call_site *site,
                               const struct signature *signature, size_t given, size_t literal)
{
	if (signature->variadic && given < signature->fixed)
		return EXEC_ERROR_ADVISED(run, RUN_ADVICE_ARGUMENT_COUNT,
		                          "wrong number of args for %s: want at least %d got %d",
		                          value_string(site->name),
		                          value_int((int64_t)signature->fixed),
		                          value_int((int64_t)literal));
	if (!signature->variadic && given != signature->fixed)
		return EXEC_ERROR_ADVISED(
		    run, RUN_ADVICE_ARGUMENT_COUNT, "wrong number of args for %s: want %d got %d",
		    value_string(site->name), value_int((int64_t)signature->fixed),
		    value_int((int64_t)given));
	return STATUS_OK;
}

/* and, or: stop at the argument that decides. */
static enum status call_and_or(struct tmpl_run *run, struct ref dot, const struct call_site *site,
                               size_t arg_count, struct ref *ret_value)
{
	bool is_or = site->func->flags & FUNC_OR;

	exec_count(run, arg_count);
	for (size_t i = 0; i < arg_count; i++) {
		const struct parse_node *node = site->args.nodes->items[i + 1];

		TRY(exec_arg(run, dot, &type_reflect_value, node, ret_value));
		if (i + 1 == arg_count && !site->args.final)
			return STATUS_OK; /* whatever it is */
		const struct secret *secret = exec_deciding_secret(*ret_value);
		if (secret)
			return exec_error_decides(run, node, secret);
		if (go_ref_truth(*ret_value) == is_or)
			return STATUS_OK;
	}
	if (site->args.final)
		*ret_value = *site->args.final;
	return STATUS_OK;
}

static const char *purity_reason(enum tmpl_purity purity)
{
	switch (purity) {
	case FUNC_PURE:
		break;
	case FUNC_ENVIRONMENT:
		return "reads the environment of the process";
	case FUNC_RANDOM:
		return "gives another result each time";
	}
	return "is not available";
}

/*
 * Returns true if the failure of a call may depend on the bytes of a secret. A function
 * that only returns one of its arguments fails by their types and number, except if an argument
 * chooses a byte of another one (FUNC_CHOOSES_REST).
 */
static bool fails_by_secret(const struct tmpl_run *run, unsigned flags,
                            const struct call_secrets *found)
{
	if (!found->arguments.any)
		return false;
	if (found->arguments.derived || found->choosing)
		return true;
	if (run->pending_by_type)
		return false;
	return run->pending_failure != TMPL_REFUSED &&
	       (!(flags & FUNC_KEEPS_TAINT) || flags & FUNC_CHOOSES_REST);
}

static enum status call_failed(struct tmpl_run *run, const struct call_site *site, unsigned flags,
                               const struct call_secrets *found)
{
	run->node = site->node;
	if (run->failed)
		return STATUS_FAILED;
	if (fails_by_secret(run, flags, found))
		run->about = found->arguments.any;
	/* Go's message may quote the arguments: it is shown only if none is secret. */
	else if (found->arguments.any && run->pending_failure == TMPL_EXEC &&
	         !run->pending_by_type) {
		run->pending = SV("(the reason is not shown: an argument is secret)");
		run->pending_advice = RUN_ADVICE_NONE;
	}
	return exec_error_pending(run, "error calling ", site->name);
}

/*
 * Charges for reading the strings among the arguments, and for writing those anew that the
 * signature asks for as strings: each of their bytes may become several. Go's own functions take
 * values as they are ('v'): they compare strings or pick from them.
 */
#define BYTES_PER_BYTE 8
/* Arguments are evaluated, typed and looked into; spans of secrets are copied. */
#define ARGUMENTS_PER_STEP 2
#define SPANS_PER_STEP     4

static enum status charge_texts(struct tmpl_run *run, const struct signature *signature,
                                const struct tmpl_call *call)
{
	size_t steps = 1 + call->arg_count / ARGUMENTS_PER_STEP;
	size_t texts = 0;

	for (size_t i = 0; i < call->arg_count; i++) {
		const struct value *v = call->args[i].v;
		if (!value_is(v, KIND_STRING))
			continue;
		char letter = letter_of(signature, i);
		steps += v->taint ? v->taint->count / SPANS_PER_STEP : 0;
		steps += v->string.len / EXEC_BYTES_PER_STEP / (letter == 'v' ? 4 : 1);
		texts += letter == 's' ? v->string.len : 0;
	}
	TRY(exec_charge(run, steps));
	return exec_room(run, texts < SIZE_MAX / BYTES_PER_BYTE ? texts * BYTES_PER_BYTE : texts);
}

/*
 * Charges the result and all memory that the function took; `used` is the amount before the call.
 */
static enum status charge_result(struct tmpl_run *run, const struct ref *result, size_t used)
{
	size_t made = arena_used(run->arena) - used;

	if (value_is(result->v, KIND_STRING))
		exec_count(run, result->v->string.len / EXEC_BYTES_PER_STEP);
	return exec_charge(run, made / EXEC_MEMORY_PER_STEP);
}

/* Limits the call to the steps that are left for work on secrets. */
static void begin_secret_work(struct tmpl_run *run)
{
	uint64_t left = run->options.limits.secret_steps - run->secret_steps;

	run->secret_cost = true;
	if (run->step_end > run->steps && left < run->step_end - run->steps)
		run->step_end = run->steps + left;
}

static enum status finish_call(struct tmpl_run *run, const struct call_site *site,
                               const struct signature *signature, struct tmpl_call *call)
{
	if (!site->impl) {
		BUG_ON(!site->func);
		run->node = site->node;
		run->refused_function = site->name;
		return exec_error(
		    run, TMPL_REFUSED, RUN_ADVICE_NONE, "function %q %s and is refused",
		    (const struct value[]){
		        value_string(site->name),
		        value_string(sv_from_cstr(purity_reason(site->func->purity)))},
		    2);
	}
	unsigned flags = site->func ? site->func->flags : 0;
	/* Failing still depends on the secrets. */
	unsigned result_flags =
	    flags & FUNC_SEARCHES && exec_searches_around(call) ? flags | FUNC_KEEPS_TAINT : flags;
	struct call_secrets found;
	if (find_secrets(run, call, flags, &found) != STATUS_OK)
		return call_failed(run, site, flags, &found);
	/* Formats and indents count escapes and lines. */
	bool is_secret_cost =
	    found.arguments.derived ||
	    (found.arguments.any && (!(flags & FUNC_KEEPS_TAINT) || flags & FUNC_CHOOSES_FIRST));
	uint64_t end = run->step_end;
	uint64_t fixed = run->fixed_steps;
	uint64_t steps = run->steps;
	size_t used = arena_used(run->arena);
	if (is_secret_cost)
		begin_secret_work(run);
	if (charge_texts(run, signature, call) != STATUS_OK || site->impl(call) != STATUS_OK ||
	    taint_result(run, call, result_flags, signature, &found) != STATUS_OK ||
	    charge_result(run, &call->result, used) != STATUS_OK)
		return call_failed(run, site, flags, &found);
	run->step_end = end;
	if (is_secret_cost &&
	    exec_note_secret(run, run->steps - steps - (run->fixed_steps - fixed)) != STATUS_OK)
		return call_failed(run, site, flags, &found);
	return STATUS_OK;
}

/* call FUNCTION args: data here hold functions only in tests, but the errors are Go's. */
static enum status call_value(struct tmpl_run *run, const struct call_site *site,
                              struct tmpl_call *call, struct ref *ret_value)
{
	BUG_ON(call->arg_count == 0);
	struct ref function = go_ref_unboxed(call->args[0]);
	sv name = site->args.nodes && site->args.nodes->count > 1
	              ? parse_node_text(run->arena, site->args.nodes->items[1])
	              : SV("");

	run->node = site->node;
	if (!go_ref_valid(function))
		return EXEC_ERROR(run, "error calling call: call of nil");
	if (go_ref_kind(function) != KIND_FUNC) {
		struct value shown = value_string(name);
		/* A piped value has no text: Go shows what a reflect.Value shows of itself. */
		if (name.len == 0 && value_is(function.v, KIND_STRING))
			shown = taint_secret(function.v->taint) ? value_string(SV("<a secret>"))
			                                        : *function.v;
		else if (name.len == 0)
			shown.string = ARENA_CONCAT(run->arena, SV("<"), function.v->type->name,
			                            SV(" Value>"));
		return EXEC_ERROR(run, "error calling call: non-function %s of type %s", shown,
		                  value_string(function.v->type->name));
	}
	const struct type_method *method = function.v->opaque;
	struct signature signature = signature_of(method->signature);
	struct tmpl_call inner = {.run = run,
	                          .arena = run->arena,
	                          .args = call->args + 1,
	                          .arg_count = call->arg_count - 1};
	if (inner.arg_count != signature.fixed)
		return EXEC_ERROR_ADVISED(
		    run, RUN_ADVICE_ARGUMENT_COUNT,
		    "error calling call: wrong number of args for %s: got %d want %d",
		    value_string(name), value_int((int64_t)inner.arg_count),
		    value_int((int64_t)signature.fixed));
	for (size_t i = 0; i < inner.arg_count; i++) {
		const struct type *type = parameter_type(&signature, i);
		struct ref arg = go_ref_unboxed(inner.args[i]);
		if (!go_ref_valid(arg) || !go_type_same(arg.v->type, type))
			return EXEC_ERROR(
			    run, "error calling call: arg %d: value has type %s; should be %s",
			    value_int((int64_t)i),
			    value_string(go_ref_valid(arg) ? arg.v->type->name : SV("<nil>")),
			    value_string(type->name));
	}
	struct call_secrets found;
	if (find_secrets(run, &inner, 0, &found) != STATUS_OK ||
	    method->impl(&inner) != STATUS_OK ||
	    taint_result(run, &inner, 0, &signature, &found) != STATUS_OK)
		return call_failed(run, site, 0, &found);
	*ret_value = inner.result;
	return STATUS_OK;
}

enum status exec_call(struct tmpl_run *run, struct ref dot, const struct call_site *site,
                      struct ref *ret_value)
{
	struct signature signature = signature_of(site->signature);
	size_t literal = site->args.nodes ? site->args.nodes->count - 1 : 0;
	size_t given = literal + (site->args.final ? 1 : 0);
	unsigned flags = site->func ? site->func->flags : 0;
	struct ref small[6];

	*ret_value = REF_INVALID;
	TRY(check_count(run, site, &signature, given, literal));
	if (signature.refused)
		return EXEC_ERROR(run, "%s", value_string(sv_from_cstr(signature.refused)));
	if (flags & (FUNC_AND | FUNC_OR))
		return call_and_or(run, dot, site, literal, ret_value);
	struct ref *args =
	    given <= COUNT_OF(small) ? small : ARENA_ARRAY(run->arena, struct ref, given);
	for (size_t i = 0; i < literal; i++)
		TRY(exec_arg(run, dot, parameter_type(&signature, i),
		             site->args.nodes->items[i + 1], &args[i]));
	if (site->args.final)
		TRY(exec_fit_type(run, *site->args.final, parameter_type(&signature, given - 1),
		                  &args[given - 1]));
	struct tmpl_call call = {.run = run,
	                         .arena = run->arena,
	                         .receiver = site->receiver,
	                         .args = args,
	                         .arg_count = given};
	if (flags & FUNC_CALL)
		return call_value(run, site, &call, ret_value);
	TRY(finish_call(run, site, &signature, &call));
	*ret_value = call.result;
	if (signature.result == 'a')
		ret_value->boxed = true;
	return STATUS_OK;
}
