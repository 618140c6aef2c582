#include "wrappers.h"

#include <stdlib.h>

#include "featurize.h"

#define INDEX "scrubline.Index"
/* As in models/features/declaration.py. */
#define MOST_PARTS 8

static void close_index(PyObject *capsule)
{
    Index *index = PyCapsule_GetPointer(capsule, INDEX);
    if (index)
        index_free(index);
}

const char open_index_doc[] = PyDoc_STR(
"open_index(parts, lookups, singles, keys, rows, before_words, after_words, before_items,\n"
"           after_items, before_many, after_many)\n--\n\n"
"What finds the attributes of a model in the values of properties.\n\n"
"Args:\n"
"    parts: int32, [part, 4]: 0 by word, 1 by item or 2 of several values; the column; the offset;\n"
"        the bits of a value in a key.\n"
"    lookups: int64, [lookup, 4]: its first part; how many; where its table starts; of one part the\n"
"        size of the table in `singles`, of several how many rows of `keys` are its own. Features\n"
"        of one part differ in the part or its offset.\n"
"    singles: int32, the attribute of each value, -1 for none.\n"
"    keys: uint64, the values of several parts, each in its bits, the first lowest.\n"
"    rows: int32, the attribute of each key.\n"
"    before_..., after_...: int32, the values of each column beyond the ends of a sequence.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

enum { PARTS, LOOKUPS, SINGLES, KEYS, ROWS, BEYOND, OPENING = BEYOND + 6 };

/* Whether a row of `lookups` names parts and tables that are there. */
static int is_lookup(const Index *index, const int64_t *row, int64_t n_keys)
{
    if (row[0] < 0 || row[1] < 1 || row[1] > MOST_PARTS || row[0] > index->parts - row[1] ||
        row[2] < 0 || row[3] < 0)
        return 0;
    if (row[2] > (row[1] == 1 ? index->n_singles : n_keys) - row[3])
        return 0;
    int bits = 0, many = 0;
    for (int64_t p = row[0]; p < row[0] + row[1]; p++) {
        bits += index->part[p].bits;
        many += index->part[p].where == MANY;
    }
    return (row[1] == 1 || bits <= 63) && many <= 1;
}

static int build_lookups(Index *index, const int64_t *given, int64_t count, const uint64_t *keys,
                         const int32_t *rows, int64_t n_keys)
{
    Lookup *lookups = calloc((size_t)count + 1, sizeof *lookups);
    int result = lookups ? BUILT : LACKING;
    for (int64_t f = 0; f < count && result == BUILT; f++) {
        const int64_t *row = given + 4 * f;
        if (!is_lookup(index, row, n_keys))
            result = UNFIT;
        else
            lookups[f] = (Lookup){(int32_t)row[0], (int32_t)row[1], row[2], row[3]};
    }
    if (result == BUILT)
        result = build_slots(index, lookups, given, count, keys, rows);
    if (result == BUILT)
        result = sort_lookups(index, lookups, count);
    free(lookups);
    return result;
}

PyObject *py_open_index(PyObject *self, PyObject *args)
{
    static const char *names[] = {"parts", "lookups", "singles", "keys", "rows", "before_words",
                                  "after_words", "before_items", "after_items", "before_many",
                                  "after_many"};
    static const Py_ssize_t sizes[] = {16, 32, 4, 8, 4, 4, 4, 4, 4, 4, 4};
    PyObject *o[OPENING], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOO", &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6], &o[7],
                          &o[8], &o[9], &o[10]))
        return NULL;
    _Static_assert(sizeof(Part) == 16, "Python knows its layout");
    Py_buffer views[OPENING] = {{0}};
    Index *index = calloc(1, sizeof *index);
    if (!index)
        return PyErr_NoMemory();
    int bad = 0, lacking = 0;
    if (take_all(o, views, sizes, names, OPENING, 0) < 0)
        goto done;
    index->parts = views[PARTS].len / 16;
    index->n_singles = views[SINGLES].len / 4;
    index->part = copied(&views[PARTS]);
    index->singles = copied(&views[SINGLES]);
    lacking = !index->part || !index->singles;
    for (int kind = 0; kind < 3; kind++) {
        const Py_buffer *before = &views[BEYOND + 2 * kind], *after = before + 1;
        index->width[kind] = (int32_t)(before->len / 4);
        bad |= before->len != after->len || before->len > 4 * 100000;
        index->before[kind] = copied(before);
        index->after[kind] = copied(after);
        lacking |= !index->before[kind] || !index->after[kind];
    }
    bad |= views[KEYS].len / 8 != views[ROWS].len / 4 || index->parts > 100000;
    for (int64_t p = 0; p < index->parts && !lacking && !bad; p++) {
        const Part *part = index->part + p;
        bad = part->where < 0 || part->where > 2 || part->column < 0 || part->bits < 1 ||
              part->bits > 31 || part->offset < -FURTHEST || part->offset > FURTHEST ||
              part->column >= index->width[part->where];
        if (bad)
            break;
        int32_t away = part->offset < 0 ? -part->offset : part->offset;
        index->reach = away > index->reach ? away : index->reach;
    }
    if (!lacking && !bad) {
        int built = build_lookups(index, views[LOOKUPS].buf, views[LOOKUPS].len / 32,
                                  views[KEYS].buf, views[ROWS].buf, views[KEYS].len / 8);
        bad = built == UNFIT;
        lacking = built == LACKING;
    }
    if (lacking)
        PyErr_NoMemory();
    else if (bad)
        PyErr_SetString(PyExc_ValueError, "open_index: the arrays do not fit together");
    else
        result = PyCapsule_New(index, INDEX, close_index);
done:
    if (!result)
        index_free(index);
    release(views, OPENING);
    return result;
}

const char featurize_doc[] = PyDoc_STR(
"featurize(index, words, stride, items, word_ids, sequence_offsets, many, item_offsets)\n--\n\n"
"The attributes of a model that items have.\n\n"
"Args:\n"
"    index: of `open_index`.\n"
"    words: int32, [word, stride], values by word in the first columns.\n"
"    stride: columns of `words`.\n"
"    items: int32, [item, column], values by item.\n"
"    word_ids: int64, the word of each item.\n"
"    sequence_offsets: int64, row pointers into items.\n"
"    many: for each property of several values (values int32, offsets int64, by): `by`\n"
"        -1 has a row an item; else rows are the values of that column of the word.\n"
"    item_offsets: int64, one more than items; written: row pointers into the result.\n\n"
"Returns:\n"
"    bytes: int32, the attributes of all items.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_featurize(PyObject *self, PyObject *args)
{
    enum { WORDS, ITEM_VALUES, WORD_IDS, SEQUENCE_OFFSETS, ITEM_OFFSETS, COUNT };
    static const char *names[] = {"words", "items", "word_ids", "sequence_offsets", "item_offsets"};
    static const Py_ssize_t sizes[] = {4, 4, 8, 8, 8};
    PyObject *capsule, *o[COUNT], *many_object, *result = NULL;
    int stride;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOiOOOO!O", &capsule, &o[WORDS], &stride, &o[ITEM_VALUES], &o[WORD_IDS],
                          &o[SEQUENCE_OFFSETS], &PyTuple_Type, &many_object, &o[ITEM_OFFSETS]))
        return NULL;
    const Index *index = PyCapsule_GetPointer(capsule, INDEX);
    if (!index)
        return NULL;
    Py_buffer views[COUNT] = {{0}}, *many_views = NULL;
    Many *many = NULL;
    Found found = {0};
    Py_ssize_t n_many = PyTuple_Size(many_object);
    if (take_all(o, views, sizes, names, COUNT, 1) < 0)
        goto done;
    Batch batch = {0};
    batch.words = views[WORDS].buf;
    batch.items = views[ITEM_VALUES].buf;
    batch.word_ids = views[WORD_IDS].buf;
    batch.n_items = views[WORD_IDS].len / 8;
    batch.stride = stride;
    batch.n_words = stride ? views[WORDS].len / 4 / stride : INT64_MAX;
    const int64_t *sequences = views[SEQUENCE_OFFSETS].buf;
    int64_t n_sequences = views[SEQUENCE_OFFSETS].len / 8 - 1;
    int64_t *ends = views[ITEM_OFFSETS].buf;
    many = calloc(n_many ? (size_t)n_many : 1, sizeof *many);
    many_views = calloc(n_many ? 2 * (size_t)n_many : 1, sizeof *many_views);
    if (!many || !many_views) {
        PyErr_NoMemory();
        goto done;
    }
    int bad = n_many != index->width[MANY] || views[ITEM_OFFSETS].len / 8 != batch.n_items + 1 ||
              stride < index->width[BY_WORD] || (stride && views[WORDS].len != batch.n_words * stride * 4) ||
              views[ITEM_VALUES].len != batch.n_items * index->width[BY_ITEM] * 4 ||
              !is_apart(&views[ITEM_OFFSETS], views, COUNT) ||
              !are_offsets(sequences, n_sequences + 1, batch.n_items);
    for (Py_ssize_t i = 0; i < n_many && !bad; i++) {
        PyObject *values, *offsets;
        int by;
        if (!is_tuple(PyTuple_GetItem(many_object, i), "many") ||
            !PyArg_ParseTuple(PyTuple_GetItem(many_object, i), "OOi", &values, &offsets, &by) ||
            take(values, &many_views[2 * i], 4, 0, "many values") < 0 ||
            take(offsets, &many_views[2 * i + 1], 8, 0, "many offsets") < 0)
            goto done;
        many[i] = (Many){many_views[2 * i].buf, many_views[2 * i + 1].buf, by};
        int64_t rows = many_views[2 * i + 1].len / 8 - 1;
        bad = !are_offsets(many[i].offsets, rows + 1, many_views[2 * i].len / 4) ||
              (by == BY_ROW ? rows != batch.n_items : by < 0 || by >= stride);
        for (int64_t w = 0; by >= 0 && w < batch.n_words && !bad; w++)
            bad = batch.words[w * stride + by] < 0 || batch.words[w * stride + by] >= rows;
    }
    batch.many = many;
    for (int64_t i = 0; i < batch.n_items && !bad; i++)
        bad = batch.word_ids[i] < 0 || batch.word_ids[i] >= batch.n_words;
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "featurize: the arrays do not fit together");
        goto done;
    }
    int lacking = 0;
    Py_BEGIN_ALLOW_THREADS
    ends[0] = 0;
    for (int64_t s = 0; s < n_sequences && !lacking; s++)
        lacking = featurize_sequence(index, &batch, sequences[s], sequences[s + 1], &found,
                                     ends + 1 + sequences[s]) < 0;
    Py_END_ALLOW_THREADS
    if (lacking)
        PyErr_NoMemory();
    else
        result = PyBytes_FromStringAndSize((const char *)found.ids, found.count * 4);
done:
    found_free(&found);
    free(many);
    release(views, COUNT);
    if (many_views)
        release(many_views, 2 * n_many);
    free(many_views);
    return result;
}
