#include "wrappers.h"

#include <stdlib.h>

#include "featurize.h"
#include "memory.h"
#include "sums.h"

#define INDEX "scrubline.Index"
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

/* What items are made of, as Python gave it. */
enum { WORDS, ITEM_VALUES, WORD_IDS, SEQUENCE_OFFSETS, VALUES };

typedef struct {
    Py_buffer views[VALUES], *many_views;
    Py_ssize_t n_many;
    Many *many;
    Batch batch;
    const int64_t *sequences;
    int64_t n_sequences;
} Given;

static void give_back(Given *given)
{
    release(given->views, VALUES);
    if (given->many_views)
        release(given->many_views, 2 * given->n_many);
    free(given->many_views);
    free(given->many);
}

/* 0, or -1 with an exception set; to be given back either way. */
static int take_given(const Index *index, PyObject *const *objects, int stride, PyObject *many_object,
                      Given *given)
{
    static const char *names[] = {"words", "items", "word_ids", "sequence_offsets"};
    static const Py_ssize_t sizes[] = {4, 4, 8, 8};
    Py_buffer *views = given->views;
    if (take_all(objects, views, sizes, names, VALUES, 0) < 0)
        return -1;
    Batch *batch = &given->batch;
    batch->words = views[WORDS].buf;
    batch->items = views[ITEM_VALUES].buf;
    batch->word_ids = views[WORD_IDS].buf;
    batch->n_items = views[WORD_IDS].len / 8;
    batch->stride = stride;
    batch->n_words = stride > 0 ? views[WORDS].len / 4 / stride : 0;
    given->sequences = views[SEQUENCE_OFFSETS].buf;
    given->n_sequences = views[SEQUENCE_OFFSETS].len / 8 - 1;
    Py_ssize_t n_many = PyTuple_Size(many_object);
    given->many = calloc(n_many ? (size_t)n_many : 1, sizeof *given->many);
    given->many_views = calloc(n_many ? 2 * (size_t)n_many : 1, sizeof *given->many_views);
    given->n_many = n_many;
    if (!given->many || !given->many_views) {
        PyErr_NoMemory();
        return -1;
    }
    int bad = n_many != index->width[MANY] || stride < index->width[BY_WORD] || stride < 0 ||
              views[WORDS].len != batch->n_words * stride * 4 ||
              views[ITEM_VALUES].len != batch->n_items * index->width[BY_ITEM] * 4 ||
              !are_offsets(given->sequences, given->n_sequences + 1, batch->n_items);
    for (Py_ssize_t i = 0; i < n_many && !bad; i++) {
        PyObject *values, *offsets;
        Many *one = given->many + i;
        Py_buffer *own = given->many_views + 2 * i;
        int by;
        if (!is_tuple(PyTuple_GetItem(many_object, i), "many") ||
            !PyArg_ParseTuple(PyTuple_GetItem(many_object, i), "OOi", &values, &offsets, &by) ||
            take(values, own, 4, 0, "many values") < 0 || take(offsets, own + 1, 8, 0, "many offsets") < 0)
            return -1;
        *one = (Many){own[0].buf, own[1].buf, by};
        int64_t rows = own[1].len / 8 - 1;
        bad = !are_offsets(one->offsets, rows + 1, own[0].len / 4) ||
              (by == BY_ROW ? rows != batch->n_items : by < 0 || by >= stride);
        for (int64_t w = 0; by >= 0 && w < batch->n_words && !bad; w++)
            bad = batch->words[w * stride + by] < 0 || batch->words[w * stride + by] >= rows;
    }
    batch->many = given->many;
    for (int64_t i = 0; i < batch->n_items && !bad && stride; i++)
        bad = batch->word_ids[i] < 0 || batch->word_ids[i] >= batch->n_words;
    if (bad)
        PyErr_SetString(PyExc_ValueError, "featurize: the arrays do not fit together");
    return bad ? -1 : 0;
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
    PyObject *capsule, *o[VALUES], *many, *ends_object, *result = NULL;
    int stride;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOiOOOO!O", &capsule, &o[WORDS], &stride, &o[ITEM_VALUES], &o[WORD_IDS],
                          &o[SEQUENCE_OFFSETS], &PyTuple_Type, &many, &ends_object))
        return NULL;
    const Index *index = PyCapsule_GetPointer(capsule, INDEX);
    if (!index)
        return NULL;
    Given given = {0};
    Py_buffer ends_view = {0};
    Found found = {0};
    if (take_given(index, o, stride, many, &given) < 0 ||
        take(ends_object, &ends_view, 8, 1, "item_offsets") < 0)
        goto done;
    int64_t *ends = ends_view.buf;
    if (ends_view.len / 8 != given.batch.n_items + 1 || !is_apart(&ends_view, given.views, VALUES)) {
        PyErr_SetString(PyExc_ValueError, "featurize: the arrays do not fit together");
        goto done;
    }
    int lacking = 0;
    Py_BEGIN_ALLOW_THREADS
    ends[0] = 0;
    for (int64_t s = 0; s < given.n_sequences && !lacking; s++)
        lacking = featurize_sequence(index, &given.batch, given.sequences[s], given.sequences[s + 1],
                                     &found, ends + 1 + given.sequences[s]) < 0;
    Py_END_ALLOW_THREADS
    if (lacking)
        PyErr_NoMemory();
    else
        result = PyBytes_FromStringAndSize((const char *)found.ids, found.count * 4);
done:
    found_free(&found);
    release(&ends_view, 1);
    give_back(&given);
    return result;
}

#define WEIGHING "scrubline.Weighing"

static void close_weighing(PyObject *capsule)
{
    Weighing *weighing = PyCapsule_GetPointer(capsule, WEIGHING);
    if (weighing)
        weighing_free(weighing);
    free(weighing);
    let_go(capsule);
}

const char weigh_doc[] = PyDoc_STR(
"weigh(index, model)\n--\n\n"
"What finds what the attributes of items are worth, and adds it up.\n\n"
"Args:\n"
"    index: of `open_index`; it is for this model from then on.\n"
"    model: of `open_model`.\n\n"
"Returns:\n"
"    (weighing, width): for `sum_states`, and how many numbers an item has there. None if sums of 32\n"
"        bits might not hold what an item's attributes are worth.\n\n"
"Raises:\n"
"    ValueError: if an attribute is none of the model's, or the index is for another model.\n");

PyObject *py_weigh(PyObject *self, PyObject *args)
{
    PyObject *index_capsule, *model_capsule;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &index_capsule, &model_capsule))
        return NULL;
    Index *index = PyCapsule_GetPointer(index_capsule, INDEX);
    const Model *model = index ? PyCapsule_GetPointer(model_capsule, MODEL) : NULL;
    if (!model)
        return NULL;
    Weighing *weighing = calloc(1, sizeof *weighing);
    if (!weighing)
        return PyErr_NoMemory();
    PyObject *capsule = NULL, *result = NULL;
    int weighed = index->is_weighed ? UNFIT : weigh(weighing, index, model);
    if (weighed == TOO_LARGE)
        result = Py_NewRef(Py_None);
    else if (weighed == LACKING)
        PyErr_NoMemory();
    else if (weighed == UNFIT)
        PyErr_SetString(PyExc_ValueError, "weigh: the index is not one of this model's attributes");
    else
        capsule = new_holding(weighing, WEIGHING, close_weighing,
                              PyTuple_Pack(2, index_capsule, model_capsule));
    index->is_weighed |= weighed == BUILT;
    if (!capsule) {
        weighing_free(weighing);
        free(weighing);
        return result;
    }
    result = Py_BuildValue("(Oi)", capsule, (int)model->width);
    Py_DECREF(capsule);
    return result;
}

const char sum_states_doc[] = PyDoc_STR(
"sum_states(weighing, words, stride, items, word_ids, sequence_offsets, many)\n--\n\n"
"What the attributes of items are worth to each tag: the sums of what `featurize` finds.\n\n"
"Args:\n"
"    weighing: of `weigh`; the others are those of `featurize`.\n\n"
"Returns:\n"
"    bytes: int32, [item, width], in units of 2^-12. None if sums of 32 bits might not hold what an item\n"
"        has.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_sum_states(PyObject *self, PyObject *args)
{
    PyObject *capsule, *o[VALUES], *many, *result = NULL;
    int stride;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOiOOOO!", &capsule, &o[WORDS], &stride, &o[ITEM_VALUES], &o[WORD_IDS],
                          &o[SEQUENCE_OFFSETS], &PyTuple_Type, &many))
        return NULL;
    const Weighing *weighing = PyCapsule_GetPointer(capsule, WEIGHING);
    if (!weighing)
        return NULL;
    int64_t width = weighing->model->width;
    Given given = {0};
    Sums sums = {0};
    if (take_given(weighing->index, o, stride, many, &given) < 0)
        goto done;
    if (is_too_large((uint64_t)given.batch.n_items, (size_t)width * sizeof(int32_t))) {
        PyErr_NoMemory();
        goto done;
    }
    result = PyBytes_FromStringAndSize(NULL, given.batch.n_items * width * (Py_ssize_t)sizeof(int32_t));
    if (!result)
        goto done;
    int32_t *states = (int32_t *)PyBytes_AsString(result);
    int failed = 0;
    Py_BEGIN_ALLOW_THREADS
    failed = sums_begin(&sums, weighing, &given.batch);
    for (int64_t s = 0; s < given.n_sequences && !failed; s++)
        failed = sum_sequence(weighing, &given.batch, given.sequences[s], given.sequences[s + 1], &sums,
                              states + given.sequences[s] * width);
    Py_END_ALLOW_THREADS
    if (failed)
        Py_CLEAR(result);
    if (failed < 0)
        PyErr_NoMemory();
    else if (failed)
        result = Py_NewRef(Py_None);
done:
    sums_free(&sums);
    give_back(&given);
    return result;
}
