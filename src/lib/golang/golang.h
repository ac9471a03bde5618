/*
 * golang: Go's standard library, and libraries that the controller uses, for values, strings,
 * numbers, times, URLs and versions.
 *
 * Results and error messages are Go's, byte for byte: the controller's behaviour depends on them.
 * No function has a sink or a position. A function that can fail returns false and, if Go has a
 * message for the mistake, sets *ret_error (arena memory); the caller knows the place and makes the
 * diagnostic. Results are untouched on failure.
 *
 * Functions are named go_, the Go package or type, and what they do (go_strconv_quote,
 * go_url_parse). Functions that only this folder calls begin with their file's name.
 *
 *   quote.c rune.c           strconv.Quote and Unquote; unicode, characters in strings
 *   number.c float.c         strconv: ParseBool, ParseInt, ParseUint; ParseFloat, FormatFloat
 *   shortest.c               floats in the fewest digits
 *   duration.c time.c        time.Duration; the calendar
 *   layout.c layout_parse.c  time.Format, time.Parse
 *   ip.c                     net.IP
 *   url.c query.c escape.c   net/url
 *   json.c                   encoding/json: which members of an object a struct's field takes
 *   ssh_key.c                golang.org/x/crypto/ssh: lines of authorized_keys
 *   semver.c constraint.c    Masterminds/semver v3.4.0: versions, constraints; scan.c is for both
 *   reflect.c                reflect: kinds, interfaces, pointers, fields, the order of maps
 *   fmt.c format.c verb.c    fmt: by type; the format language; single values under a verb
 */
#ifndef OSM_GEN_GOLANG_GOLANG_H
#define OSM_GEN_GOLANG_GOLANG_H

#include "base/base.h"
#include "value/text.h"
#include "value/value.h"

/* ---- Go's strconv ----------------------------------------------------------------------- */

/* strconv.Quote: double quotes, Go escapes, what unicode.IsPrint refuses as \u or \x. */
void go_strconv_quote_add(struct buf *buf, sv s);
sv go_strconv_quote(struct arena *arena, sv s);
/* strconv.IsPrint */
bool go_strconv_is_print(uint32_t rune);
/*
 * strconv.Unquote: "double", `raw` or 'rune' with its quotes. Go's only message is "invalid
 * syntax".
 */
MUST_CHECK bool go_strconv_unquote(struct arena *arena, sv quoted, sv *ret_text);
/* strconv.UnquoteChar: takes the first character or escape between quotes off *rest. */
MUST_CHECK bool go_strconv_unquote_char(struct arena *arena, sv *rest, char quote,
                                        uint32_t *ret_rune);

/* 1 t T TRUE true True 0 f F FALSE false False; else `strconv.ParseBool: parsing "x": invalid
 * syntax`. */
MUST_CHECK bool go_strconv_parse_bool(struct arena *arena, sv s, bool *ret_value, sv *ret_error);
/* Base 10, optional sign, range of bits (8 to 64); `strconv.ParseInt: parsing "x": value out of
 * range`. */
MUST_CHECK bool go_strconv_parse_int(struct arena *arena, sv s, unsigned bits, int64_t *ret_value,
                                     sv *ret_error);
MUST_CHECK bool go_strconv_parse_uint(struct arena *arena, sv s, unsigned bits, uint64_t *ret_value,
                                      sv *ret_error);

/* ---- floats ----------------------------------------------------------------------------- */

enum number_status { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* On NUMBER_RANGE the value is the nearest one that fits (an infinity, the largest integer). */
enum number_status go_parse_float(sv s, double *ret_value);
/* base 0: prefixes 0x 0o 0b 0, underscores */
enum number_status go_parse_uint(sv s, unsigned base, uint64_t *ret_value);
enum number_status go_parse_int(sv s, unsigned base, int64_t *ret_value);

/* format: e E f g G x X b; precision -1: the shortest string that reads back; bits 32 or 64. */
void go_format_float(struct buf *buf, double value, char format, int precision, int bits);

/* Conversions as amd64 does them; C leaves out-of-range ones undefined. */
int64_t go_float_to_int(double value);
uint64_t go_float_to_uint(double value);

/* Room for any float64 in any format, with the sign and a terminator. */
#define FLOAT_TEXT_SIZE 352

enum float_format {
	FLOAT_E, /* 1.5e-07 */
	FLOAT_F, /* 0.00000015 */
	FLOAT_G, /* FLOAT_E below 1e-4 and from 1e6 on, else FLOAT_F: strconv's 'g' */
	FLOAT_V, /* FLOAT_E below 1e-4 and from 1e21 on, else FLOAT_F: what fmt prints for %v */
};

/*
 * Writes the fewest decimal digits that read back to the same number, as strconv.FormatFloat with
 * precision -1 does, and a terminator. Returns the length. bits is 64, or 32 for the digits of a
 * float32. Writes NaN, +Inf and -Inf by these names.
 */
size_t go_float_shortest(double number, enum float_format format, int bits,
                         char out[FLOAT_TEXT_SIZE]);

/*
 * Writes the digits alone: number = 0.d1d2d3... * 10^*ret_exponent. Returns their number, at least
 * 1 and at most 17, without trailing zeros; zero is one digit 0 and exponent 0. number must be
 * finite; its sign is ignored.
 */
size_t go_float_digits(double number, int bits, char digits[18], int *ret_exponent);

/* ---- Go's unicode ----------------------------------------------------------------------- */

/* Character classes of Unicode 15.0, which utf8proc 2.8 shares, and how Go treats runes in strings.
 */
bool go_rune_is_letter(uint32_t rune);
bool go_rune_is_digit(uint32_t rune);
bool go_rune_is_space(uint32_t rune);
bool go_rune_is_upper(uint32_t rune);
bool go_rune_is_lower(uint32_t rune);
bool go_rune_is_title(uint32_t rune);
bool go_rune_is_number(uint32_t rune);
bool go_rune_is_punct(uint32_t rune);
uint32_t go_rune_to_upper(uint32_t rune);
uint32_t go_rune_to_lower(uint32_t rune);
uint32_t go_rune_to_title(uint32_t rune);

/* strings.TrimSpace */
sv go_trim_space(sv s);

/* %q with ASCII only; %#U; rune constants */
void go_quote_ascii_add(struct buf *buf, sv s);
void go_quote_rune_add(struct buf *buf, uint32_t rune, bool ascii);
void go_unicode_add(struct buf *buf, uint32_t rune);

/* ---- Go's time.Duration ----------------------------------------------------------------- */

/* Nanoseconds; "1h30m", "1.5h", "-1s", "0". `time: invalid duration "x"` and its siblings. */
MUST_CHECK bool go_duration_parse(struct arena *arena, sv s, int64_t *ret_nanoseconds,
                                  sv *ret_error);
/* "1h0m0s", "1.5s", "250µs", "0s". */
sv go_duration_format(struct arena *arena, int64_t nanoseconds);
/* Quotes as the time package's errors do: each byte that is not printable ASCII as \xHH. */
void go_time_quote(struct buf *buf, sv s);
/* Rounds halves away from zero. The result saturates at the longest Duration. */
int64_t go_duration_round(int64_t nanoseconds, int64_t unit);

/* ---- Go's time.Time --------------------------------------------------------------------- */

struct go_time {
	int64_t seconds; /* since 1970, UTC */
	int32_t nanoseconds;
	int32_t zone_offset; /* seconds east of UTC */
	sv zone_name;        /* empty if only the offset is known */
	bool is_local;       /* time.Local, which is UTC by another name */
};

/* Go's zero time: the first of January of the year 1. */
#define ZERO_TIME (-62135596800)

struct go_time go_time_add(struct go_time time, int64_t nanoseconds);

struct civil {
	int64_t year;
	int month;
	int day;
	int hour;
	int minute;
	int second;
	int weekday;  /* 0: Sunday */
	int year_day; /* from 1 */
};

struct civil go_civil_of(const struct go_time *time);
/* Days from 1970 to a date of the proleptic Gregorian calendar. */
int64_t go_civil_day_number(int64_t year, int month, int day);
bool go_civil_is_leap(int64_t year);
int go_civil_days_in(int month, int64_t year);

/* Their English names, in order. */
extern const char *const layout_months[12];
extern const char *const layout_days[7]; /* Sunday first */

/* Time.Format: layouts are written as 2006-01-02 15:04:05. */
sv go_time_format(struct arena *arena, const struct go_time *time, sv layout);
/*
 * time.ParseInLocation, with UTC as the local zone. With is_local a string without a zone is in
 * time.Local, else in UTC. Returns false and Go's message in *ret_error.
 */
MUST_CHECK bool go_time_parse(struct arena *arena, sv layout, sv text, bool is_local,
                              struct go_time *ret_time, sv *ret_error);

/* ---- SSH keys (golang.org/x/crypto/ssh v0.52.0, ParseAuthorizedKey) ------------------------- */

/* The first mistake of the last line that ParseAuthorizedKey looks at. */
enum ssh_key_mistake {
	SSH_KEY_FINE,
	SSH_KEY_NO_LINE,   /* nothing but blanks, comments and single words */
	SSH_KEY_NO_BASE64, /* the word after the type (or the first one) is not base64 */
	SSH_KEY_DAMAGED,   /* the bytes are cut off, or hold numbers that no key has */
	SSH_KEY_TYPE,      /* the bytes name a type that the library does not know */
};
/*
 * Checks a string in the format of OpenSSH's authorized_keys (sshd(8)). Options and comments are
 * fine, and so are several lines if one of them has a key. `arena` is scratch memory.
 */
enum ssh_key_mistake go_ssh_key_check(struct arena *arena, sv text);

/* ---- semantic versions (docs/spec/templates.md 5) ----------------------------------------- */

struct semver {
	uint64_t major;
	uint64_t minor;
	uint64_t patch;
	sv prerelease; /* without "-", or empty */
	sv metadata;   /* without "+" */
	sv original;   /* as given */
};

/*
 * NewVersion, loose: an optional v, missing minor and patch, leading zeros. Parts point into text.
 * Messages: "invalid semantic version", "version segment starts with 0",
 * "strconv.ParseUint: parsing ...: value out of range" wrapped as the library wraps it.
 */
MUST_CHECK bool go_semver_parse(struct arena *arena, sv text, struct semver *ret_version,
                                sv *ret_error);
/* StrictNewVersion: MAJOR.MINOR.PATCH with nothing left out, no v, no leading zeros. */
MUST_CHECK bool go_semver_parse_strict(struct arena *arena, sv text, struct semver *ret_version,
                                       sv *ret_error);
/* Returns the mistake in a prerelease or metadata part (without - and +), or null. */
const char *go_semver_prerelease_mistake(sv prerelease);
const char *go_semver_metadata_mistake(sv metadata);
/* Precedence of semver.org: below zero, zero, above zero; metadata does not count. */
int go_semver_compare(const struct semver *a, const struct semver *b);
/* "1.31.0-rc.1+k3s1", without v. */
sv go_semver_format(struct arena *arena, const struct semver *version);

struct semver_constraints;
/* NewConstraint; `improper constraint: TEXT`. */
MUST_CHECK bool go_semver_constraints_parse(struct arena *arena, sv text,
                                            struct semver_constraints **ret_constraints,
                                            sv *ret_error);
bool go_semver_constraints_check(const struct semver_constraints *constraints,
                                 const struct semver *version);

/* ---- Go's net.IP ------------------------------------------------------------------------ */

struct ip {
	uint8_t bytes[16]; /* IPv4 as ::ffff:a.b.c.d, as Go's net.IP holds it */
};
/* net.ParseIP: no zone, no prefix length, no leading zeros. */
MUST_CHECK bool go_ip_parse(sv text, struct ip *ret_ip);
/* IP.String: dotted when mapped, else RFC 5952. */
sv go_ip_format(struct arena *arena, const struct ip *ip);

/* ---- URLs (Go net/url) ------------------------------------------------------------------ */

struct url {
	sv scheme; /* lower case */
	sv opaque;
	bool has_user;
	sv username; /* decoded */
	bool has_password;
	sv password; /* decoded */
	sv host;     /* host or host:port, decoded */
	sv path;     /* decoded */
	sv raw_path; /* set when the default encoding of path is not what was given */
	bool omit_host;
	bool force_query; /* "?" with nothing after it */
	sv raw_query;     /* encoded, without "?" */
	sv fragment;      /* decoded, without "#" */
	sv raw_fragment;
};

/* url.Parse; the error is Go's whole message: `parse "x": first path segment in URL cannot contain
 * colon`. */
MUST_CHECK bool go_url_parse(struct arena *arena, sv text, struct url *ret_url, sv *ret_error);
/* URL.String */
sv go_url_format(struct arena *arena, const struct url *url);
/* URL.Hostname: without port and without the brackets of an IPv6 address. */
sv go_url_hostname(const struct url *url);
/* URL.Port: digits, or empty. */
sv go_url_port(const struct url *url);
/* Userinfo.String: encoded "name:password", or an empty string. */
sv go_url_userinfo(struct arena *arena, const struct url *url);

struct url_parameter {
	sv key;
	sv value;
};
/* url.Values, in the order of the query. */
VEC_TYPE(url_query, struct url_parameter);

/*
 * url.ParseQuery: pairs that cannot be decoded (or hold ';') are left out. *ret_error (may be
 * null) is the first mistake, or empty.
 */
struct url_query go_url_query_parse(struct arena *arena, sv raw_query, sv *ret_error);
/* Returns the first value of a key, or null. */
const struct url_parameter *go_url_query_get(const struct url_query *query, sv key);
/* Values.Del */
void go_url_query_delete(struct url_query *query, sv key);
/* Values.Encode: sorted by key, values of one key in their order. */
sv go_url_query_encode(struct arena *arena, const struct url_query *query);

/* url.QueryEscape, PathEscape */
sv go_url_query_escape(struct arena *arena, sv s);
sv go_url_path_escape(struct arena *arena, sv s);
/* url.QueryUnescape; `invalid URL escape "%zz"`. */
MUST_CHECK bool go_url_query_unescape(struct arena *arena, sv s, sv *ret_text, sv *ret_error);

/* ---- Go's encoding/json (docs/spec/controller.md 2.5) ------------------------------------- */

/*
 * Returns true if encoding/json takes a key for a struct field's name: case does not matter, U+017F
 * counts as s and U+212A as k.
 */
bool go_json_key_is(sv key, sv name);
/* Takes the first character off a key that is not empty, in lower case as go_json_key_is has it. */
char go_json_take_folded(sv *key);
/*
 * Returns an object's member for a struct field, or null. If several fit, it is the last in sorted
 * order that is not null.
 */
const struct value *go_json_member(const struct value *object, sv name);

/*
 * Returns all members of an object for one struct field, nulls too, in the order in which
 * encoding/json finds them: sorted by key, as the API server stores a manifest. Their effect
 * depends on the field's type:
 *
 *   string, bool   the last one counts; null changes nothing
 *   pointer        the last one counts; null empties the field
 *   struct         all are decoded in turn (go_json_inner); null changes nothing
 *   []string       the last one counts, null empties it; a null item keeps an earlier one's item
 *
 * A member of a wrong type is an error even if another one follows.
 */
VEC_TYPE(go_json_matches, const struct value_entry *);
struct go_json_matches go_json_matches(struct arena *arena, const struct value *object, sv name);
/* The same for a field of a struct that is given several times. Objects that are not maps are
 * skipped. */
struct go_json_matches go_json_inner(struct arena *arena, const struct go_json_matches *objects,
                                     sv name);
/* Returns the last one that is not null, or null. */
const struct value *go_json_last(const struct go_json_matches *matches);
/* Decodes the lists and nulls among them as []string: a list of strings, nil if it is empty. */
struct value go_json_strings(struct arena *arena, const struct go_json_matches *matches);

/* ---- Go's reflect ----------------------------------------------------------------------- */

/*
 * A value as Go's reflect sees it. `v` is null for the zero reflect.Value (a missing key, nil). It
 * is boxed if it is inside an interface {} (an element of []interface {}, a function's `any`
 * result).
 */
struct ref {
	const struct value *v;
	bool boxed;
	const struct secret *secret; /* the secret that decided that v is null; may be null */
};

#define REF_INVALID ((struct ref){0})

/* Returns a value that is not inside an interface. */
static inline struct ref go_ref_of(const struct value *v)
{
	return (struct ref){.v = v};
}

/* Returns the value inside an interface {}, never boxed; its v is null for nil. */
struct ref go_ref_unboxed(struct ref ref);
bool go_ref_valid(struct ref ref);
/* Returns the secret that decided that a ref is empty, or null. */
const struct secret *go_ref_nil_secret(struct ref ref);
/* Returns KIND_INVALID, KIND_INTERFACE if it is boxed, else the value's own kind. */
enum type_kind go_ref_kind(struct ref ref);
/* Returns the static type: type_any if it is boxed. The ref must be valid. */
const struct type *go_ref_type(struct ref ref);
/* Returns true for a nil pointer, map, slice or interface, and for an invalid value. */
bool go_ref_is_nil(struct ref ref);
/* Follows pointers and interfaces. *ret_nil is true if that ends at nil. */
struct ref go_ref_indirect(struct ref ref, bool *ret_nil);
/* Follows pointers to the value that is printed, except a last pointer that has a string form. */
struct ref go_ref_printable(struct ref ref);
/* Returns the target of a pointer. */
struct ref go_ref_target(const struct value *pointer);
/* reflect.Zero(type), in the arena: an interface type gives a boxed nil. */
struct ref go_ref_zero(struct arena *arena, const struct type *type);

bool go_ref_truth(struct ref ref);

bool go_type_same(const struct type *a, const struct type *b);
bool go_type_can_be_nil(const struct type *type);
bool go_type_is_float(const struct type *type);
bool go_kind_is_int(enum type_kind kind);
bool go_kind_is_uint(enum type_kind kind);

/* Sets the length of strings, bytes, lists and maps. Returns false for other kinds. */
bool go_value_len(const struct value *v, size_t *ret_len);
/* Returns the i-th element of a list or []byte. */
struct ref go_value_element(struct arena *arena, const struct value *list, size_t i);
/* Returns the value of an entry of a map. */
struct ref go_value_entry_ref(const struct value *map, const struct value_entry *entry);
/* Returns the key of an entry as a value. */
struct ref go_value_entry_key(struct arena *arena, const struct value *map,
                              const struct value_entry *entry);
/*
 * Estimates the bytes that sorting a map's entries reads, for quotas: those of the keys, and some
 * for each comparison. The estimate does not depend on the entries' order.
 */
uint64_t go_value_sorting_bytes(const struct value *map);
/* Returns the entries in the order in which Go prints and ranges. */
struct value_entry **go_value_sorted_entries(struct arena *arena, const struct value *map,
                                             size_t *ret_count);
/* Returns a field, which may be promoted, and its description. */
const struct value *go_value_field(const struct value *v, sv name,
                                   const struct type_field **ret_field);
bool go_type_has_field(const struct type *type, sv name);

/* ---- Go's fmt --------------------------------------------------------------------------- */

/* The longest escape of one byte: "\u0001", "0x41 ". */
#define FMT_BYTES_PER_ESCAPE 6

struct fmt_flags {
	bool sharp;
	bool zero;
	bool plus;
	bool minus;
	bool space;
	bool plus_v;
	bool sharp_v;
	bool has_width;
	bool has_precision;
	int width;
	int precision;
};

/*
 * Limits on printing, and a refusal of values that print differently each time. If a function
 * returns false, it has kept the reason, and printing stops and fails.
 */
struct fmt_budget {
	bool (*descend)(void *context);            /* before each value and nested value */
	bool (*read)(void *context, size_t bytes); /* before reading so many bytes */
	bool (*room)(void *context, size_t bytes); /* before writing so many bytes */
	void (*refuse)(void *context, sv reason, const struct type *type); /* of a pointer */
};

struct printer {
	struct text *out;
	struct arena *arena;
	const struct fmt_budget *budget; /* may be null, for values of the program's own */
	void *context;                   /* the budget's */
	struct fmt_flags flags;
	bool erroring; /* inside %!verb(...): no methods */
	bool failed;   /* the budget has the reason */
};

/*
 * fmt.Sprint, Sprintln and Sprintf of arguments inside interfaces; the output keeps their taints.
 * Returns false if the budget has stopped it, which has the reason.
 */
MUST_CHECK bool go_fmt_print(struct printer *p, const struct ref *args, size_t count);
MUST_CHECK bool go_fmt_println(struct printer *p, const struct ref *args, size_t count);
MUST_CHECK bool go_fmt_printf(struct printer *p, const struct value *format, const struct ref *args,
                              size_t count);

/* Sprintf of plain values without a budget: for error messages. */
sv go_fmt_sprintf(struct arena *arena, sv format, const struct value *args, size_t count);

/* Returns the version of utf8proc that is loaded. */
const char *go_rune_library_version(void);

#endif
