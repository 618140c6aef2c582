#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "tokenize.h"

static void close_characters(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, CHARACTERS));
}

const char open_characters_doc[] = PyDoc_STR(
"open_characters(classes, traits)\n--\n\n"
"What is known of code points.\n\n"
"Args:\n"
"    classes: uint8, the class of each code point, as in `models.text.characters`.\n"
"    traits: uint16, its traits, likewise.\n\n"
"Raises:\n"
"    ValueError: if either is not of all code points.\n");

PyObject *py_open_characters(PyObject *self, PyObject *args)
{
    enum { CLASSES, TRAITS, COUNT };
    static const char *names[] = {"classes", "traits"};
    static const Py_ssize_t sizes[] = {1, 2};
    PyObject *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &o[CLASSES], &o[TRAITS]))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Characters *known = malloc(sizeof *known);
    if (!known)
        return PyErr_NoMemory();
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    if (views[CLASSES].len != CODE_POINTS || views[TRAITS].len != 2 * CODE_POINTS) {
        PyErr_SetString(PyExc_ValueError, "open_characters: the tables are not of all code points");
        goto done;
    }
    memcpy(known->classes, views[CLASSES].buf, sizeof known->classes);
    memcpy(known->traits, views[TRAITS].buf, sizeof known->traits);
    result = PyCapsule_New(known, CHARACTERS, close_characters);
done:
    if (!result)
        free(known);
    release(views, COUNT);
    return result;
}

const char tokenize_doc[] = PyDoc_STR(
"tokenize(characters, codes, text_offsets)\n--\n\n"
"The fine tokens of texts, one text after another.\n\n"
"Args:\n"
"    characters: of `open_characters`.\n"
"    codes: uint32, the code points of all texts.\n"
"    text_offsets: int64, row pointers into `codes`.\n\n"
"Returns:\n"
"    seven columns as bytes: int64 row pointers of texts into tokens; int64 starts and ends in the\n"
"    text; flags, whether a coarse token and whether a line begins; uint8 class of the first\n"
"    character; int64 line breaks before the first token of a line, one more before the first of all.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together or a code point is out of range.\n");

PyObject *py_tokenize(PyObject *self, PyObject *args)
{
    enum { CODES, OFFSETS, COUNT };
    static const char *names[] = {"codes", "text_offsets"};
    static const Py_ssize_t sizes[] = {4, 8};
    PyObject *capsule, *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &capsule, &o[CODES], &o[OFFSETS]))
        return NULL;
    const Characters *known = PyCapsule_GetPointer(capsule, CHARACTERS);
    if (!known)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    TokenTable tokens = {0};
    Bench bench = {0};
    int64_t *counts = NULL;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const uint32_t *codes = views[CODES].buf;
    const int64_t *offsets = views[OFFSETS].buf;
    int64_t size = views[CODES].len / 4, texts = views[OFFSETS].len / 8 - 1;
    int lacking = 0;
    if (!are_offsets(offsets, texts + 1, size) || !are_codes(&views[CODES])) {
        PyErr_SetString(PyExc_ValueError, "tokenize: the arrays do not fit together");
        goto done;
    }
    counts = malloc((size_t)(texts + 1) * sizeof *counts);
    if (!counts) {
        PyErr_NoMemory();
        goto done;
    }
    counts[0] = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t t = 0; t < texts && !lacking; t++) {
        lacking = tokenize(known, codes + offsets[t], offsets[t + 1] - offsets[t], &bench, &tokens) < 0;
        counts[t + 1] = tokens.count;
    }
    Py_END_ALLOW_THREADS
    if (lacking) {
        PyErr_NoMemory();
        goto done;
    }
    Py_ssize_t wide = (Py_ssize_t)tokens.count * 8, narrow = (Py_ssize_t)tokens.count;
    result = Py_BuildValue("(y#y#y#y#y#y#y#)", counts, (Py_ssize_t)(texts + 1) * 8,
                           tokens.starts ? (char *)tokens.starts : "", wide,
                           tokens.ends ? (char *)tokens.ends : "", wide,
                           tokens.coarse ? (char *)tokens.coarse : "", narrow,
                           tokens.line ? (char *)tokens.line : "", narrow,
                           tokens.classes ? (char *)tokens.classes : "", narrow,
                           tokens.breaks ? (char *)tokens.breaks : "", wide);
done:
    free(counts);
    tokens_free(&tokens);
    bench_free(&bench);
    release(views, COUNT);
    return result;
}
