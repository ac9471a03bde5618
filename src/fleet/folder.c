/*
 * The output folder of each cluster: it has the cluster's name, and is inside a bucket if the fleet
 * has many clusters (docs/spec/delivery.md 3).
 */
#include "fleet/internal.h"

#include "codec/codec.h"

enum { BUCKET_DIGITS = 2 };

static const char digits[] = "0123456789abcdef";

static void write_bucket(sv cluster, char bucket[BUCKET_DIGITS])
{
	uint8_t digest[32];

	digest_of(DIGEST_SHA256, cluster, digest);
	bucket[0] = digits[digest[0] >> 4];
	bucket[1] = digits[digest[0] & 15];
}

sv fleet_folder(struct arena *arena, sv cluster, bool in_bucket)
{
	char bucket[BUCKET_DIGITS];

	if (!in_bucket)
		return cluster;
	write_bucket(cluster, bucket);
	return ARENA_CONCAT(arena, sv_from(bucket, BUCKET_DIGITS), SV("/"), cluster);
}

static bool is_digit(char c)
{
	return c != '\0' && strchr(digits, c) != NULL;
}

bool fleet_is_bucket(sv name)
{
	return name.len == BUCKET_DIGITS && is_digit(name.ptr[0]) && is_digit(name.ptr[1]);
}

sv fleet_folder_of(sv path)
{
	char bucket[BUCKET_DIGITS];
	sv first;
	sv rest;
	sv second;
	sv inside;

	if (!sv_cut(path, SV("/"), &first, &rest))
		return SV("");
	if (!fleet_is_bucket(first) || !sv_cut(rest, SV("/"), &second, &inside))
		return first;
	write_bucket(second, bucket);
	return sv_eq(first, sv_from(bucket, BUCKET_DIGITS))
	           ? sv_slice(path, 0, first.len + 1 + second.len)
	           : first;
}

bool fleet_takes_buckets(size_t clusters, size_t bound, bool before)
{
	if (bound == 0)
		return false;
	return clusters > bound || (before && clusters >= bound / 2 + bound % 2);
}

void fleet_place_clusters(struct arena *arena, const struct fleet_draft *draft,
                          const struct fleet_options *options, struct fleet *fleet)
{
	const struct value *given = value_map_get(draft->delivery, SV("maxClusters"));
	size_t bound = value_is_null(given) ? FLEET_MAX_CLUSTERS : (size_t)given->integer;
	size_t count = fleet->cluster_count;
	bool in_buckets = fleet_takes_buckets(count, bound, false);

	/* Read the previous output only if the number of clusters does not decide. */
	if (!in_buckets && options->was_in_buckets && fleet_takes_buckets(count, bound, true))
		in_buckets = options->was_in_buckets(options->was_in_buckets_context);
	fleet->in_buckets = in_buckets;
	for (size_t i = 0; i < count; i++)
		fleet->clusters[i].folder =
		    fleet_folder(arena, fleet->clusters[i].name, in_buckets);
}
