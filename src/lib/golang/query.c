/*
 * url.Values: the query of a URL.
 */
#include "golang/golang.h"

/* Go refuses longer queries since 1.26. */
#define QUERY_MAX_PARAMETERS 10000

struct url_query go_url_query_parse(struct arena *arena, sv raw_query, sv *ret_error)
{
	struct url_query query = {0};
	struct sv_splitter it = sv_split(raw_query, '&');
	sv first_error = {0};
	size_t count = 1;
	sv part;

	for (size_t i = 0; i < raw_query.len; i++)
		count += raw_query.ptr[i] == '&';
	if (count > QUERY_MAX_PARAMETERS) {
		if (ret_error)
			*ret_error = SV("number of URL query parameters exceeded limit");
		return query;
	}
	while (sv_split_next(&it, &part)) {
		struct url_parameter parameter = {0};
		sv error = {0};

		if (part.len == 0)
			continue;
		if (sv_find_char(part, ';') != SV_NPOS) {
			/* COMPAT: this mistake replaces an earlier one. */
			first_error = SV("invalid semicolon separator in query");
			continue;
		}
		sv_cut(part, SV("="), &parameter.key, &parameter.value);
		if (go_url_query_unescape(arena, parameter.key, &parameter.key, &error) &&
		    go_url_query_unescape(arena, parameter.value, &parameter.value, &error))
			VEC_PUSH(arena, &query, parameter);
		else if (first_error.len == 0)
			first_error = error;
	}
	if (ret_error)
		*ret_error = first_error;
	return query;
}

const struct url_parameter *go_url_query_get(const struct url_query *query, sv key)
{
	VEC_EACH (parameter, query)
		if (sv_eq(parameter->key, key))
			return parameter;
	return NULL;
}

void go_url_query_delete(struct url_query *query, sv key)
{
	size_t kept = 0;

	for (size_t i = 0; i < query->count; i++)
		if (!sv_eq(query->items[i].key, key))
			query->items[kept++] = query->items[i];
	query->count = kept;
}

sv go_url_query_encode(struct arena *arena, const struct url_query *query)
{
	struct url_parameter *sorted = ARENA_ARRAY(arena, struct url_parameter, query->count);
	struct buf buf = buf_in(arena);

	if (query->count > 0)
		memcpy(sorted, query->items, query->count * sizeof(*sorted));
	sort_stable(sorted, query->count, sizeof(*sorted), sort_compare_sv, NULL);
	for (size_t i = 0; i < query->count; i++) {
		if (i > 0)
			buf_add_char(&buf, '&');
		buf_add(&buf, go_url_query_escape(arena, sorted[i].key));
		buf_add_char(&buf, '=');
		buf_add(&buf, go_url_query_escape(arena, sorted[i].value));
	}
	return buf_sv(&buf);
}
