#include "wrappers.h"

#include <stdlib.h>

#include "vocabulary.h"

#define VOCABULARY "scrubline.Vocabulary"

static void close_vocabulary(PyObject *capsule)
{
    Vocabulary *vocabulary = PyCapsule_GetPointer(capsule, VOCABULARY);
    if (vocabulary) {
        table_free(&vocabulary->words);
        free(vocabulary);
    }
}

const char open_vocabulary_doc[] = PyDoc_STR(
"open_vocabulary(longest)\n--\n\n"
"An empty vocabulary of words of at most so many code points.\n");

PyObject *py_open_vocabulary(PyObject *self, PyObject *args)
{
    long long longest;
    (void)self;
    if (!PyArg_ParseTuple(args, "L", &longest))
        return NULL;
    Vocabulary *vocabulary = calloc(1, sizeof *vocabulary);
    if (!vocabulary)
        return PyErr_NoMemory();
    vocabulary->longest = longest;
    PyObject *capsule = NULL;
    if (table_make(&vocabulary->words, 1024) < 0)
        PyErr_NoMemory();
    else
        capsule = PyCapsule_New(vocabulary, VOCABULARY, close_vocabulary);
    if (!capsule) {
        table_free(&vocabulary->words);
        free(vocabulary);
    }
    return capsule;
}

static PyObject *as_bytes(const Column *column)
{
    return PyBytes_FromStringAndSize((const char *)column->rows, (Py_ssize_t)column->count * 8);
}

const char cut_words_doc[] = PyDoc_STR(
"cut_words(vocabulary, most, classes, codes)\n--\n\n"
"The words of a text. The vocabulary is not used by two threads at once.\n\n"
"Args:\n"
"    vocabulary: of `open_vocabulary`; takes up the words that are new to it.\n"
"    most: if it has more words, they are forgotten first.\n"
"    classes: uint8, what code points can be, as in `models.recognisers.casing`.\n"
"    codes: uint32, the text.\n\n"
"Returns:\n"
"    how many words the vocabulary had; and as bytes, all int64: starts and ends of the words of the\n"
"    text; the row of each in the vocabulary; the indices of those that may begin a line; of those\n"
"    whose rows are new, in their order.\n\n"
"Raises:\n"
"    ValueError: if a code point has no class.\n");

PyObject *py_cut_words(PyObject *self, PyObject *args)
{
    enum { CLASSES, CODES, COUNT, PARTS = 5 };
    static const char *names[] = {"classes", "codes"};
    static const Py_ssize_t sizes[] = {1, 4};
    PyObject *capsule, *o[COUNT], *result = NULL, *parts[PARTS] = {NULL};
    long long most;
    (void)self;
    if (!PyArg_ParseTuple(args, "OLOO", &capsule, &most, &o[CLASSES], &o[CODES]))
        return NULL;
    Vocabulary *vocabulary = PyCapsule_GetPointer(capsule, VOCABULARY);
    if (!vocabulary)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Cut cut = {.starts = {0}};
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const uint32_t *codes = views[CODES].buf;
    int64_t size = views[CODES].len / 4, known = views[CLASSES].len;
    for (int64_t i = 0; i < size; i++)
        if (codes[i] >= known) {
            PyErr_SetString(PyExc_ValueError, "cut_words: a code point has no class");
            goto done;
        }
    if (vocabulary->words.count > most) {
        /* With its memory, of which a long text may have taken much. */
        if (table_renew(&vocabulary->words, 1024) < 0) {
            PyErr_NoMemory();
            goto done;
        }
    }
    long long had = vocabulary->words.count;
    if (cut_words(vocabulary, views[CLASSES].buf, codes, size, &cut) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    const Column *columns[] = {&cut.starts, &cut.ends, &cut.rows, &cut.heads, &cut.fresh};
    int lacking = 0;
    for (int i = 0; i < PARTS && !lacking; i++)
        lacking = !(parts[i] = as_bytes(columns[i]));
    if (!lacking)
        result = Py_BuildValue("(LOOOOO)", had, parts[0], parts[1], parts[2], parts[3], parts[4]);
done:
    for (int i = 0; i < PARTS; i++)
        Py_XDECREF(parts[i]);
    cut_free(&cut);
    release(views, COUNT);
    return result;
}

const char slices_doc[] = PyDoc_STR(
"slices(text, starts, ends, longest)\n--\n\n"
"Pieces of a text as a list, those that are longer empty.\n\n"
"Args:\n"
"    text: a str.\n"
"    starts: int64, where each begins, in code points.\n"
"    ends: int64, where each ends.\n"
"    longest: code points.\n\n"
"Raises:\n"
"    ValueError: if there are not as many ends as starts.\n"
"    IndexError: if an offset is below 0.\n");

PyObject *py_slices(PyObject *self, PyObject *args)
{
    enum { STARTS, ENDS, COUNT };
    static const char *names[] = {"starts", "ends"};
    static const Py_ssize_t sizes[] = {8, 8};
    PyObject *text, *o[COUNT], *result = NULL;
    long long longest;
    (void)self;
    if (!PyArg_ParseTuple(args, "UOOL", &text, &o[STARTS], &o[ENDS], &longest))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const int64_t *starts = views[STARTS].buf, *ends = views[ENDS].buf;
    Py_ssize_t count = views[STARTS].len / 8;
    if (views[ENDS].len != views[STARTS].len) {
        PyErr_SetString(PyExc_ValueError, "slices: there are not as many ends as starts");
        goto done;
    }
    result = PyList_New(count);
    for (Py_ssize_t i = 0; i < count && result; i++) {
        int64_t end = starts[i] >= 0 && ends[i] >= 0 && ends[i] - starts[i] > longest ? starts[i] : ends[i];
        PyObject *piece = PyUnicode_Substring(text, (Py_ssize_t)starts[i], (Py_ssize_t)end);
        /* Takes the piece, also where it fails. */
        if (!piece || PyList_SetItem(result, i, piece) < 0)
            Py_CLEAR(result);
    }
done:
    release(views, COUNT);
    return result;
}
