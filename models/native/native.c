/* The extension module: Python's side of it. Arrays come as buffers and are checked here; what is
   called from here may trust that sizes agree and that pointers and ids are in range. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "featurize.h"
#include "phrases.h"

/* Of what is agreed with Python; as in models/native/__init__.py. */
#define VERSION 1

#define MODEL "scrubline.Model"
#define INDEX "scrubline.Index"
#define PHRASES "scrubline.Phrases"
/* As in models/crf/model_file.py and models/features/declaration.py. */
#define MOST_LABELS 1024
#define MOST_WEIGHT 4096.0
#define MOST_PARTS 8

/* A contiguous buffer of so many bytes an item, aligned for them; -1 with an exception set. What the
   items are is the caller's business. */
static int take(PyObject *object, Py_buffer *view, Py_ssize_t size, int writable, const char *what)
{
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return -1;
    if (view->len % size) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes are no whole number of items", what, view->len);
        PyBuffer_Release(view);
        return -1;
    }
    if (view->len && (uintptr_t)view->buf % (uintptr_t)(size < 8 ? size : 8)) {
        PyErr_Format(PyExc_ValueError, "%s: is not aligned", what);
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

/* All of several buffers, the last of them written; -1 with an exception set. Those taken must be
   released either way: a view that is not taken is all zeros, which `release` passes over. */
static int take_all(PyObject *const *objects, Py_buffer *views, const Py_ssize_t *sizes,
                    const char *const *names, int count, int written)
{
    for (int i = 0; i < count; i++)
        if (take(objects[i], &views[i], sizes[i], i >= count - written, names[i]) < 0)
            return -1;
    return 0;
}

static void release(Py_buffer *views, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (views[i].obj)
            PyBuffer_Release(&views[i]);
}

/* Whether what is written lies apart from what is read. */
static int is_apart(const Py_buffer *written, const Py_buffer *views, int count)
{
    const char *begin = written->buf, *end = begin + written->len;
    for (int i = 0; i < count; i++) {
        const char *other = views[i].buf;
        if (views + i != written && written->len && views[i].len && other < end &&
            begin < other + views[i].len)
            return 0;
    }
    return 1;
}

/* Row pointers: from 0 to `last`, never down. */
static int are_offsets(const int64_t *offsets, int64_t count, int64_t last)
{
    if (count < 1 || offsets[0] != 0 || offsets[count - 1] != last)
        return 0;
    for (int64_t i = 1; i < count; i++)
        if (offsets[i] < offsets[i - 1])
            return 0;
    return 1;
}

static void free_model(Model *m)
{
    free(m->rows);
    free(m->weights);
    free(m->moves);
    free(m->gain);
    free(m->factors);
    free(m->back_factors);
    free(m);
}

static void close_model(PyObject *capsule)
{
    Model *model = PyCapsule_GetPointer(capsule, MODEL);
    if (model)
        free_model(model);
}

/* The tables that follow from the moves, given as [labels][labels]. */
static int build_tables(Model *m, const double *moves)
{
    int32_t labels = m->labels, width = m->width;
    size_t square = (size_t)labels * (size_t)width;
    m->moves = calloc(square, sizeof(double));
    m->gain = malloc((size_t)labels * (size_t)labels * sizeof(double));
    m->factors = calloc(square, sizeof(double));
    m->back_factors = calloc(square, sizeof(double));
    if (!m->moves || !m->gain || !m->factors || !m->back_factors)
        return -1;
    double top = -HUGE_VAL;
    for (int32_t k = 0; k < labels; k++)
        for (int32_t j = 0; j < labels; j++) {
            double weight = moves[(size_t)k * labels + j];
            m->moves[(size_t)k * width + j] = weight;
            top = weight > top ? weight : top;
        }
    for (int32_t k = 0; k < labels; k++)
        for (int32_t j = 0; j < labels; j++) {
            double factor = exp(moves[(size_t)k * labels + j] - top);
            m->factors[(size_t)k * width + j] = factor;
            m->back_factors[(size_t)j * width + k] = factor;
        }
    for (int32_t best = 0; best < labels; best++)
        for (int32_t k = 0; k < labels; k++) {
            double most = -HUGE_VAL;
            for (int32_t j = 0; j < labels; j++) {
                double more = moves[(size_t)k * labels + j] - moves[(size_t)best * labels + j];
                most = more > most ? more : most;
            }
            m->gain[(size_t)best * labels + k] = most;
        }
    return 0;
}

PyDoc_STRVAR(open_model_doc,
"open_model(rows, row_labels, row_weights, moves, outside)\n--\n\n"
"The weights of a CRF, checked and made ready.\n\n"
"Args:\n"
"    rows: int64, row pointers of the attributes into the weights.\n"
"    row_labels: uint16, the tag of each weight.\n"
"    row_weights: float32, below 4096 in size; that they are on the grid is the caller's duty.\n"
"    moves: float64, [source, target].\n"
"    outside: the tag of what is no entity, -1 for none.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree, a pointer or tag is out of range, or a weight is not finite.\n");

static PyObject *open_model(PyObject *self, PyObject *args)
{
    enum { ROWS_OF, LABELS_OF, WEIGHTS_OF, MOVES, COUNT };
    static const char *names[] = {"rows", "row_labels", "row_weights", "moves"};
    static const Py_ssize_t sizes[] = {8, 2, 4, 8};
    PyObject *o[COUNT], *result = NULL;
    int outside;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOi", &o[ROWS_OF], &o[LABELS_OF], &o[WEIGHTS_OF], &o[MOVES],
                          &outside))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Model *m = calloc(1, sizeof *m);
    if (!m)
        return PyErr_NoMemory();
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const int64_t *rows = views[ROWS_OF].buf;
    const uint16_t *labels_of = views[LABELS_OF].buf;
    const float *weights_of = views[WEIGHTS_OF].buf;
    const double *moves = views[MOVES].buf;
    int64_t cells = views[MOVES].len / 8, weights = views[LABELS_OF].len / 2, labels = 0;
    while (labels <= MOST_LABELS && labels * labels < cells)
        labels++;
    m->attributes = views[ROWS_OF].len / 8 - 1;
    m->labels = (int32_t)labels;
    m->width = (int32_t)((labels + 3) / 4 * 4);
    m->outside = outside;
    if (labels < 1 || labels > MOST_LABELS || labels * labels != cells || outside < -1 ||
        outside >= labels || views[WEIGHTS_OF].len / 4 != weights || weights > INT32_MAX ||
        !are_offsets(rows, m->attributes + 1, weights)) {
        PyErr_SetString(PyExc_ValueError, "open_model: the arrays do not fit together");
        goto done;
    }
    int bad = 0;
    for (int64_t e = 0; e < weights; e++)
        bad |= labels_of[e] >= labels || !(fabsf(weights_of[e]) < (float)MOST_WEIGHT);
    for (int64_t i = 0; i < cells; i++)
        bad |= !(fabs(moves[i]) < MOST_WEIGHT);
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "open_model: a weight or its tag is out of range");
        goto done;
    }
    m->rows = malloc((size_t)(m->attributes + 1) * sizeof *m->rows);
    m->weights = malloc((weights ? (size_t)weights : 1) * sizeof *m->weights);
    if (!m->rows || !m->weights || build_tables(m, moves) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    for (int64_t i = 0; i <= m->attributes; i++)
        m->rows[i] = (uint32_t)rows[i];
    for (int64_t e = 0; e < weights; e++)
        m->weights[e] = (Weight){labels_of[e], weights_of[e]};
    result = PyCapsule_New(m, MODEL, close_model);
done:
    if (!result)
        free_model(m);
    release(views, COUNT);
    return result;
}

PyDoc_STRVAR(decode_doc,
"decode(model, base, ids, item_offsets, sequence_offsets, tags, scores, scored)\n--\n\n"
"Writes the best tag of every item, and the probability of each that is not outside.\n\n"
"Args:\n"
"    model: of `open_model`.\n"
"    base: float64, for each tag what every item has.\n"
"    ids: int32, attributes of all items; -1 for one that the model does not have.\n"
"    item_offsets: int64, row pointers into `ids`.\n"
"    sequence_offsets: int64, row pointers into items.\n"
"    tags: uint16, written.\n"
"    scores: float64, written where the tag is not outside, if `scored`.\n"
"    scored: whether probabilities are wanted.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree or an attribute or pointer is out of range.\n"
"    MemoryError: if a sequence is too long for what is left.\n");

enum { BASE, IDS, ITEMS, SEQUENCES, TAGS, SCORES, BUFFERS };

static PyObject *decode(PyObject *self, PyObject *args)
{
    static const char *names[] = {"base", "ids", "item_offsets", "sequence_offsets", "tags", "scores"};
    static const Py_ssize_t sizes[] = {8, 4, 8, 8, 2, 8};
    PyObject *capsule, *objects[BUFFERS], *result = NULL;
    int scored;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOp", &capsule, &objects[BASE], &objects[IDS],
                          &objects[ITEMS], &objects[SEQUENCES], &objects[TAGS], &objects[SCORES],
                          &scored))
        return NULL;
    const Model *model = PyCapsule_GetPointer(capsule, MODEL);
    if (!model)
        return NULL;
    Py_buffer views[BUFFERS] = {{0}};
    double *base = NULL;
    if (take_all(objects, views, sizes, names, BUFFERS, BUFFERS - TAGS) < 0)
        goto done;
    const int32_t *ids = views[IDS].buf;
    const int64_t *items = views[ITEMS].buf, *sequences = views[SEQUENCES].buf;
    int64_t n_ids = views[IDS].len / 4, n_items = views[TAGS].len / 2;
    int64_t n_sequences = views[SEQUENCES].len / 8 - 1;
    if (views[BASE].len / 8 != model->labels || views[SCORES].len / 8 != n_items ||
        views[ITEMS].len / 8 != n_items + 1 || !are_offsets(items, n_items + 1, n_ids) ||
        !is_apart(&views[TAGS], views, BUFFERS) || !is_apart(&views[SCORES], views, BUFFERS) ||
        !are_offsets(sequences, n_sequences + 1, n_items)) {
        PyErr_SetString(PyExc_ValueError, "decode: the arrays do not fit together");
        goto done;
    }
    for (int32_t j = 0; j < model->labels; j++)
        if (!isfinite(((const double *)views[BASE].buf)[j])) {
            PyErr_SetString(PyExc_ValueError, "decode: base is not finite");
            goto done;
        }
    base = calloc((size_t)model->width, sizeof(double));
    if (!base) {
        PyErr_NoMemory();
        goto done;
    }
    memcpy(base, views[BASE].buf, (size_t)views[BASE].len);
    uint16_t *tags = views[TAGS].buf;
    double *scores = views[SCORES].buf;
    int out_of_range = 0, out_of_memory = 0;
    Py_BEGIN_ALLOW_THREADS
    Space space = {0};
    for (int64_t i = 0; i < n_ids; i++)
        out_of_range |= ids[i] < -1 || ids[i] >= model->attributes;
    for (int64_t s = 0; s < n_sequences && !out_of_range && !out_of_memory; s++) {
        int64_t first = sequences[s], n = sequences[s + 1] - first;
        if (!n)
            continue;
        if (space_fit(&space, n, model->width) < 0)
            out_of_memory = 1;
        else
            decode_sequence(model, base, &space, ids, items + first, n, tags + first,
                            scores + first, scored);
    }
    space_free(&space);
    Py_END_ALLOW_THREADS
    if (out_of_memory)
        PyErr_NoMemory();
    else if (out_of_range)
        PyErr_SetString(PyExc_ValueError, "decode: an attribute is out of range");
    else
        result = Py_NewRef(Py_None);
done:
    free(base);
    release(views, BUFFERS);
    return result;
}

static void free_index(Index *index)
{
    free(index->lookup);
    free(index->part);
    free(index->singles);
    free(index->keys);
    free(index->rows);
    for (int kind = 0; kind < 3; kind++) {
        free(index->before[kind]);
        free(index->after[kind]);
    }
    free(index);
}

static void close_index(PyObject *capsule)
{
    Index *index = PyCapsule_GetPointer(capsule, INDEX);
    if (index)
        free_index(index);
}

/* A copy of a buffer's items; NULL without memory. Never of nothing. */
static void *copied(const Py_buffer *view)
{
    void *copy = malloc(view->len ? (size_t)view->len : 1);
    if (copy)
        memcpy(copy, view->buf, (size_t)view->len);
    return copy;
}

PyDoc_STRVAR(open_index_doc,
"open_index(parts, lookups, singles, keys, rows, before_words, after_words, before_items,\n"
"           after_items, before_many, after_many)\n--\n\n"
"What finds the attributes of a model in the values of properties.\n\n"
"Args:\n"
"    parts: int32, [part, 4]: 0 by word, 1 by item or 2 of several values; the column; the offset;\n"
"        the bits of a value in a key.\n"
"    lookups: int64, [lookup, 4]: its first part; how many; where its table starts; of one part the\n"
"        size of the table in `singles`, of several how many rows of `keys` are its own.\n"
"    singles: int32, the attribute of each value, -1 for none.\n"
"    keys: uint64, the values of several parts, each in its bits, the first lowest.\n"
"    rows: int32, the attribute of each key.\n"
"    before_..., after_...: int32, the values of each column beyond the ends of a sequence.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

enum { PARTS, LOOKUPS, SINGLES, KEYS, ROWS, BEYOND, OPENING = BEYOND + 6 };

/* The lookups with tables of their own; 0, -1 if they do not fit, -2 without memory. */
static int build_lookups(Index *index, const int64_t *given, const uint64_t *keys,
                         const int32_t *rows, int64_t n_keys)
{
    int64_t room = 0;
    for (int64_t f = 0; f < index->lookups; f++) {
        const int64_t *row = given + 4 * f;
        Lookup *lookup = index->lookup + f;
        if (row[0] < 0 || row[1] < 1 || row[1] > MOST_PARTS || row[0] > index->parts - row[1] ||
            row[2] < 0 || row[3] < 0)
            return -1;
        *lookup = (Lookup){(int32_t)row[0], (int32_t)row[1], row[2], row[3]};
        if (row[1] == 1) {
            if (row[2] > index->n_singles - row[3])
                return -1;
            continue;
        }
        if (row[2] > n_keys - row[3])
            return -1;
        int bits = 0;
        for (int64_t p = 0; p < row[1]; p++)
            bits += index->part[row[0] + p].bits;
        if (bits > 63)
            return -1;
        lookup->size = 1;
        while ((INT64_C(1) << lookup->size) < 2 * row[3])
            lookup->size++;
        lookup->start = room;
        room += INT64_C(1) << lookup->size;
    }
    index->n_keys = room;
    index->keys = malloc((room ? (size_t)room : 1) * sizeof(uint64_t));
    index->rows = malloc((room ? (size_t)room : 1) * sizeof(int32_t));
    if (!index->keys || !index->rows)
        return -2;
    memset(index->rows, 0xFF, (size_t)room * sizeof(int32_t));
    for (int64_t f = 0; f < index->lookups; f++) {
        const int64_t *row = given + 4 * f;
        const Lookup *lookup = index->lookup + f;
        for (int64_t k = row[2]; row[1] > 1 && k < row[2] + row[3]; k++) {
            if (rows[k] < 0)
                return -1;
            index_put(index->keys + lookup->start, index->rows + lookup->start, lookup->size,
                      keys[k], rows[k]);
        }
    }
    return 0;
}

static PyObject *open_index(PyObject *self, PyObject *args)
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
    _Static_assert(sizeof(Part) == 16 && sizeof(Match) == 24, "Python knows their layout");
    Py_buffer views[OPENING] = {{0}};
    Index *index = calloc(1, sizeof *index);
    if (!index)
        return PyErr_NoMemory();
    int bad = 0, lacking = 0;
    if (take_all(o, views, sizes, names, OPENING, 0) < 0)
        goto done;
    index->parts = views[PARTS].len / 16;
    index->lookups = views[LOOKUPS].len / 32;
    index->n_singles = views[SINGLES].len / 4;
    index->part = copied(&views[PARTS]);
    index->singles = copied(&views[SINGLES]);
    index->lookup = calloc(index->lookups ? (size_t)index->lookups : 1, sizeof(Lookup));
    lacking = !index->part || !index->singles || !index->lookup;
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
        int built = build_lookups(index, views[LOOKUPS].buf, views[KEYS].buf, views[ROWS].buf,
                                  views[KEYS].len / 8);
        bad = built == -1;
        lacking = built == -2;
    }
    if (lacking)
        PyErr_NoMemory();
    else if (bad)
        PyErr_SetString(PyExc_ValueError, "open_index: the arrays do not fit together");
    else
        result = PyCapsule_New(index, INDEX, close_index);
done:
    if (!result)
        free_index(index);
    release(views, OPENING);
    return result;
}

PyDoc_STRVAR(featurize_doc,
"featurize(index, words, items, word_ids, sequence_offsets, many, item_offsets)\n--\n\n"
"The attributes of a model that items have.\n\n"
"Args:\n"
"    index: of `open_index`.\n"
"    words: int32, [word, column], values by word.\n"
"    items: int32, [item, column], values by item.\n"
"    word_ids: int64, the word of each item.\n"
"    sequence_offsets: int64, row pointers into items.\n"
"    many: for each property of several values (values int32, offsets int64, whether by word).\n"
"    item_offsets: int64, one more than items; written: row pointers into the result.\n\n"
"Returns:\n"
"    bytes: int32, the attributes of all items.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

static PyObject *featurize(PyObject *self, PyObject *args)
{
    enum { WORDS, ITEM_VALUES, WORD_IDS, SEQUENCE_OFFSETS, ITEM_OFFSETS, COUNT };
    static const char *names[] = {"words", "items", "word_ids", "sequence_offsets", "item_offsets"};
    static const Py_ssize_t sizes[] = {4, 4, 8, 8, 8};
    PyObject *capsule, *o[COUNT], *many_object, *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOO!O", &capsule, &o[WORDS], &o[ITEM_VALUES], &o[WORD_IDS],
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
    int64_t wide = index->width[BY_WORD];
    batch.n_words = wide ? views[WORDS].len / 4 / wide : INT64_MAX;
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
              (wide && views[WORDS].len != batch.n_words * wide * 4) ||
              views[ITEM_VALUES].len != batch.n_items * index->width[BY_ITEM] * 4 ||
              !is_apart(&views[ITEM_OFFSETS], views, COUNT) ||
              !are_offsets(sequences, n_sequences + 1, batch.n_items);
    for (Py_ssize_t i = 0; i < n_many && !bad; i++) {
        PyObject *values, *offsets;
        int by_word;
        if (!PyArg_ParseTuple(PyTuple_GetItem(many_object, i), "OOp", &values, &offsets, &by_word) ||
            take(values, &many_views[2 * i], 4, 0, "many values") < 0 ||
            take(offsets, &many_views[2 * i + 1], 8, 0, "many offsets") < 0)
            goto done;
        many[i] = (Many){many_views[2 * i].buf, many_views[2 * i + 1].buf, by_word};
        int64_t rows = many_views[2 * i + 1].len / 8 - 1;
        bad = !are_offsets(many[i].offsets, rows + 1, many_views[2 * i].len / 4) ||
              (!by_word && rows != batch.n_items);
        if (by_word && rows < batch.n_words)
            batch.n_words = rows;
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
    free(found.ids);
    free(many);
    release(views, COUNT);
    if (many_views)
        release(many_views, 2 * n_many);
    free(many_views);
    return result;
}

static void close_phrases(PyObject *capsule)
{
    Phrases *phrases = PyCapsule_GetPointer(capsule, PHRASES);
    if (phrases) {
        phrases_free(phrases);
        free(phrases);
    }
}

PyDoc_STRVAR(open_phrases_doc,
"open_phrases(words, offsets, lists, weights, n_words, n_lists)\n--\n\n"
"Phrases of many gazetteers, to be found in one pass.\n\n"
"Args:\n"
"    words: int32, numbers of the words of all phrases, each below `n_words`.\n"
"    offsets: int64, row pointers of the phrases into `words`; none is empty.\n"
"    lists: int32, the gazetteer of each phrase, below `n_lists`.\n"
"    weights: int64, of each phrase, 0 to 2^53; those of one that comes twice in a list are added\n"
"        up, to no more than that.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

static PyObject *open_phrases(PyObject *self, PyObject *args)
{
    enum { WORDS, OFFSETS, LISTS, WEIGHTS, COUNT };
    static const char *names[] = {"words", "offsets", "lists", "weights"};
    static const Py_ssize_t sizes[] = {4, 8, 4, 8};
    PyObject *o[COUNT], *result = NULL;
    long long n_words;
    int n_lists;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOLi", &o[WORDS], &o[OFFSETS], &o[LISTS], &o[WEIGHTS], &n_words,
                          &n_lists))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Phrases *phrases = calloc(1, sizeof *phrases);
    if (!phrases)
        return PyErr_NoMemory();
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const int32_t *words = views[WORDS].buf, *lists = views[LISTS].buf;
    const int64_t *offsets = views[OFFSETS].buf, *weights = views[WEIGHTS].buf;
    int64_t total = views[WORDS].len / 4, count = views[LISTS].len / 4;
    int bad = n_words < 0 || n_words > INT32_MAX || total > INT32_MAX || n_lists < 0 ||
              n_lists > 100000 || views[WEIGHTS].len / 8 != count ||
              views[OFFSETS].len / 8 != count + 1 || !are_offsets(offsets, count + 1, total);
    for (int64_t i = 0; i < total && !bad; i++)
        bad = words[i] < 0 || words[i] >= n_words;
    for (int64_t i = 0; i < count && !bad; i++)
        bad = lists[i] < 0 || lists[i] >= n_lists || offsets[i] == offsets[i + 1] || weights[i] < 0 ||
              weights[i] > MOST_PHRASE_WEIGHT;
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "open_phrases: the arrays do not fit together");
        goto done;
    }
    if (phrases_make(phrases, n_words, n_lists, count, total) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    for (int64_t i = 0; i < count; i++)
        phrases_add(phrases, words + offsets[i], offsets[i + 1] - offsets[i], lists[i], weights[i]);
    result = PyCapsule_New(phrases, PHRASES, close_phrases);
done:
    if (!result) {
        phrases_free(phrases);
        free(phrases);
    }
    release(views, COUNT);
    return result;
}

PyDoc_STRVAR(match_phrases_doc,
"match_phrases(phrases, words, bounds)\n--\n\n"
"Where phrases stand in documents: of each gazetteer leftmost-longest and without overlap.\n\n"
"Args:\n"
"    phrases: of `open_phrases`.\n"
"    words: int32, the number of each word of the text, -1 for one that is in no phrase.\n"
"    bounds: int64, row pointers of the documents into `words`.\n\n"
"Returns:\n"
"    bytes: a record a match: int64 the phrase's weight; int32 the gazetteer, first and last word,\n"
"        and nothing. Those of a gazetteer are in the order of the text.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

static PyObject *match_phrases(PyObject *self, PyObject *args)
{
    enum { WORDS, BOUNDS, COUNT };
    static const char *names[] = {"words", "bounds"};
    static const Py_ssize_t sizes[] = {4, 8};
    PyObject *capsule, *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &capsule, &o[WORDS], &o[BOUNDS]))
        return NULL;
    const Phrases *phrases = PyCapsule_GetPointer(capsule, PHRASES);
    if (!phrases)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Matches found = {0};
    int64_t *free_at = NULL;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const int32_t *numbers = views[WORDS].buf;
    const int64_t *offsets = views[BOUNDS].buf;
    int64_t count = views[WORDS].len / 4, documents = views[BOUNDS].len / 8 - 1;
    int bad = count > INT32_MAX || !are_offsets(offsets, documents + 1, count);
    for (int64_t i = 0; i < count && !bad; i++)
        bad = numbers[i] < -1 || numbers[i] >= phrases->words;
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "match_phrases: the arrays do not fit together");
        goto done;
    }
    free_at = malloc((size_t)(phrases->lists ? phrases->lists : 1) * 2 * sizeof *free_at);
    int lacking = !free_at;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t d = 0; d < documents && !lacking; d++)
        lacking = phrases_match(phrases, numbers, offsets[d], offsets[d + 1], free_at, &found) < 0;
    Py_END_ALLOW_THREADS
    if (lacking)
        PyErr_NoMemory();
    else
        result = PyBytes_FromStringAndSize((const char *)found.rows, found.count * (int64_t)sizeof(Match));
done:
    free(free_at);
    free(found.rows);
    release(views, COUNT);
    return result;
}

static PyMethodDef methods[] = {
    {"open_model", open_model, METH_VARARGS, open_model_doc},
    {"decode", decode, METH_VARARGS, decode_doc},
    {"open_index", open_index, METH_VARARGS, open_index_doc},
    {"featurize", featurize, METH_VARARGS, featurize_doc},
    {"open_phrases", open_phrases, METH_VARARGS, open_phrases_doc},
    {"match_phrases", match_phrases, METH_VARARGS, match_phrases_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "See `scrubline.models.native`.", 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "VERSION", VERSION) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
