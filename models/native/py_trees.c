#include "wrappers.h"

#include <math.h>
#include <stdlib.h>

#include "grow.h"
#include "memory.h"
#include "trees.h"

#define FOREST "scrubline.Forest"
/* As in models/trees/model.py. */
#define MOST_COLUMNS 4096
#define MOST_HISTORY 64
#define MOST_ITEMS (1 << 30)

static void close_forest(PyObject *capsule)
{
    Forest *forest = PyCapsule_GetPointer(capsule, FOREST);
    if (forest)
        forest_free(forest);
}

const char open_trees_doc[] = PyDoc_STR(
"open_trees(cells, cell_columns, cell_codes, node_columns, node_values, votes, classes, columns, history)\n"
"--\n\n"
"Voting trees, checked and made ready.\n\n"
"Args:\n"
"    cells: int64, row pointers of the attributes into the cells.\n"
"    cell_columns: uint16, the columns that an attribute is coded in.\n"
"    cell_codes: uint8, the code that it has there.\n"
"    node_columns: uint16, of all trees, each in pre-order; 65535 of a leaf.\n"
"    node_values: uint8, the most code of the left child; the class of a leaf.\n"
"    votes: int32, above 0, one a tree.\n"
"    classes, columns, history: how many there are.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree, or something is out of range.\n");

PyObject *py_open_trees(PyObject *self, PyObject *args)
{
    enum { CELLS, C_COLUMNS, C_CODES, N_COLUMNS, N_VALUES, VOTES, COUNT };
    static const char *names[] = {"cells", "cell_columns", "cell_codes", "node_columns", "node_values",
                                  "votes"};
    static const Py_ssize_t sizes[] = {8, 2, 1, 2, 1, 4};
    PyObject *o[COUNT], *result = NULL;
    int classes, columns, history;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOiii", &o[CELLS], &o[C_COLUMNS], &o[C_CODES], &o[N_COLUMNS],
                          &o[N_VALUES], &o[VOTES], &classes, &columns, &history))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Forest *f = calloc(1, sizeof *f);
    if (!f)
        return PyErr_NoMemory();
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    f->classes = classes;
    f->columns = columns;
    f->history = history;
    f->attributes = views[CELLS].len / 8 - 1;
    int64_t cells = views[C_CODES].len;
    f->nodes = views[N_VALUES].len;
    f->trees = views[VOTES].len / 4;
    if (classes < 1 || classes > TREE_CLASSES || columns < 0 || columns > MOST_COLUMNS || history < 0 ||
        history > MOST_HISTORY || views[C_COLUMNS].len / 2 != cells || f->attributes > INT32_MAX ||
        !are_offsets(views[CELLS].buf, f->attributes + 1, cells) || views[N_COLUMNS].len / 2 != f->nodes || f->nodes > INT32_MAX || f->trees > f->nodes) {
        PyErr_SetString(PyExc_ValueError, "open_trees: the arrays do not fit together");
        goto done;
    }
    f->cells = copied(&views[CELLS]);
    f->cell_columns = copied(&views[C_COLUMNS]);
    f->cell_codes = copied(&views[C_CODES]);
    f->votes = copied(&views[VOTES]);
    f->first = is_too_large((uint64_t)f->attributes, sizeof *f->first)
                   ? NULL
                   : calloc(f->attributes ? (size_t)f->attributes : 1, sizeof *f->first);
    f->roots = calloc(f->trees ? (size_t)f->trees : 1, sizeof *f->roots);
    f->node = is_too_large((uint64_t)f->nodes, sizeof *f->node)
                  ? NULL
                  : calloc(f->nodes ? (size_t)f->nodes : 1, sizeof *f->node);
    if (!f->cells || !f->cell_columns || !f->cell_codes || !f->votes || !f->first || !f->roots ||
        !f->node) {
        PyErr_NoMemory();
        goto done;
    }
    int64_t all = 0;
    int wrong = 0;
    for (int64_t c = 0; c < cells; c++)
        wrong |= f->cell_columns[c] >= columns || f->cell_codes[c] >= TREE_CODES;
    for (int64_t t = 0; t < f->trees; t++) {
        wrong |= f->votes[t] <= 0;
        all += f->votes[t];
    }
    for (int64_t i = 0; i < f->nodes; i++) {
        f->node[i].column = ((const uint16_t *)views[N_COLUMNS].buf)[i];
        f->node[i].value = ((const uint8_t *)views[N_VALUES].buf)[i];
    }
    if (wrong || all > TREE_MOST_VOTES || forest_link(f)) {
        PyErr_SetString(PyExc_ValueError, "open_trees: a tree, vote or code is out of range or order");
        goto done;
    }
    forest_code(f);
    result = PyCapsule_New(f, FOREST, close_forest);
done:
    if (!result)
        forest_free(f);
    release(views, COUNT);
    return result;
}

const char label_trees_doc[] = PyDoc_STR(
"label_trees(trees, biases, ids, item_offsets, sequence_offsets, tags, won)\n--\n\n"
"Writes the class of every item, and the votes that it won.\n\n"
"Args:\n"
"    trees: of `open_trees`.\n"
"    biases: int32, votes that each class has beforehand; at most 2^24 in size.\n"
"    ids: int32, attributes of all items; -1 for one that the model does not have.\n"
"    item_offsets: int64, row pointers into `ids`.\n"
"    sequence_offsets: int64, row pointers into items.\n"
"    tags: uint16, written.\n"
"    won: int32, written.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree, or an attribute, bias or pointer is out of range.\n");

PyObject *py_label_trees(PyObject *self, PyObject *args)
{
    enum { BIASES, IDS, ITEMS, SEQUENCES, TAGS, WON, COUNT };
    static const char *names[] = {"biases", "ids", "item_offsets", "sequence_offsets", "tags", "won"};
    static const Py_ssize_t sizes[] = {4, 4, 8, 8, 2, 4};
    PyObject *capsule, *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOO", &capsule, &o[BIASES], &o[IDS], &o[ITEMS], &o[SEQUENCES],
                          &o[TAGS], &o[WON]))
        return NULL;
    const Forest *forest = PyCapsule_GetPointer(capsule, FOREST);
    if (!forest)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    uint8_t *row = NULL;
    int32_t *sums = NULL;
    if (take_all(o, views, sizes, names, COUNT, COUNT - TAGS) < 0)
        goto done;
    const int32_t *biases = views[BIASES].buf, *ids = views[IDS].buf;
    const int64_t *items = views[ITEMS].buf, *sequences = views[SEQUENCES].buf;
    int64_t n_ids = views[IDS].len / 4, n_items = views[TAGS].len / 2;
    int64_t n_sequences = views[SEQUENCES].len / 8 - 1;
    int fits = views[BIASES].len / 4 == forest->classes && views[WON].len / 4 == n_items &&
               views[ITEMS].len / 8 == n_items + 1 && are_offsets(items, n_items + 1, n_ids) &&
               are_offsets(sequences, n_sequences + 1, n_items) &&
               is_apart(&views[TAGS], views, COUNT) && is_apart(&views[WON], views, COUNT);
    for (int32_t k = 0; fits && k < forest->classes; k++)
        fits = biases[k] >= -TREE_MOST_BIAS && biases[k] <= TREE_MOST_BIAS;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "label_trees: the arrays do not fit together");
        goto done;
    }
    row = calloc((size_t)(forest->columns + forest->history) + 1, sizeof *row);
    sums = calloc((size_t)forest->classes, sizeof *sums);
    if (!row || !sums) {
        PyErr_NoMemory();
        goto done;
    }
    uint16_t *tags = views[TAGS].buf;
    int32_t *won = views[WON].buf;
    int out_of_range = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < n_ids; i++)
        out_of_range |= ids[i] < -1 || ids[i] >= forest->attributes;
    for (int64_t s = 0; s < n_sequences && !out_of_range; s++) {
        int64_t first = sequences[s];
        label_sequence(forest, biases, ids, items + first, sequences[s + 1] - first, row, sums,
                       tags + first, won + first);
    }
    Py_END_ALLOW_THREADS
    if (out_of_range)
        PyErr_SetString(PyExc_ValueError, "label_trees: an attribute is out of range");
    else
        result = Py_NewRef(Py_None);
done:
    free(row);
    free(sums);
    release(views, COUNT);
    return result;
}

const char grow_tree_doc[] = PyDoc_STR(
"grow_tree(codes, classes, weights, n_classes, least, deviations, log_confidence, predicted)\n--\n\n"
"Grows and prunes a tree of C4.5.\n\n"
"Args:\n"
"    codes: uint8, [column][item], 0 to 254.\n"
"    classes: uint8, one an item.\n"
"    weights: float64, at least 0; on a grid on which all their sums are exact. At least 1 together.\n"
"    n_classes: 1 to 254.\n"
"    least: weight of a leaf, at least 1.\n"
"    deviations: normal quantile of 1 - confidence, 0 to 16.\n"
"    log_confidence: natural logarithm of the confidence, -16 to below 0.\n"
"    predicted: uint8, written: the class of the leaf that each item comes to.\n\n"
"Returns:\n"
"    columns: bytes of uint16, in pre-order, 65535 of a leaf.\n"
"    values: bytes of uint8, the most code of the left child; the class of a leaf.\n\n"
"Raises:\n"
"    ValueError: if sizes disagree, or something is out of range.\n");

PyObject *py_grow_tree(PyObject *self, PyObject *args)
{
    enum { CODES, CLASSES, WEIGHTS, PREDICTED, COUNT };
    static const char *names[] = {"codes", "classes", "weights", "predicted"};
    static const Py_ssize_t sizes[] = {1, 1, 8, 1};
    PyObject *o[COUNT], *result = NULL;
    GrowTask task = {0};
    int n_classes;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOidddO", &o[CODES], &o[CLASSES], &o[WEIGHTS], &n_classes, &task.least,
                          &task.deviations, &task.log_confidence, &o[PREDICTED]))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    GrownTree tree = {0};
    if (take_all(o, views, sizes, names, COUNT, 1) < 0)
        goto done;
    task.codes = views[CODES].buf;
    task.classes = views[CLASSES].buf;
    task.weights = views[WEIGHTS].buf;
    task.items = views[CLASSES].len;
    task.columns = task.items ? views[CODES].len / task.items : 0;
    task.n_classes = n_classes;
    if (task.items < 1 || task.items > MOST_ITEMS || task.columns * task.items != views[CODES].len ||
        task.columns > MOST_COLUMNS + MOST_HISTORY || views[WEIGHTS].len / 8 != task.items ||
        views[PREDICTED].len != task.items || n_classes < 1 || n_classes > TREE_CLASSES ||
        !is_apart(&views[PREDICTED], views, COUNT)) {
        PyErr_SetString(PyExc_ValueError, "grow_tree: the arrays do not fit together");
        goto done;
    }
    if (!(task.least >= 1.0) || !(task.deviations >= 0.0 && task.deviations <= 16.0) ||
        !(task.log_confidence >= -16.0 && task.log_confidence < 0.0)) {
        PyErr_SetString(PyExc_ValueError, "grow_tree: a parameter is out of range");
        goto done;
    }
    double weight = 0.0;
    int wrong = 0, grown = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < task.items; i++) {
        /* Roots of small numbers must not fall below what is normal. */
        double own = task.weights[i];
        wrong |= task.classes[i] >= n_classes || !(own == 0.0 || (own > 1e-30 && own < 1e15));
        weight += own;
    }
    for (Py_ssize_t i = 0; i < views[CODES].len; i++)
        wrong |= task.codes[i] >= TREE_CODES;
    wrong |= !(weight >= 1.0 && weight < 1e16);
    if (!wrong)
        grown = grow_tree(&task, &tree, views[PREDICTED].buf);
    Py_END_ALLOW_THREADS
    if (wrong)
        PyErr_SetString(PyExc_ValueError, "grow_tree: a code, class or weight is out of range");
    else if (grown < 0)
        PyErr_NoMemory();
    else
        result = Py_BuildValue("(y#y#)", (const char *)tree.columns, (Py_ssize_t)(2 * tree.count),
                               (const char *)tree.values, (Py_ssize_t)tree.count);
done:
    grown_tree_free(&tree);
    release(views, COUNT);
    return result;
}
