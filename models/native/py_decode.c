#include "wrappers.h"

#include <math.h>
#include <stdlib.h>

#include "decode.h"

/* As in models/crf/model_file.py. */
#define MOST_LABELS 1024
/* Of what every item has: two weights together. */
#define MOST_BASE (2 * MOST_WEIGHT * UNITS)
/* Far beyond it every tag is as likely as another. */
#define MOST_TEMPERATURE 1e6

static void close_model(PyObject *capsule)
{
    Model *model = PyCapsule_GetPointer(capsule, MODEL);
    if (model)
        model_free(model);
}

const char open_model_doc[] = PyDoc_STR(
"open_model(rows, row_labels, row_weights, moves, outside)\n--\n\n"
"The weights of a CRF, checked and made ready.\n\n"
"Args:\n"
"    rows: int64, row pointers of the attributes into the weights.\n"
"    row_labels: uint16, the tag of each weight, ascending in each row.\n"
"    row_weights: float32, below 4096 in size and on the grid of 2^-12.\n"
"    moves: float64, [source, target], likewise.\n"
"    outside: the tag of what is no entity, -1 for none.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree, a pointer or tag is out of range or order, or a weight is none.\n");

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
    m->width = (int32_t)((labels + 7) / 8 * 8);
    m->outside = outside;
    if (labels < 1 || labels > MOST_LABELS || labels * labels != cells || outside < -1 ||
        outside >= labels || views[WEIGHTS_OF].len / 4 != weights || weights > INT32_MAX ||
        !are_offsets(rows, m->attributes + 1, weights)) {
        PyErr_SetString(PyExc_ValueError, "open_model: the arrays do not fit together");
        goto done;
    }
    int built = build_moves(m, moves);
    built = built ? built : build_states(m, rows, labels_of, weights_of);
    if (built < 0) {
        PyErr_NoMemory();
        goto done;
    }
    if (built > 0) {
        PyErr_SetString(PyExc_ValueError, "open_model: a weight or its tag is out of range or order");
        goto done;
    }
    result = PyCapsule_New(m, MODEL, close_model);
done:
    if (!result)
        model_free(m);
    release(views, COUNT);
    return result;
}

const char decode_doc[] = PyDoc_STR(
"decode(model, base, ids, item_offsets, sequence_offsets, tags, scores, risks, risk_base, temperature)"
"\n--\n\n"
"Writes the best tag of every item, and what is asked for of its probabilities.\n\n"
"Args:\n"
"    model: of `open_model`.\n"
"    base: float64, for each tag what every item has; on the grid, below 8192 in size.\n"
"    ids: int32, attributes of all items; -1 for one that the model does not have.\n"
"    item_offsets: int64, row pointers into `ids`; None if these are no attributes but what they are\n"
"        worth, [item, width], of `sum_states`.\n"
"    sequence_offsets: int64, row pointers into items.\n"
"    tags: uint16, written.\n"
"    scores: float64, the probability of each tag that is not outside, written there; or empty.\n"
"    risks: float64, one less the probability that an item is outside, if all scores are divided\n"
"        by the temperature; or empty.\n"
"    risk_base: float64, as `base`, for the risks; not read without them.\n"
"    temperature: above 0.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree, or an attribute, pointer or the temperature is out of range.\n"
"    MemoryError: if a sequence is too long for what is left.\n");

enum { BASE, RISK_BASE, IDS, SEQUENCES, ITEM_OFFSETS, TAGS, SCORES, RISKS, BUFFERS };

PyObject *py_decode(PyObject *self, PyObject *args)
{
    static const char *names[] = {"base", "risk_base", "ids", "sequence_offsets", "item_offsets",
                                  "tags", "scores", "risks"};
    static const Py_ssize_t sizes[] = {8, 8, 4, 8, 8, 2, 8, 8};
    PyObject *capsule, *objects[BUFFERS], *result = NULL;
    double temperature;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOd", &capsule, &objects[BASE], &objects[IDS],
                          &objects[ITEM_OFFSETS], &objects[SEQUENCES], &objects[TAGS], &objects[SCORES],
                          &objects[RISKS], &objects[RISK_BASE], &temperature))
        return NULL;
    const Model *model = PyCapsule_GetPointer(capsule, MODEL);
    if (!model)
        return NULL;
    int are_sums = objects[ITEM_OFFSETS] == Py_None;
    Py_buffer views[BUFFERS] = {{0}};
    int32_t *base = NULL;
    double *lifts = NULL;
    Factors heated = {0};
    /* Nothing is read of row pointers that are not there. */
    if (are_sums)
        objects[ITEM_OFFSETS] = objects[SEQUENCES];
    if (take_all(objects, views, sizes, names, BUFFERS, BUFFERS - TAGS) < 0)
        goto done;
    const int32_t *ids = views[IDS].buf;
    const int64_t *items = views[ITEM_OFFSETS].buf, *sequences = views[SEQUENCES].buf;
    int64_t n_ids = views[IDS].len / 4, n_items = views[TAGS].len / 2;
    int64_t n_sequences = views[SEQUENCES].len / 8 - 1;
    int scored = views[SCORES].len > 0, at_risk = views[RISKS].len > 0;
    if (views[BASE].len / 8 != model->labels || (scored && views[SCORES].len / 8 != n_items) ||
        (at_risk && (views[RISKS].len / 8 != n_items || views[RISK_BASE].len != views[BASE].len)) ||
        (are_sums ? n_ids != n_items * model->width
                  : views[ITEM_OFFSETS].len / 8 != n_items + 1 || !are_offsets(items, n_items + 1, n_ids)) ||
        !is_apart(&views[TAGS], views, BUFFERS) || !is_apart(&views[SCORES], views, BUFFERS) ||
        !is_apart(&views[RISKS], views, BUFFERS) ||
        !are_offsets(sequences, n_sequences + 1, n_items)) {
        PyErr_SetString(PyExc_ValueError, "decode: the arrays do not fit together");
        goto done;
    }
    if (at_risk && !(temperature > 0.0 && temperature <= MOST_TEMPERATURE)) {
        PyErr_SetString(PyExc_ValueError, "decode: the temperature is out of range");
        goto done;
    }
    base = calloc((size_t)model->width, sizeof *base);
    lifts = calloc((size_t)model->width, sizeof *lifts);
    if (!base || !lifts ||
        (at_risk && temperature != 1.0 && factors_build(&heated, model, temperature) < 0)) {
        PyErr_NoMemory();
        goto done;
    }
    int are_lifted = 0;
    for (int32_t j = 0; j < model->labels; j++) {
        double units[2] = {((const double *)views[BASE].buf)[j] * UNITS, 0.0};
        units[1] = at_risk ? ((const double *)views[RISK_BASE].buf)[j] * UNITS : units[0];
        for (int of = 0; of < 2; of++)
            if (!(fabs(units[of]) < MOST_BASE) || units[of] != rint(units[of])) {
                PyErr_SetString(PyExc_ValueError, "decode: base is off the grid, or not small");
                goto done;
            }
        base[j] = (int32_t)units[0];
        lifts[j] = (units[1] - units[0]) / UNITS;
        are_lifted |= lifts[j] != 0.0;
    }
    uint16_t *tags = views[TAGS].buf;
    double *scores = scored ? views[SCORES].buf : NULL, *risks = at_risk ? views[RISKS].buf : NULL;
    const Factors *by = temperature == 1.0 ? &model->factors : &heated;
    int out_of_range = 0, out_of_memory = 0;
    Py_BEGIN_ALLOW_THREADS
    Space space = {0};
    for (int64_t i = 0; i < n_ids && !are_sums; i++)
        out_of_range |= ids[i] < -1 || ids[i] >= model->attributes;
    for (int64_t s = 0; s < n_sequences && !out_of_range && !out_of_memory; s++) {
        int64_t first = sequences[s], n = sequences[s + 1] - first;
        if (!n)
            continue;
        if (space_fit(&space, n, model->width) < 0)
            out_of_memory = 1;
        else {
            Wanted wanted = {scored ? scores + first : NULL, at_risk ? risks + first : NULL, by,
                             are_lifted ? lifts : NULL};
            Items own = {ids, items + first, NULL};
            if (are_sums)
                own = (Items){NULL, NULL, ids + first * model->width};
            decode_sequence(model, base, &space, &own, n, tags + first, &wanted);
        }
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
    free(lifts);
    factors_free(&heated);
    release(views, BUFFERS);
    return result;
}
