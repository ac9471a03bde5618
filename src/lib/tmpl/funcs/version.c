/*
 * Semantic versions (Masterminds/semver v3.4.0, docs/spec/templates.md 5).
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

static enum status fn_semver_compare(struct tmpl_call *call)
{
	struct semver_constraints *constraints;
	struct semver version;
	sv error;
	size_t len = arg_string(call, 0).len;

	/* A range may start anywhere, and rewriting one copies the whole. */
	TRY(exec_charge(call->run, len * len / EXEC_BYTES_PER_STEP));
	TRY(exec_room(call->run, len * len));
	/* Errors are not formatted: they may hold NULs. */
	if (!go_semver_constraints_parse(call->arena, arg_string(call, 0), &constraints, &error))
		return exec_pend_advised(call->run, TMPL_EXEC, RUN_ADVICE_VERSION_CONSTRAINT,
		                         error);
	if (!go_semver_parse(call->arena, arg_string(call, 1), &version, &error))
		return exec_pend(call->run, TMPL_EXEC, error);
	return tmpl_return_bool(call, go_semver_constraints_check(constraints, &version));
}

/* ---- *semver.Version --------------------------------------------------------------------- */

enum {
	VERSION_MAJOR,
	VERSION_MINOR,
	VERSION_PATCH,
	VERSION_PRERELEASE,
	VERSION_METADATA,
	VERSION_ORIGINAL,
	VERSION_FIELD_COUNT,
};

/* Reads the version from the fields of a value or of its target; deepCopy leaves them empty. */
static struct semver version_of(const struct value *v)
{
	const struct value *fields = v->type->kind == KIND_POINTER ? v->target->fields : v->fields;

	return (struct semver){
	    .major = fields[VERSION_MAJOR].unsigned_integer,
	    .minor = fields[VERSION_MINOR].unsigned_integer,
	    .patch = fields[VERSION_PATCH].unsigned_integer,
	    .prerelease = fields[VERSION_PRERELEASE].string,
	    .metadata = fields[VERSION_METADATA].string,
	    .original = fields[VERSION_ORIGINAL].string,
	};
}

static enum status return_part(struct tmpl_call *call, uint64_t part)
{
	struct value v = {.type = &type_uint64};

	v.unsigned_integer = part;
	return tmpl_return(call, v);
}

static enum status method_major(struct tmpl_call *call)
{
	return return_part(call, version_of(call->receiver).major);
}

static enum status method_minor(struct tmpl_call *call)
{
	return return_part(call, version_of(call->receiver).minor);
}

static enum status method_patch(struct tmpl_call *call)
{
	return return_part(call, version_of(call->receiver).patch);
}

static enum status method_prerelease(struct tmpl_call *call)
{
	return tmpl_return_string(call, version_of(call->receiver).prerelease);
}

static enum status method_metadata(struct tmpl_call *call)
{
	return tmpl_return_string(call, version_of(call->receiver).metadata);
}

static enum status method_original(struct tmpl_call *call)
{
	return tmpl_return_string(call, version_of(call->receiver).original);
}

static sv version_text(struct arena *arena, const struct value *v)
{
	struct semver version = version_of(v);

	return go_semver_format(arena, &version);
}

static sv version_pointer_text(struct arena *arena, const struct value *v)
{
	return v->target ? version_text(arena, v->target) : SV("<nil>");
}

static const struct type type_version;
static const struct type type_version_pointer;

static const struct type_field version_fields[VERSION_FIELD_COUNT] = {
    [VERSION_MAJOR] = {.name = SV_INIT("major"), .type = &type_uint64},
    [VERSION_MINOR] = {.name = SV_INIT("minor"), .type = &type_uint64},
    [VERSION_PATCH] = {.name = SV_INIT("patch"), .type = &type_uint64},
    [VERSION_PRERELEASE] = {.name = SV_INIT("pre"), .type = &type_string},
    [VERSION_METADATA] = {.name = SV_INIT("metadata"), .type = &type_string},
    [VERSION_ORIGINAL] = {.name = SV_INIT("original"), .type = &type_string},
};

static struct value new_version(struct arena *arena, const struct semver *version,
                                const struct type *type)
{
	struct value *fields = ARENA_ARRAY(arena, struct value, VERSION_FIELD_COUNT);
	struct value *target = ARENA_NEW(arena, struct value);

	for (size_t i = 0; i < VERSION_FIELD_COUNT; i++)
		fields[i].type = version_fields[i].type;
	fields[VERSION_MAJOR].unsigned_integer = version->major;
	fields[VERSION_MINOR].unsigned_integer = version->minor;
	fields[VERSION_PATCH].unsigned_integer = version->patch;
	fields[VERSION_PRERELEASE].string = version->prerelease;
	fields[VERSION_METADATA].string = version->metadata;
	fields[VERSION_ORIGINAL].string = version->original;
	target->type = &type_version;
	target->fields = fields;
	if (type == &type_version)
		return *target;
	struct value pointer = {.type = type};
	pointer.target = target;
	return pointer;
}

/* A version that is not the one read: its original text is made anew. */
static enum status return_changed(struct tmpl_call *call, struct semver version,
                                  const char *mistake)
{
	if (mistake)
		return tmpl_fail(call, "%s", mistake);
	bool with_v = sv_starts_with(version.original, SV("v"));
	version.original = ARENA_CONCAT(call->arena, with_v ? SV("v") : SV(""),
	                                go_semver_format(call->arena, &version));
	return tmpl_return(call, new_version(call->arena, &version, &type_version));
}

/* IncMajor and its siblings give a Version, not a pointer. */
static enum status return_increased(struct tmpl_call *call, struct semver version)
{
	version.prerelease = (sv){NULL, 0};
	version.metadata = (sv){NULL, 0};
	return return_changed(call, version, NULL);
}

static enum status method_inc_major(struct tmpl_call *call)
{
	struct semver version = version_of(call->receiver);

	version.major++;
	version.minor = version.patch = 0;
	return return_increased(call, version);
}

static enum status method_inc_minor(struct tmpl_call *call)
{
	struct semver version = version_of(call->receiver);

	version.minor++;
	version.patch = 0;
	return return_increased(call, version);
}

/* A prerelease of this patch becomes the patch itself. */
static enum status method_inc_patch(struct tmpl_call *call)
{
	struct semver version = version_of(call->receiver);

	if (version.prerelease.len == 0)
		version.patch++;
	return return_increased(call, version);
}

static enum status method_set_prerelease(struct tmpl_call *call)
{
	struct semver version = version_of(call->receiver);

	version.prerelease = arg_string(call, 0);
	return return_changed(
	    call, version,
	    version.prerelease.len > 0 ? go_semver_prerelease_mistake(version.prerelease) : NULL);
}

static enum status method_set_metadata(struct tmpl_call *call)
{
	struct semver version = version_of(call->receiver);

	version.metadata = arg_string(call, 0);
	return return_changed(
	    call, version,
	    version.metadata.len > 0 ? go_semver_metadata_mistake(version.metadata) : NULL);
}

static enum status return_text_bytes(struct tmpl_call *call, sv quote)
{
	return tmpl_return_bytes(
	    call, &type_bytes,
	    ARENA_CONCAT(call->arena, quote, version_text(call->arena, call->receiver), quote));
}

static enum status method_marshal_text(struct tmpl_call *call)
{
	return return_text_bytes(call, SV(""));
}

static enum status method_marshal_json(struct tmpl_call *call)
{
	return return_text_bytes(call, SV("\""));
}

static int compare_with(struct tmpl_call *call)
{
	struct semver version = version_of(call->receiver);
	struct semver other = version_of(call->args[0].v->target);

	return go_semver_compare(&version, &other);
}

static bool has_other(const struct tmpl_call *call)
{
	return call->args[0].v && call->args[0].v->target;
}

static enum status check_other(struct tmpl_call *call)
{
	/* Identifier by identifier. */
	TRY(exec_charge(call->run, version_of(call->receiver).prerelease.len / 2));
	if (!has_other(call))
		return tmpl_fail(call, "runtime error: invalid memory address or nil pointer "
		                       "dereference");
	return STATUS_OK;
}

static enum status method_compare(struct tmpl_call *call)
{
	TRY(check_other(call));
	int order = compare_with(call);
	return tmpl_return_int(call, (order > 0) - (order < 0));
}

static enum status method_less(struct tmpl_call *call)
{
	TRY(check_other(call));
	return tmpl_return_bool(call, compare_with(call) < 0);
}

static enum status method_less_equal(struct tmpl_call *call)
{
	TRY(check_other(call));
	return tmpl_return_bool(call, compare_with(call) <= 0);
}

static enum status method_greater(struct tmpl_call *call)
{
	TRY(check_other(call));
	return tmpl_return_bool(call, compare_with(call) > 0);
}

static enum status method_greater_equal(struct tmpl_call *call)
{
	TRY(check_other(call));
	return tmpl_return_bool(call, compare_with(call) >= 0);
}

static enum status method_equal(struct tmpl_call *call)
{
	if (!has_other(call))
		return tmpl_return_bool(call, false);
	TRY(check_other(call));
	return tmpl_return_bool(call, compare_with(call) == 0);
}

static const struct type_method version_methods[] = {
    {"IncMajor", ">o", method_inc_major},
    {"IncMinor", ">o", method_inc_minor},
    {"IncPatch", ">o", method_inc_patch},
    {"Major", ">u", method_major},
    {"MarshalJSON", ">o", method_marshal_json},
    {"MarshalText", ">o", method_marshal_text},
    {"Metadata", ">s", method_metadata},
    {"Minor", ">u", method_minor},
    {"Patch", ">u", method_patch},
    {"Prerelease", ">s", method_prerelease},
    {"SetMetadata", "s>o", method_set_metadata},
    {"SetPrerelease", "s>o", method_set_prerelease},
    {"String", ">s", tmpl_method_string},
    {"Value", ">a", tmpl_method_string},
};

/* The results of IncMajor and its siblings are not pointers and lack these methods. */
static const struct type_method pointer_methods[] = {
    {"Compare", "p>i", method_compare},     {"Equal", "p>b", method_equal},
    {"GreaterThan", "p>b", method_greater}, {"GreaterThanEqual", "p>b", method_greater_equal},
    {"LessThan", "p>b", method_less},       {"LessThanEqual", "p>b", method_less_equal},
    {"Original", ">s", method_original},
};

static const struct type type_version = {
    .kind = KIND_STRUCT,
    .name = SV_INIT("semver.Version"),
    .fields = version_fields,
    .field_count = VERSION_FIELD_COUNT,
    .methods = version_methods,
    .method_count = COUNT_OF(version_methods),
    .to_string = version_text,
    .to_json = version_text,
    .to_text = version_text,
};
static const struct type type_version_pointer = {
    .kind = KIND_POINTER,
    .name = SV_INIT("*semver.Version"),
    .elem = &type_version,
    .methods = pointer_methods,
    .method_count = COUNT_OF(pointer_methods),
    .to_string = version_pointer_text,
    .to_json = version_pointer_text,
    .to_text = version_pointer_text,
};
const struct type *const type_semver_pointer = &type_version_pointer;

static enum status fn_semver(struct tmpl_call *call)
{
	struct semver version;
	sv error;

	if (!go_semver_parse(call->arena, arg_string(call, 0), &version, &error))
		return tmpl_fail(call, "%.*s", SV_ARG(error));
	return tmpl_return(call, new_version(call->arena, &version, &type_version_pointer));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("semver", "s>o", fn_semver),
    TMPL_FUNC("semverCompare", "ss>b", fn_semver_compare),
};

const struct tmpl_func_table tmpl_funcs_version = TMPL_TABLE(funcs);
