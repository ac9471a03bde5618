/*
 * The controller's two passes (docs/spec/templates.md 1). Each template is rendered by itself; its
 * output is wrapped into a define and parsed into the set of each file. That second parse is
 * skipped if the output has no "{{": the body of the definition is then the output.
 */
#include "golang/golang.h"
#include "tmpl/set.h"

struct tmpl_profile {
	const struct tmpl_funcs *funcs;
	struct tmpl_set **templates; /* in the order of their names */
	size_t template_count;
	struct tmpl_set **files;
	size_t file_count;
};

/* State of parsing all templates and files of a profile, also after a failure. */
struct compilation {
	struct arena *arena;
	struct sink *sink;
	const struct tmpl_funcs *funcs;
	struct budget budget;
	struct tmpl_error first;
	bool failed;
};

/* The controller's error message has `before` before the source's name and `behind` after it. */
static struct tmpl_set *parse_one(struct compilation *c, const struct tmpl_source *source,
                                  sv before, sv behind)
{
	struct tmpl_set *set = ARENA_NEW(c->arena, struct tmpl_set);
	const struct set_parse_request request = {
	    .funcs = c->funcs,
	    .source = source,
	    .prefix = ARENA_CONCAT(c->arena, before, source->name, behind),
	};
	struct parse_tree_vec parsed = {0};
	struct tmpl_error error;

	set->name = source->name;
	set->funcs = c->funcs;
	if (set_parse(c->arena, c->sink, &request, &c->budget, &parsed, &error) != STATUS_OK) {
		if (!c->failed)
			c->first = error;
		c->failed = true;
	}
	set_install(c->arena, &set->trees, NULL, &parsed);
	return set;
}

enum status tmpl_profile_parse(struct arena *arena, struct sink *sink,
                               const struct tmpl_funcs *funcs,
                               const struct tmpl_profile_texts *texts,
                               struct tmpl_profile **ret_profile, struct tmpl_error *ret_error)
{
	const struct tmpl_sources *templates = &texts->templates;
	const struct tmpl_sources *files = &texts->files;
	struct compilation c = {
	    .arena = arena, .sink = sink, .funcs = funcs, .budget = budget_of_parsing(arena)};
	struct tmpl_profile *profile = ARENA_NEW(arena, struct tmpl_profile);
	const struct tmpl_source **sorted =
	    ARENA_ARRAY(arena, const struct tmpl_source *, templates->count);

	for (size_t i = 0; i < templates->count; i++)
		sorted[i] = &templates->items[i];
	SORT_POINTERS_BY(sorted, templates->count, name);
	profile->funcs = funcs;
	profile->templates = ARENA_ARRAY(arena, struct tmpl_set *, templates->count);
	profile->template_count = templates->count;
	profile->files = ARENA_ARRAY(arena, struct tmpl_set *, files->count);
	profile->file_count = files->count;
	for (size_t i = 0; i < templates->count; i++)
		profile->templates[i] = parse_one(
		    &c, sorted[i],
		    SV("failed to add OSP templates: failed to parse OSP template ["), SV("]: "));
	for (size_t i = 0; i < files->count; i++)
		profile->files[i] = parse_one(
		    &c, &files->items[i],
		    SV("failed to populate OSP file template: failed to parse OSP file ["),
		    SV("] template: "));
	if (c.failed) {
		if (ret_error)
			*ret_error = c.first;
		return STATUS_FAILED;
	}
	*ret_profile = profile;
	return STATUS_OK;
}

/* ---- rendering --------------------------------------------------------------------------- */

/* One rendered template: its definition as a tree, or the source to parse for it. */
struct definition {
	sv name;
	struct value wrapped;
	size_t start; /* of the rendered text in wrapped */
	size_t end;
	struct parse_tree *tree; /* if it is null, `wrapped` must be parsed */
};

/* Returns true if the name needs no escapes in a string literal. */
static bool is_plain_name(sv name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] == '"' || name.ptr[i] == '\\' || name.ptr[i] == '\n')
			return false;
	return utf8_valid(name);
}

/*
 * The tree of "\n{{- define "NAME" }}\n" R "\n{{- end }}": a line feed and R, without the trailing
 * white space that the trim marker eats.
 */
static struct parse_tree *plain_definition(struct arena *arena, sv name,
                                           const struct value *wrapped, size_t body_start,
                                           size_t body_end)
{
	struct parse_tree *tree = ARENA_NEW(arena, struct parse_tree);
	struct value *source = ARENA_NEW(arena, struct value);
	sv text = sv_slice(wrapped->string, body_start, body_end);

	*source = *wrapped;
	text = sv_trim_right(text, " \t\r\n");
	tree->name = name;
	tree->parse_name = name;
	tree->source = source;
	tree->root = ARENA_NEW(arena, struct list_node);
	tree->is_empty = go_trim_space(text).len == 0;
	if (text.len > 0 || taint_derived_from(wrapped->taint)) {
		struct text_node *node = ARENA_NEW(arena, struct text_node);
		node->node.kind = PARSE_NODE_TEXT;
		node->node.pos = (uint32_t)body_start;
		node->text = text;
		node->taint = taint_slice(arena, wrapped->taint, body_start, body_start + text.len);
		VEC_PUSH(arena, &tree->root->nodes, &node->node);
	}
	return tree;
}

/* ---- all that is wrong ------------------------------------------------------------------- */

/* A template that fails does not stop the others: users see all failures at once. */
struct attempt {
	struct arena *arena;
	struct sink *sink;
	const struct tmpl_profile *profile;
	const struct value *data;
	const struct tmpl_options *options;
	struct budget budget; /* of the whole call, whatever the number of templates and files */
	struct tmpl_error first;
	bool failed;
	bool lacks_definitions;
	bool over_limit; /* a limit is used up: no more templates are tried */
	bool by_secret;  /* the set of failures would reveal a secret */
};

static void add_failure(struct attempt *a, const struct tmpl_error *error)
{
	if (!a->failed)
		a->first = *error;
	a->failed = true;
	a->over_limit |= error->failure == TMPL_LIMIT || error->failure == TMPL_SECRET;
	a->by_secret |= error->failure == TMPL_SECRET;
}

/* In the place of a definition that failed: what calls it can be tried all the same. */
static void leave_empty(struct attempt *a, struct definition *definition)
{
	const struct value empty = value_string(SV(""));

	definition->tree = plain_definition(a->arena, definition->name, &empty, 0, 0);
	a->lacks_definitions = true;
}

static enum status render_definition(struct attempt *a, const struct tmpl_set *set,
                                     struct definition *definition, struct tmpl_error *ret_error)
{
	const struct set_execute_request request = {
	    .set = set,
	    .data = a->data,
	    .options = a->options,
	    .prefix = SV("failed to add OSP templates: "),
	};
	struct text text = text_in(a->arena);

	definition->name = set->name;
	TEXT_ADD_LIT(&text, "\n{{- define \"");
	text_add(&text, set->name);
	TEXT_ADD_LIT(&text, "\" }}");
	size_t body_start = text.buf.len;
	TEXT_ADD_LIT(&text, "\n");
	size_t start = text.buf.len;
	TRY(set_execute(a->arena, a->sink, &request, &a->budget, &text, ret_error));
	size_t body_end = text.buf.len;
	bool plain = is_plain_name(set->name) &&
	             sv_find(sv_slice(text_sv(&text), start, body_end), SV("{{")) == SV_NPOS;
	TEXT_ADD_LIT(&text, "\n{{- end }}");
	definition->wrapped = text_value(a->arena, &text);
	definition->start = start;
	definition->end = body_end;
	if (plain)
		definition->tree = plain_definition(a->arena, set->name, &definition->wrapped,
		                                    body_start, body_end);
	return STATUS_OK;
}

static void render_definitions(struct attempt *a, struct definition *definitions)
{
	struct tmpl_error error;

	for (size_t i = 0; i < a->profile->template_count && !a->over_limit; i++) {
		if (render_definition(a, a->profile->templates[i], &definitions[i], &error) ==
		    STATUS_OK)
			continue;
		add_failure(a, &error);
		leave_empty(a, &definitions[i]);
	}
}

/* The definition whose text this is, or null. */
static const struct definition *definition_of(const struct attempt *a,
                                              const struct definition *definitions,
                                              const struct value *text)
{
	for (size_t i = 0; i < a->profile->template_count; i++) {
		const struct parse_tree *tree = definitions[i].tree;

		if (text == &definitions[i].wrapped || (tree && text == tree->source))
			return &definitions[i];
	}
	return NULL;
}

/* Returns where the template wrote byte `offset` of its definition's text. */
static struct position trace_definition(struct attempt *a, const struct tmpl_set *template,
                                        const struct definition *definition, size_t offset)
{
	size_t end = definition->end - 1;

	if (definition->start >= definition->end || offset < definition->start)
		return NOWHERE;
	return set_trace(a->arena, template, a->data, a->options,
	                 (offset < end ? offset : end) - definition->start);
}

/*
 * Moves a failure of the second parse, whose source is in no file, to the template that rendered
 * that source.
 */
static void name_template(struct attempt *a, const struct definition *definitions,
                          const struct tmpl_error *error, struct diag *diag)
{
	for (size_t i = 0; i < a->profile->template_count; i++) {
		const struct definition *definition = &definitions[i];
		const struct tmpl_set *template = a->profile->templates[i];

		if (error->in != &definition->wrapped || template->trees.count == 0)
			continue;
		struct position at = trace_definition(a, template, definition, error->offset);
		diag->at =
		    at.source ? at : value_text_position(template->trees.items[0]->source, 0);
		diag_add_note(
		    a->sink, diag, NOWHERE,
		    "what the template \"%.*s\" gave is parsed and run once more; the line "
		    "in the message counts there",
		    SV_ARG(template->name));
	}
}

/*
 * Fails if a definition that is derived from a secret has the name of another one. A blank
 * definition does not replace another, so the one that is called would reveal if the secret one is
 * blank.
 */
static void check_hidden(struct attempt *a, const struct tmpl_set *file,
                         const struct parse_tree_vec *overlay, const struct definition *definition)
{
	const struct secret *secret = taint_derived_from(definition->wrapped.taint);
	struct tmpl_error error = {.failure = TMPL_DECIDES};

	if (!secret || (!parse_tree_vec_find(overlay, definition->name) &&
	                !parse_tree_vec_find(&file->trees, definition->name)))
		return;
	error.text = arena_printf(
	    a->arena,
	    "the template \"%.*s\" is made of the secret %.*s, and another one has its name",
	    SV_ARG(definition->name), SV_ARG(secret->name));
	struct diag *diag = diag_report(
	    a->sink, DIAG_TEMPLATE_DECIDES,
	    file->trees.count > 0 ? value_text_position(file->trees.items[0]->source, 0) : NOWHERE,
	    "%.*s", SV_ARG(error.text));
	diag_set_help(a->sink, diag, "give one of them another name");
	add_failure(a, &error);
}

/*
 * The definitions as seen from one file: its own name is what errors in them are reported under,
 * those of the first file for all.
 */
static void overlay_for(struct attempt *a, const struct tmpl_set *file,
                        struct definition *definitions, struct parse_tree_vec *overlay)
{
	for (size_t i = 0; i < a->profile->template_count && !a->over_limit; i++) {
		struct definition *definition = &definitions[i];
		struct parse_tree_vec parsed = {0};
		struct tmpl_error error;

		if (!definition->tree) {
			struct tmpl_source source = {file->name, &definition->wrapped};
			const struct set_parse_request request = {
			    .funcs = a->profile->funcs,
			    .source = &source,
			    .prefix = SV("failed to populate OSP file template: "),
			};
			size_t reported = a->sink->diags.count;

			if (set_parse(a->arena, a->sink, &request, &a->budget, &parsed, &error) !=
			    STATUS_OK) {
				add_failure(a, &error);
				if (a->sink->diags.count > reported)
					name_template(a, definitions, &error,
					              a->sink->diags.items[reported]);
				leave_empty(a, definition);
			}
		}
		if (definition->tree)
			parsed = (struct parse_tree_vec){
			    .items = &definition->tree, .count = 1, .cap = 1};
		check_hidden(a, file, overlay, definition);
		set_install(a->arena, overlay, &file->trees, &parsed);
	}
}

static void render_file(struct attempt *a, const struct tmpl_set *file,
                        struct definition *definitions, struct tmpl_rendered *ret_file)
{
	struct sink sink = *a->sink;
	struct parse_tree_vec overlay = {0};
	const struct set_execute_request request = {
	    .set = file,
	    .overlay = &overlay,
	    .data = a->data,
	    .options = a->options,
	    .prefix = SV("failed to populate OSP file template: "),
	};
	struct text out = text_in(a->arena);
	struct tmpl_error error;

	memset(&sink.diags, 0, sizeof(sink.diags));
	overlay_for(a, file, definitions, &overlay);
	if (a->over_limit)
		return;
	if (set_execute(a->arena, &sink, &request, &a->budget, &out, &error) == STATUS_OK)
		*ret_file = (struct tmpl_rendered){file->name, text_value(a->arena, &out)};
	/* A template may be missing because the one that would have defined it failed. */
	else if (!a->lacks_definitions || !error.lacks_template) {
		add_failure(a, &error);
		if (sink.diags.count > 0)
			name_template(a, definitions, &error, sink.diags.items[0]);
		sink_merge(a->sink, &sink);
	}
}

enum status tmpl_profile_render(struct arena *arena, struct sink *sink,
                                const struct tmpl_profile *profile, const struct value *data,
                                const struct tmpl_options *options,
                                struct tmpl_rendered **ret_files, struct tmpl_error *ret_error)
{
	struct definition *definitions =
	    ARENA_ARRAY(arena, struct definition, profile->template_count);
	struct tmpl_rendered *files = ARENA_ARRAY(arena, struct tmpl_rendered, profile->file_count);
	const struct tmpl_options defaults = tmpl_options_default();
	struct attempt a = {.arena = arena,
	                    .sink = sink,
	                    .profile = profile,
	                    .data = data,
	                    .options = options ? options : &defaults};
	size_t reported = sink->diags.count;
	a.budget = budget_of(arena, a.options);

	render_definitions(&a, definitions);
	for (size_t i = 0; i < profile->file_count && !a.over_limit; i++)
		render_file(&a, profile->files[i], definitions, &files[i]);
	if (a.by_secret) {
		sink_forget(sink, reported);
		set_report_secret(sink, ret_error);
		return STATUS_FAILED;
	}
	if (a.failed) {
		if (ret_error)
			*ret_error = a.first;
		return STATUS_FAILED;
	}
	*ret_files = files;
	return STATUS_OK;
}

bool tmpl_profile_has_template(const struct tmpl_profile *profile, sv name)
{
	for (size_t i = 0; i < profile->template_count; i++)
		if (sv_eq(profile->templates[i]->name, name))
			return true;
	return false;
}

/* Nesting is bounded by the parser. */
static bool calls_template(const struct parse_node *node, sv name)
{
	if (!node)
		return false;
	switch (node->kind) {
	case PARSE_NODE_LIST: {
		const struct list_node *list = (const struct list_node *)node;

		for (size_t i = 0; i < list->nodes.count; i++)
			if (calls_template(list->nodes.items[i], name))
				return true;
		return false;
	}
	case PARSE_NODE_IF:
	case PARSE_NODE_RANGE:
	case PARSE_NODE_WITH: {
		const struct branch_node *branch = (const struct branch_node *)node;

		return calls_template((const struct parse_node *)branch->list, name) ||
		       calls_template((const struct parse_node *)branch->else_list, name);
	}
	case PARSE_NODE_TEMPLATE:
		return sv_eq(((const struct template_node *)node)->name, name);
	case PARSE_NODE_TEXT:
	case PARSE_NODE_ACTION:
	case PARSE_NODE_BREAK:
	case PARSE_NODE_CONTINUE:
	case PARSE_NODE_END:
	case PARSE_NODE_ELSE:
	case PARSE_NODE_PIPE:
	case PARSE_NODE_COMMAND:
	case PARSE_NODE_IDENTIFIER:
	case PARSE_NODE_VARIABLE:
	case PARSE_NODE_FIELD:
	case PARSE_NODE_CHAIN:
	case PARSE_NODE_DOT:
	case PARSE_NODE_NIL:
	case PARSE_NODE_BOOL:
	case PARSE_NODE_NUMBER:
	case PARSE_NODE_STRING:
		return false;
	}
	BUG("kind of a node");
}

bool tmpl_profile_calls(const struct tmpl_profile *profile, sv name)
{
	for (size_t i = 0; i < profile->file_count; i++) {
		const struct parse_tree_vec *trees = &profile->files[i]->trees;

		for (size_t k = 0; k < trees->count; k++)
			if (calls_template(&trees->items[k]->root->node, name))
				return true;
	}
	return false;
}

struct position tmpl_profile_trace(struct arena *arena, const struct tmpl_profile *profile,
                                   const struct value *data, const struct tmpl_options *options,
                                   size_t file, size_t offset)
{
	struct definition *definitions =
	    ARENA_ARRAY(arena, struct definition, profile->template_count);
	const struct tmpl_options defaults = tmpl_options_default();
	struct sink sink = sink_in(arena);
	struct attempt a = {.arena = arena,
	                    .sink = &sink,
	                    .profile = profile,
	                    .data = data,
	                    .options = options ? options : &defaults};
	struct parse_tree_vec overlay = {0};
	struct exec_trace trace = {.offset = offset};
	const struct set_execute_request request = {
	    .set = profile->files[file],
	    .overlay = &overlay,
	    .data = data,
	    .options = a.options,
	    .trace = &trace,
	};
	struct text out = text_in(arena);

	a.budget = budget_of(arena, a.options);
	render_definitions(&a, definitions);
	overlay_for(&a, profile->files[file], definitions, &overlay);
	if (a.failed || set_execute(arena, &sink, &request, &a.budget, &out, NULL) != STATUS_OK ||
	    !trace.source)
		return NOWHERE;
	const struct definition *definition = definition_of(&a, definitions, trace.source);
	if (!definition)
		return value_text_position(trace.source, trace.at);
	return trace_definition(&a, profile->templates[definition - definitions], definition,
	                        trace.at);
}
