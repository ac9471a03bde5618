/*
 * Units and machines of each cluster by class: a table with a row for each cluster that changes.
 */
#include "report/render.h"

enum { CLUSTERS_IN_ROW = 5 };

const enum report_class render_by_weight[RENDER_CLASSES] = {
    REPORT_CLASS_REMOVE,    REPORT_CLASS_SCALE,    REPORT_CLASS_ADD,
    REPORT_CLASS_ROLL,      REPORT_CLASS_IN_PLACE, REPORT_CLASS_UNKNOWN,
    REPORT_CLASS_NEW_NODES, REPORT_CLASS_METADATA, REPORT_CLASS_NONE,
};

bool render_has_classes(const struct report_summary *summary)
{
	switch (summary->outcome) {
	case REPORT_VALID:
	case REPORT_FAILED:
		return false;
	case REPORT_COMMITTED:
	case REPORT_WRITTEN:
	case REPORT_NOTHING:
	case REPORT_DIFFERS:
		return true;
	}
	BUG("outcome");
}

static void count_in(struct report_count *count, const struct report_unit *row)
{
	int64_t machines = render_row_machines(row);

	count->units++;
	if (machines == REPORT_REPLICAS_UNKNOWN)
		count->unknown = true;
	else
		count->machines += (size_t)machines;
}

struct report_count report_count_class(const struct report_summary *summary,
                                       enum report_class class)
{
	struct report_count count = {0};

	VEC_EACH (row, &summary->units)
		if (row->class == class)
			count_in(&count, row);
	return count;
}

struct render_matrix render_matrix_of(struct arena *arena, const struct report_summary *summary)
{
	struct render_matrix matrix = {0};
	struct map known = map_in(arena);

	VEC_EACH (row, &summary->units) {
		struct render_cluster *cluster = map_get(&known, row->cluster);

		if (!cluster) {
			cluster = ARENA_NEW(arena, struct render_cluster);
			*cluster = (struct render_cluster){.name = row->cluster};
			map_put(&known, row->cluster, cluster);
			VEC_PUSH(arena, &matrix.clusters, cluster);
		}
		count_in(&cluster->classes[row->class], row);
		count_in(&matrix.all.classes[row->class], row);
		if (row->class != REPORT_CLASS_NONE && !cluster->changes) {
			cluster->changes = true;
			matrix.changed_count++;
		}
	}
	matrix.all.name = SV("all clusters");
	return matrix;
}

sv render_matrix_cell(struct arena *arena, const struct report_count *count)
{
	struct buf buf = buf_in(arena);

	if (count->units == 0)
		return SV("");
	render_number(&buf, count->units);
	if (count->machines > 0 || !count->unknown) {
		BUF_ADD_LIT(&buf, " (");
		render_number(&buf, count->machines);
		buf_add(&buf, count->unknown ? SV("+)") : SV(")"));
	}
	return buf_sv(&buf);
}

size_t render_matrix_columns(const struct render_matrix *matrix,
                             enum report_class columns[RENDER_CLASSES])
{
	size_t count = 0;

	for (size_t i = 0; i < RENDER_CLASSES; i++)
		if (render_by_weight[i] != REPORT_CLASS_NONE &&
		    matrix->all.classes[render_by_weight[i]].units > 0)
			columns[count++] = render_by_weight[i];
	return count;
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Returns what clusters with equal cells have in common, and no others. */
static sv cells_key(struct arena *arena, const struct render_cluster *cluster)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < RENDER_CLASSES; i++) {
		const struct report_count *count = &cluster->classes[i];

		if ((enum report_class)i != REPORT_CLASS_NONE)
			buf_printf(&buf, "%zu %zu %d;", count->units, count->machines,
			           (int)count->unknown);
	}
	return buf_sv(&buf);
}

/* Units that come or go matter most, and are often in a cluster that changes in nothing else. */
static unsigned weight_of(const struct render_cluster *cluster)
{
	return (cluster->classes[REPORT_CLASS_REMOVE].units > 0 ? 4u : 0u) +
	       (cluster->classes[REPORT_CLASS_SCALE].units > 0 ? 2u : 0u) +
	       (cluster->classes[REPORT_CLASS_ADD].units > 0 ? 1u : 0u);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct render_row *left = a;
	const struct render_row *right = b;
	unsigned left_weight = weight_of(left->cells);
	unsigned right_weight = weight_of(right->cells);

	(void)context;
	return (left_weight < right_weight) - (left_weight > right_weight);
}

/*
 * Appends the cluster to a row with the same cells, if there is one; else adds a row. `known` has
 * the row's index by cells_key.
 */
static void add_to_rows(struct arena *arena, const struct render_cluster *cluster,
                        struct map *known, struct render_rows *rows)
{
	sv key = cells_key(arena, cluster);
	size_t *index = map_get(known, key);

	if (!index) {
		index = ARENA_NEW(arena, size_t);
		*index = rows->rows.count;
		map_put(known, key, index);
		VEC_PUSH(arena, &rows->rows,
		         ((struct render_row){
		             .name = cluster->name, .cells = cluster, .cluster_count = 1}));
		return;
	}
	BUG_ON(*index >= rows->rows.count);
	struct render_row *row = &rows->rows.items[*index];
	if (++row->cluster_count <= CLUSTERS_IN_ROW)
		row->name = ARENA_CONCAT(arena, row->name, SV(", "), cluster->name);
}

struct render_rows render_matrix_rows(struct arena *arena, const struct render_matrix *matrix,
                                      size_t rows_max)
{
	struct render_rows rows = {0};
	struct map known = map_in(arena);

	VEC_EACH (cluster, &matrix->clusters)
		if ((*cluster)->changes)
			add_to_rows(arena, *cluster, &known, &rows);
	if (rows.rows.count > 0)
		sort_stable(rows.rows.items, rows.rows.count, sizeof(*rows.rows.items),
		            compare_rows, NULL);
	for (size_t i = rows_max; i < rows.rows.count; i++)
		rows.left_out += rows.rows.items[i].cluster_count;
	if (rows.rows.count > rows_max)
		rows.rows.count = rows_max;
	VEC_EACH (row, &rows.rows) {
		if (row->cluster_count > CLUSTERS_IN_ROW)
			row->name = arena_printf(arena, "%zu clusters such as %.*s",
			                         row->cluster_count, SV_ARG(row->cells->name));
		if (row->cluster_count > 1)
			row->name = ARENA_CONCAT(arena, row->name, SV(": each"));
	}
	return rows;
}

/* ---- text -------------------------------------------------------------------------------- */

static void set_cells(struct arena *arena, sv *texts, sv name, const struct render_cluster *cluster,
                      const enum report_class *columns, size_t count)
{
	texts[0] = name;
	for (size_t i = 0; i < count; i++)
		texts[i + 1] = render_matrix_cell(arena, &cluster->classes[columns[i]]);
}

struct render_lines render_matrix_lines(struct arena *arena, const struct render_matrix *matrix,
                                        size_t rows_max, size_t *ret_left_out)
{
	enum report_class columns[RENDER_CLASSES];
	const char *titles[RENDER_CLASSES + 1] = {"cluster"};
	size_t width = render_matrix_columns(matrix, columns) + 1;
	struct render_rows rows = render_matrix_rows(arena, matrix, rows_max);
	sv *texts = ARENA_ARRAY(arena, sv, (rows.rows.count + 1) * width);
	size_t at = 0;

	for (size_t i = 1; i < width; i++)
		titles[i] = report_class_word(columns[i - 1]).ptr;
	VEC_EACH (row, &rows.rows)
		set_cells(arena, texts + at++ * width, row->name, row->cells, columns, width - 1);
	set_cells(arena, texts + at++ * width, matrix->all.name, &matrix->all, columns, width - 1);
	*ret_left_out = rows.left_out;
	return render_table_lines(arena, titles, width, texts, at);
}
