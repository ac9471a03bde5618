/*
 * Go's path package; filepath is the same on Linux.
 */
#include "tmpl/exec.h"
#include "tmpl/func.h"

/* path.Clean: no empty, "." or inner ".." elements. */
static sv clean_path(struct arena *arena, sv path)
{
	struct buf buf = buf_in(arena);
	bool rooted = path.len > 0 && path.ptr[0] == '/';
	size_t floor = rooted ? 1 : 0; /* what ".." may not take away */
	size_t i = rooted ? 1 : 0;

	if (path.len == 0)
		return SV(".");
	if (rooted)
		buf_add_char(&buf, '/');
	while (i < path.len) {
		size_t slash = sv_find_char(sv_from_offset(path, i), '/');
		sv part = sv_slice(path, i, slash == SV_NPOS ? path.len : i + slash);
		i += part.len + 1;
		if (part.len == 0 || sv_eq(part, SV(".")))
			continue;
		if (!sv_eq(part, SV(".."))) {
			if (buf.len > (rooted ? 1 : 0))
				buf_add_char(&buf, '/');
			buf_add(&buf, part);
		} else if (buf.len > floor) {
			size_t up = sv_rfind_char(buf_sv(&buf), '/');
			buf.len = up == SV_NPOS || up < floor ? floor : up;
		} else if (!rooted) {
			if (buf.len > 0)
				buf_add_char(&buf, '/');
			BUF_ADD_LIT(&buf, "..");
			floor = buf.len;
		}
	}
	return buf.len > 0 ? buf_sv(&buf) : SV(".");
}

static enum status fn_clean(struct tmpl_call *call)
{
	return tmpl_return_string(call, clean_path(call->arena, arg_string(call, 0)));
}

static enum status fn_base(struct tmpl_call *call)
{
	sv path = arg_string(call, 0);

	if (path.len == 0)
		return tmpl_return_string(call, SV("."));
	path = sv_trim_right(path, "/");
	size_t slash = sv_rfind_char(path, '/');
	if (slash != SV_NPOS)
		path = sv_from_offset(path, slash + 1);
	return tmpl_return_string(call, path.len > 0 ? path : SV("/"));
}

static enum status fn_dir(struct tmpl_call *call)
{
	sv path = arg_string(call, 0);
	size_t slash = sv_rfind_char(path, '/');

	return tmpl_return_string(
	    call, clean_path(call->arena, sv_slice(path, 0, slash == SV_NPOS ? 0 : slash + 1)));
}

static enum status fn_ext(struct tmpl_call *call)
{
	sv path = arg_string(call, 0);

	for (size_t i = path.len; i > 0 && path.ptr[i - 1] != '/'; i--)
		if (path.ptr[i - 1] == '.')
			return tmpl_return_string(call, sv_from_offset(path, i - 1));
	return tmpl_return_string(call, SV(""));
}

static enum status fn_is_abs(struct tmpl_call *call)
{
	return tmpl_return_bool(call, sv_starts_with(arg_string(call, 0), SV("/")));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("base", "s>s", fn_base),     TMPL_FUNC("clean", "s>s", fn_clean),
    TMPL_FUNC("dir", "s>s", fn_dir),       TMPL_FUNC("ext", "s>s", fn_ext),
    TMPL_FUNC("isAbs", "s>b", fn_is_abs),  TMPL_FUNC("osBase", "s>s", fn_base),
    TMPL_FUNC("osClean", "s>s", fn_clean), TMPL_FUNC("osDir", "s>s", fn_dir),
    TMPL_FUNC("osExt", "s>s", fn_ext),     TMPL_FUNC("osIsAbs", "s>b", fn_is_abs),
};

const struct tmpl_func_table tmpl_funcs_paths = TMPL_TABLE(funcs);
