/*
 * The function table. A family is one file in funcs/ with one table; funcs.c lists the families of
 * each set. A function is an entry: name, signature, purity, implementation.
 *
 * Signature letters: parameters before '>', the result after it, '*' before the last parameter if
 * it repeats ("s*a>s": a string, then any number of anything, gives a string):
 *
 *   s string   i int     I int64   u uint32   f float64   b bool
 *   a any (interface {})           v a value as it is (reflect.Value; missing ones too)
 *   l []interface {}   S []string  m map[string]interface {}   t time.Time
 *   d time.Duration   z *time.Location   p *semver.Version   n net.IP   k net.IPMask   y []byte
 *   only as results: L [][]interface {}   M map[string]string   N []int   o any other
 *   !REASON it has results that templates cannot take
 */
#ifndef OSM_GEN_TMPL_FUNC_H
#define OSM_GEN_TMPL_FUNC_H

#include "tmpl/tmpl.h"

enum tmpl_purity {
	FUNC_PURE,
	FUNC_ENVIRONMENT, /* reads the environment, the network */
	FUNC_RANDOM,      /* gives another result each time */
};

/*
 * The treatment of secrets (docs/spec/templates.md 6). The whole result of a function without a
 * flag is derived from the secrets among its arguments. The same holds for every function with an
 * argument that is derived, or contains a derived value. The flags apply to whole secrets.
 */
enum tmpl_func_flag {
	/* The result consists of arguments that are not changed: their own taints suffice... */
	FUNC_KEEPS_TAINT = 1,
	/* ...unless an argument that chooses among the others is secret: the result is derived. */
	FUNC_CHOOSES_FIRST = 1 << 1,  /* by the first argument */
	FUNC_CHOOSES_SECOND = 1 << 2, /* by the second */
	FUNC_CHOOSES_REST = 1 << 3,   /* by all but the first */
	FUNC_CHOOSES_THIRD = 1 << 4,  /* by the third */
	FUNC_CHOOSES_PAIRS = 1 << 5,  /* by the first of each pair */
	FUNC_CHOOSES_PATH = 1 << 6,   /* by all but the last two */
	/* The result is a one-to-one image of the string: it is secret as a whole. */
	FUNC_IMAGE = 1 << 7,
	/* Depends only on which values are empty, which is not secret. */
	FUNC_TRUTH = 1 << 8,
	/* Compares for equality; with an empty constant it is FUNC_TRUTH. */
	FUNC_EQUALITY = 1 << 9,
	/* Changes the order of its argument's own items. */
	FUNC_SORTS = 1 << 10,
	/* Special to the executor: evaluates its arguments itself. */
	FUNC_AND = 1 << 11,
	FUNC_OR = 1 << 12,
	FUNC_CALL = 1 << 13,
	/*
	 * Looks for the first argument in the last one. If exec_searches_around, only those parts
	 * of the result are secret that come from secrets.
	 */
	FUNC_SEARCHES = 1 << 14,
};

struct tmpl_func {
	sv name;
	const char *signature;
	tmpl_impl *impl;
	unsigned flags;
	enum tmpl_purity purity;
};

#define TMPL_FUNC(name, signature, impl)                                                           \
	{                                                                                          \
		SV_INIT(name), signature, impl, 0, FUNC_PURE                                       \
	}
#define TMPL_FUNC_FLAGS(name, signature, impl, flags)                                              \
	{                                                                                          \
		SV_INIT(name), signature, impl, flags, FUNC_PURE                                   \
	}
#define TMPL_FUNC_KEEPS(name, signature, impl)                                                     \
	TMPL_FUNC_FLAGS(name, signature, impl, FUNC_KEEPS_TAINT)
#define TMPL_FUNC_CHOOSES(name, signature, impl, flag)                                             \
	TMPL_FUNC_FLAGS(name, signature, impl, FUNC_KEEPS_TAINT | (flag))
#define TMPL_FUNC_IMAGE(name, signature, impl) TMPL_FUNC_FLAGS(name, signature, impl, FUNC_IMAGE)
#define TMPL_FUNC_REFUSED(name, signature, purity)                                                 \
	{                                                                                          \
		SV_INIT(name), signature, NULL, 0, purity                                          \
	}

struct tmpl_func_table {
	const struct tmpl_func *funcs;
	size_t count;
};

#define TMPL_TABLE(array)                                                                          \
	{                                                                                          \
		array, COUNT_OF(array)                                                             \
	}

struct tmpl_funcs {
	const struct tmpl_func_table *const *tables; /* the first that has a name wins */
	size_t table_count;
};

extern const struct tmpl_func_table tmpl_builtins;
extern const struct tmpl_func_table tmpl_funcs_strings;
extern const struct tmpl_func_table tmpl_funcs_lists;
extern const struct tmpl_func_table tmpl_funcs_dicts;
extern const struct tmpl_func_table tmpl_funcs_merge;
extern const struct tmpl_func_table tmpl_funcs_copy;
extern const struct tmpl_func_table tmpl_funcs_logic;
extern const struct tmpl_func_table tmpl_funcs_math;
extern const struct tmpl_func_table tmpl_funcs_encoding;
extern const struct tmpl_func_table tmpl_funcs_crypto;
extern const struct tmpl_func_table tmpl_funcs_decimal;
extern const struct tmpl_func_table tmpl_funcs_url;
extern const struct tmpl_func_table tmpl_funcs_yaml;
extern const struct tmpl_func_table tmpl_funcs_json;
extern const struct tmpl_func_table tmpl_funcs_words;
extern const struct tmpl_func_table tmpl_funcs_regex;
extern const struct tmpl_func_table tmpl_funcs_toml;
extern const struct tmpl_func_table tmpl_funcs_paths;
extern const struct tmpl_func_table tmpl_funcs_version;
extern const struct tmpl_func_table tmpl_funcs_date;
extern const struct tmpl_func_table tmpl_funcs_refused;
extern const struct tmpl_func_table tmpl_funcs_of_forms;

/* Returns the function, or null if the set has none of that name. */
const struct tmpl_func *tmpl_func_find(const struct tmpl_funcs *funcs, sv name);

#endif
