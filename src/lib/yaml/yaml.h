/*
 * yaml: YAML to values and back.
 *
 * Reading follows Kubernetes: a manifest means what sigs.k8s.io/yaml makes of it on its way to
 * JSON, with YAML 1.1 scalars as yaml.v2 resolves them (docs/spec/controller.md 2.1). Output is
 * written so that readers of YAML 1.1 and 1.2 read the same values.
 */
#ifndef OSM_GEN_YAML_YAML_H
#define OSM_GEN_YAML_YAML_H

#include "value/value.h"

/* ---- limits ------------------------------------------------------------------------------ */

#define YML_MAX_DEPTH 100                        /* maps and lists inside each other */
#define YML_MAX_SIZE  ((size_t)64 * 1024 * 1024) /* bytes of one source */
#define YML_MAX_NODES ((size_t)4 * 1000 * 1000)  /* nodes of one source */
#define YML_MAX_ALIAS ((size_t)200 * 1000)       /* nodes that aliases of one source add */

/* ---- reading ----------------------------------------------------------------------------- */

struct yml_document {
	struct value root;  /* null (type_nil) for a document without content */
	struct position at; /* its first byte of content, or where content would be */
};

VEC_TYPE(yml_documents, struct yml_document);

/*
 * Reads every document of the source. Every node has its origin, every entry its key's origin, in
 * the source's bytes; an alias is a copy of the anchored node, with that node's origin.
 *
 * Scalars (types of value/type.h): type_nil, type_bool, type_int64, type_uint64 (above int64),
 * type_float64, type_string; a float without a fraction is an integer, as it is once it went
 * through JSON (`1e3` is 1000). Octal `0755` is 493; `yes`, `on`, `y` are booleans; dates are
 * strings; !!binary is decoded. Keys become strings as in JSON: 1 is "1", true is "true"; a null,
 * list or map as a key is an error. `<<` is merged. Lists are type_any_list, maps type_any_map
 * with entries in the order written.
 *
 * Errors, class input: a source that is not YAML (the first mistake: DIAG_YAML_SYNTAX,
 * DIAG_YAML_ENCODING, DIAG_CONFLICT_MARKER), and all of: a key given twice
 * (DIAG_YAML_DUPLICATE_KEY, a note at the first), a value that JSON cannot carry or that its tag
 * forbids (DIAG_YAML_VALUE), a limit above (DIAG_YAML_LIMIT). Messages quote keys, never other
 * scalars.
 *
 * Strings live in the arena: the source may be wiped afterwards (its position stays valid for
 * offsets only). The library's buffers and scalars are wiped before this returns, but not copies
 * that it left while a scalar grew.
 */
MUST_CHECK enum status yml_parse(struct arena *arena, struct sink *sink,
                                 const struct source *source, struct yml_documents *ret_documents);
/*
 * Parses a string that must be one document, and reports nothing. Returns its root, or null for
 * anything else.
 */
struct value *yml_parse_one(struct arena *arena, sv name, sv text, bool is_confidential);

/*
 * yaml.v3 v3.0.1 Unmarshal of the first document into map[string]interface{}, or []interface{}:
 * templates' fromYaml and fromYamlArray, where a mistake is data. Integers are type_int (or
 * type_uint64), `yes` is a string, maps with keys other than strings are type_any_key_map, bare
 * times yml_type_time. Values have no origin.
 *
 * Returns false and the library's message in *ret_error; *ret_value then has what the library read
 * before the mistake.
 */
MUST_CHECK bool yml_decode_v3(struct arena *arena, sv text, bool wants_list,
                              struct value *ret_value, sv *ret_error);

/* A string as Go prints a time.Time: "2020-01-01 00:00:00 +0000 UTC". */
extern const struct type yml_type_time;

/* ---- reading as PyYAML ------------------------------------------------------------------- */

/* The type of a node that PyYAML's safe loader makes; cloud-init reads its YAML with that. */
enum yml_python {
	YML_PYTHON_STRING,
	YML_PYTHON_NULL,
	YML_PYTHON_BOOL,
	YML_PYTHON_INT,
	YML_PYTHON_FLOAT,
	YML_PYTHON_TIME,
	YML_PYTHON_LIST,
	YML_PYTHON_MAP,
	/* The loader raises an error, and nothing of the document is read: `=`, 2024-13-01, 0x_. */
	YML_PYTHON_REFUSED,
};

/*
 * Returns the type of an untagged plain scalar. *ret_prints_same is true if Python's str() of the
 * value is the scalar as it is written: 17 and 1.5, but not 017, 1_7 and 1.50.
 */
enum yml_python yml_python_scalar(sv text, bool *ret_prints_same);

struct yml_python_value {
	enum yml_python kind;
	sv text;          /* of a scalar, as it is written, without quotes and escapes */
	bool prints_same; /* as above */
	bool is_quoted;   /* in single or double quotes */
	size_t depth;     /* the number of lists and maps around it */
};
VEC_TYPE(yml_python_nodes, struct yml_python_value);

/*
 * Reads one small document into a list of its nodes, keys among them, in the order written. Returns
 * false if PyYAML refuses it. Tags, aliases and more than 64 levels count as refused, as does
 * more than one document.
 */
MUST_CHECK bool yml_python_read(struct arena *arena, sv text, struct yml_python_nodes *ret_nodes);

/* ---- writing ----------------------------------------------------------------------------- */

struct yml_format {
	/* Every string in double quotes, keys excepted: the clear leaves of SOPS files
	 * (docs/spec/sealing.md 1.5). */
	bool quote_all_strings;
};

/*
 * Appends one document, ending with LF: block style, keys in the map's order, indented by two
 * spaces, lists not indented under their key, empty ones as {} and [], strings of several lines as
 * literal blocks if possible, plain if every reader of YAML 1.1 or 1.2 takes them for strings, else
 * double-quoted. Lines are never folded. It decides about quotes and blocks itself, not as
 * yml_emit_sigs: that writes byte for byte as Go does, also what other readers misread.
 *
 * The value: null, booleans, integers, floats (finite), strings, lists, maps. Others are a BUG.
 * Bytes that are not UTF-8 are written as U+FFFD, as they are on their way through JSON.
 */
void yml_emit(struct buf *buf, const struct value *value, struct yml_format format);

/*
 * Returns the offset of a member of the document's map in text that yml_emit wrote, or SV_NPOS. As
 * such text is in block style, no parser is needed: only the map's own keys begin a line. `key`
 * must be one that yml_emit_key writes plain.
 */
size_t yml_member_offset(sv text, sv key);

/*
 * Appends a key of such a document with its `:`, plain or double-quoted. A key that is too long for
 * one line is written as `? KEY`, and its `:` on the next line, indented as the key.
 */
void yml_emit_key(struct buf *buf, sv key, size_t indent);
/* Appends a string of such a document on one line, plain or double-quoted, without LF. */
void yml_emit_text(struct buf *buf, sv text);

/*
 * Appends the value exactly as sigs.k8s.io/yaml v1.6.0 Marshal writes it: sorted keys, its rules
 * for quotes and blocks. For documents that must equal the controller's byte for byte (kubeconfigs,
 * docs/spec/controller.md 5.1).
 */
void yml_emit_sigs(struct buf *buf, const struct value *value);

/*
 * Appends the value exactly as yaml.v3 v3.0.1 Marshal writes it, without the last LF: templates'
 * toYaml (docs/spec/templates.md 4.3). Structs are written by their fields' yaml names, in order,
 * typed keys by their type, bytes that are not UTF-8 as !!binary. Not all of it reads back: the
 * library's own mistakes are kept.
 *
 * Returns false and Go's message, and appends nothing, for values that it refuses: functions,
 * complex numbers, embedded structs that are not exported.
 */
MUST_CHECK bool yml_emit_v3(struct buf *buf, const struct value *value, sv *ret_error);

/* ---- editing ----------------------------------------------------------------------------- */

#define YML_NO_ITEM SIZE_MAX

/* A member to set in a document that is a map, or in an item of its list `items`. */
struct yml_edit {
	size_t document; /* the number of the document, as yml_parse counts */
	size_t item;     /* or YML_NO_ITEM for the document itself */
	const sv *path;  /* keys that may be written plain; maps that are missing are made */
	size_t path_count;
	sv scalar;          /* as it is written: "7", "\"7\"" */
	struct value value; /* the value that the scalar means */
	sv beside;          /* the key after whose line a new member of the document is put */
};

/*
 * Sets members in YAML or JSON text, and changes no other byte: comments, order, quotes and line
 * endings stay. Reads the result and compares, so that what has other effects, as an edit of an
 * anchored node has, is refused. Returns false, and in *ret_failed the index of an edit that cannot
 * be made. The text must be one that yml_parse takes. Several edits must not be of one member.
 */
bool yml_set_members(struct arena *arena, sv text, const struct yml_edit *edits, size_t count,
                     sv *ret_text, size_t *ret_failed);

/* Returns the version of libyaml that is loaded. */
const char *yml_library_version(void);

#endif
