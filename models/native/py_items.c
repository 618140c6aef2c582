#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "arrange.h"
#include "merge.h"
#include "py_strings.h"

static void close_merger(PyObject *capsule)
{
    Merger *merger = PyCapsule_GetPointer(capsule, MERGER);
    if (merger)
        merger_free(merger);
    let_go(capsule);
}

/* Each may be a call inside of another: eight times what is shipped, and little of a thread's stack. */
#define MOST_STEPS 4096

/* Whether a program's steps stay within it. */
static int is_sound(const Program *program)
{
    if (program->n_steps > MOST_STEPS)
        return 0;
    for (int64_t s = 0; s < program->n_steps; s++) {
        const Step *step = program->steps + s;
        int last = s + 1 == program->n_steps;
        if (step->op < OP_MATCH || step->op > OP_LOOK || (last && step->op != OP_MATCH))
            return 0;
        if (step->op == OP_SET && (step->a < 0 || step->a >= program->n_sets))
            return 0;
        /* Only forward, so that every program ends. */
        if ((step->op == OP_SPLIT || step->op == OP_JUMP) && (step->a <= s || step->a >= program->n_steps))
            return 0;
        if (step->op == OP_SPLIT && (step->b <= s || step->b >= program->n_steps))
            return 0;
        if (step->op == OP_LOOK && (step->a < 0 || step->a > 8 || step->b < 0 || step->b > 1 ||
                                    step->c <= s || step->c >= program->n_steps))
            return 0;
    }
    for (int64_t e = 0; e < program->n_entries; e++)
        if (program->entries[e] < 0 || program->entries[e] >= program->n_steps)
            return 0;
    return 1;
}

/* (steps int32 [step, 4], sets uint64 [set, 2], entries int32, firsts and required uint64 [entry, 2]),
   as models/text/join_patterns.py makes them. */
static int take_program(PyObject *object, Program *program)
{
    enum { STEPS, SETS, ENTRIES, FIRSTS, REQUIRED, COUNT };
    static const char *names[] = {"steps", "sets", "entries", "firsts", "required"};
    static const Py_ssize_t sizes[] = {16, 16, 4, 16, 16};
    PyObject *o[COUNT];
    Py_buffer views[COUNT] = {{0}};
    int result = -1;
    _Static_assert(sizeof(Step) == 16, "Python knows its layout");
    if (!is_tuple(object, "program") ||
        !PyArg_ParseTuple(object, "OOOOO", &o[0], &o[1], &o[2], &o[3], &o[4]))
        return -1;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    program->n_steps = views[STEPS].len / 16;
    program->n_sets = views[SETS].len / 16;
    program->n_entries = views[ENTRIES].len / 4;
    program->steps = copied(&views[STEPS]);
    program->sets = copied(&views[SETS]);
    program->entries = copied(&views[ENTRIES]);
    program->firsts = copied(&views[FIRSTS]);
    program->required = copied(&views[REQUIRED]);
    if (!program->steps || !program->sets || !program->entries || !program->firsts ||
        !program->required) {
        PyErr_NoMemory();
        goto done;
    }
    if (views[FIRSTS].len / 16 != program->n_entries || views[REQUIRED].len / 16 != program->n_entries ||
        !is_sound(program))
        PyErr_SetString(PyExc_ValueError, "a program does not fit together");
    else
        result = 0;
done:
    release(views, COUNT);
    return result;
}

/* Whether the categories of words and numbers are characters of ASCII, of which sets have bits. */
static int are_categories(const Merger *merger)
{
    const Table *tables[] = {&merger->folded, &merger->raw};
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; k < tables[i]->count; k++)
            if (tables[i]->entries[k].number < 1 || tables[i]->entries[k].number > 127)
                return 0;
    for (size_t i = 0; i < sizeof merger->digits; i++)
        if ((unsigned char)merger->digits[i] > 127)
            return 0;
    return 1;
}

const char open_merger_doc[] = PyDoc_STR(
"open_merger(characters, fold, folded, raw, digits, joins, kinds)\n--\n\n"
"What makes the items of the layer \"merged\".\n\n"
"Args:\n"
"    characters: of `open_characters`.\n"
"    fold: a map, of case-folding.\n"
"    folded, raw: tables of the categories of words, case-folded and as they are: 1 to 127.\n"
"    digits: bytes, the categories of numbers of 0 to 9 digits; NUL for none of its own.\n"
"    joins, kinds: programs; see `models.text.join_patterns`.\n\n"
"Raises:\n"
"    ValueError: if something does not fit together.\n");

PyObject *py_open_merger(PyObject *self, PyObject *args)
{
    PyObject *characters, *fold, *folded, *raw, *joins, *kinds;
    const char *digits;
    Py_ssize_t n_digits;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOy#OO", &characters, &fold, &folded, &raw, &digits, &n_digits,
                          &joins, &kinds))
        return NULL;
    Merger *merger = calloc(1, sizeof *merger);
    if (!merger)
        return PyErr_NoMemory();
    merger->known = PyCapsule_GetPointer(characters, CHARACTERS);
    PyObject *result = NULL;
    if (!merger->known || take_map(fold, &merger->fold) < 0 || take_table(folded, &merger->folded) < 0 ||
        take_table(raw, &merger->raw) < 0 || take_program(joins, &merger->joins) < 0 ||
        take_program(kinds, &merger->kinds) < 0)
        goto done;
    if (n_digits != sizeof merger->digits) {
        PyErr_SetString(PyExc_ValueError, "open_merger: digits must be ten");
        goto done;
    }
    memcpy(merger->digits, digits, sizeof merger->digits);
    if (!are_categories(merger)) {
        PyErr_SetString(PyExc_ValueError, "open_merger: a category is no character of ASCII");
        goto done;
    }
    result = new_holding(merger, MERGER, close_merger, PyTuple_Pack(1, characters));
done:
    if (!result)
        merger_free(merger);
    return result;
}

/* Whether the tokens of each text that is not NULL lie in it, in order. */
static int are_tokens(const int64_t *token_offsets, const int64_t *starts, const int64_t *ends,
                      const int64_t *text_offsets, const uint8_t *alive, int64_t texts)
{
    for (int64_t d = 0; d < texts; d++) {
        int64_t before = 0, size = text_offsets[d + 1] - text_offsets[d];
        for (int64_t t = token_offsets[d]; alive[d] && t < token_offsets[d + 1]; t++) {
            if (starts[t] < before || ends[t] <= starts[t] || ends[t] > size)
                return 0;
            before = ends[t];
        }
    }
    return 1;
}

const char merge_doc[] = PyDoc_STR(
"merge(merger, codes, text_offsets, alive, token_offsets, starts, ends, starts_line)\n--\n\n"
"The items of the layer \"merged\".\n\n"
"Args:\n"
"    merger: of `open_merger`.\n"
"    codes: uint32, the code points of all texts.\n"
"    text_offsets: int64, row pointers into `codes`.\n"
"    alive: flags; a text of which it is false gets no items.\n"
"    token_offsets: int64, row pointers of texts into tokens.\n"
"    starts, ends: int64, of the fine tokens.\n"
"    starts_line: flags, of the fine tokens.\n\n"
"Returns:\n"
"    three columns of int64 as bytes: row pointers of texts into items, starts, ends.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_merge(PyObject *self, PyObject *args)
{
    enum { CODES, TEXTS, ALIVE, TOKENS, STARTS, ENDS, LINES, COUNT };
    static const char *names[] = {"codes", "text_offsets", "alive", "token_offsets", "starts", "ends",
                                  "starts_line"};
    static const Py_ssize_t sizes[] = {4, 8, 1, 8, 8, 8, 1};
    PyObject *capsule, *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOO", &capsule, &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6]))
        return NULL;
    const Merger *merger = PyCapsule_GetPointer(capsule, MERGER);
    if (!merger)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Items items = {0};
    Desk desk = {0};
    int64_t *offsets = NULL;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const uint32_t *codes = views[CODES].buf;
    const int64_t *text_offsets = views[TEXTS].buf, *token_offsets = views[TOKENS].buf;
    const int64_t *starts = views[STARTS].buf, *ends = views[ENDS].buf;
    const uint8_t *line = views[LINES].buf, *alive = views[ALIVE].buf;
    int64_t texts = views[ALIVE].len, tokens = views[STARTS].len / 8;
    if (views[TEXTS].len / 8 != texts + 1 || views[TOKENS].len / 8 != texts + 1 ||
        views[ENDS].len / 8 != tokens || views[LINES].len != tokens ||
        !are_offsets(text_offsets, texts + 1, views[CODES].len / 4) ||
        !are_offsets(token_offsets, texts + 1, tokens) ||
        !are_tokens(token_offsets, starts, ends, text_offsets, alive, texts) || !are_codes(&views[CODES])) {
        PyErr_SetString(PyExc_ValueError, "merge: the arrays do not fit together");
        goto done;
    }
    offsets = malloc((size_t)(texts + 1) * sizeof *offsets);
    if (!offsets) {
        PyErr_NoMemory();
        goto done;
    }
    offsets[0] = 0;
    int lacking = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t d = 0; d < texts && !lacking; d++) {
        int64_t first = token_offsets[d], count = token_offsets[d + 1] - first;
        if (alive[d] && count)
            lacking = merge_text(merger, codes + text_offsets[d], starts + first, ends + first,
                                 line + first, count, &desk, &items) < 0;
        offsets[d + 1] = items.count;
    }
    Py_END_ALLOW_THREADS
    if (lacking)
        PyErr_NoMemory();
    else
        result = Py_BuildValue("(y#y#y#)", offsets, (Py_ssize_t)(texts + 1) * 8,
                               items.starts ? (char *)items.starts : "", (Py_ssize_t)items.count * 8,
                               items.ends ? (char *)items.ends : "", (Py_ssize_t)items.count * 8);
done:
    free(offsets);
    items_free(&items);
    desk_free(&desk);
    release(views, COUNT);
    return result;
}

const char arrange_doc[] = PyDoc_STR(
"arrange(token_offsets, token_starts, marks, item_offsets, starts, ends, most, anchors,\n"
"        sequence_offsets, document_offsets)\n--\n\n"
"Cuts items into sequences, and finds the fine token of each.\n\n"
"Args:\n"
"    token_offsets: int64, row pointers of documents into tokens.\n"
"    token_starts: int64.\n"
"    marks: flags of the tokens; with the first item that ends behind a marked one's start begins a\n"
"        sequence.\n"
"    item_offsets: int64, row pointers of documents into items.\n"
"    starts, ends: int64, of the items.\n"
"    most: items of a sequence; longer ones are cut.\n"
"    anchors: int64, written: the token that each item begins at or in or behind, -1 for none.\n"
"    sequence_offsets: int64, one more than items, written: row pointers of sequences into items.\n"
"    document_offsets: int64, one more than documents, written: row pointers into sequences.\n\n"
"Returns:\n"
"    int: how many sequences there are.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_arrange(PyObject *self, PyObject *args)
{
    enum { TOKENS, TOKEN_STARTS, MARKS, ITEMS, STARTS, ENDS, ANCHORS, SEQUENCES, DOCUMENTS, COUNT };
    static const char *names[] = {"token_offsets", "token_starts", "marks", "item_offsets", "starts",
                                  "ends", "anchors", "sequence_offsets", "document_offsets"};
    static const Py_ssize_t sizes[] = {8, 8, 1, 8, 8, 8, 8, 8, 8};
    PyObject *o[COUNT], *result = NULL;
    long long most;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOLOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &most, &o[6],
                          &o[7], &o[8]))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    if (take_all(o, views, sizes, names, COUNT, 3) < 0)
        goto done;
    Layout layout = {
        .documents = views[TOKENS].len / 8 - 1,
        .token_offsets = views[TOKENS].buf,
        .token_starts = views[TOKEN_STARTS].buf,
        .marks = views[MARKS].buf,
        .item_offsets = views[ITEMS].buf,
        .starts = views[STARTS].buf,
        .ends = views[ENDS].buf,
    };
    int64_t documents = layout.documents, tokens = views[MARKS].len, items = views[STARTS].len / 8;
    if (views[TOKEN_STARTS].len / 8 != tokens || views[ITEMS].len / 8 != documents + 1 ||
        views[ENDS].len / 8 != items || views[ANCHORS].len / 8 != items || most < 1 ||
        views[SEQUENCES].len / 8 != items + 1 || views[DOCUMENTS].len / 8 != documents + 1 ||
        !is_apart(&views[ANCHORS], views, COUNT) || !is_apart(&views[SEQUENCES], views, COUNT) ||
        !is_apart(&views[DOCUMENTS], views, COUNT) ||
        !are_offsets(layout.token_offsets, documents + 1, tokens) ||
        !are_offsets(layout.item_offsets, documents + 1, items)) {
        PyErr_SetString(PyExc_ValueError, "arrange: the arrays do not fit together");
        goto done;
    }
    result = PyLong_FromLongLong(
        arrange(&layout, most, views[ANCHORS].buf, views[SEQUENCES].buf, views[DOCUMENTS].buf));
done:
    release(views, COUNT);
    return result;
}
