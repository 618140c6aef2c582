#include "wrappers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define MODEL "scrubline.Model"
/* As in models/crf/model_file.py. */
#define MOST_LABELS 1024
#define MOST_WEIGHT 4096.0

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

const char open_model_doc[] = PyDoc_STR(
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

PyObject *py_open_model(PyObject *self, PyObject *args)
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

const char decode_doc[] = PyDoc_STR(
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

PyObject *py_decode(PyObject *self, PyObject *args)
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
