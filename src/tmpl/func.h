/*
 * The function table. A family is one file in funcs/ with one table; funcs.c lists the families of
 * each set. A function is an entry: name, signature, purity, implementation.
 *
 * Signature letters, parameters before '>', the result behind it; '*' before the last parameter
 * when it repeats ("s*a>s": a string, then any number of anything, gives a string):
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

enum tmpl_func_flag {
	/* The result is made of arguments as they are: their own taints suffice. */
	FUNC_KEEPS_TAINT = 1,
	/* Special to the executor: evaluates its arguments itself. */
	FUNC_AND = 2,
	FUNC_OR = 4,
	FUNC_CALL = 8,
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

/* Null when the set has no such function. */
const struct tmpl_func *tmpl_func_find(const struct tmpl_funcs *funcs, sv name);

#endif
