#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "prefilter.h"

#define PREFILTER "scrubline.Prefilter"
#define MOST_LETTERS (INT32_C(1) << 24)

static void close_prefilter(PyObject *capsule)
{
    Prefilter *prefilter = PyCapsule_GetPointer(capsule, PREFILTER);
    if (prefilter)
        prefilter_free(prefilter);
}

const char open_prefilter_doc[] = PyDoc_STR(
"open_prefilter(letters, offsets, needs, flags, claims)\n--\n\n"
"What patterns need, to be looked for in texts.\n\n"
"Args:\n"
"    letters: bytes of all pieces: letters of ASCII and 0 for digits; or a mark alone.\n"
"    offsets: int64, row pointers of pieces into `letters`.\n"
"    needs: int64, the need of each piece.\n"
"    flags: uint8 of each piece: 1 if it begins where letters and digits do, 2 if it ends there, and\n"
"        four times its `Case`.\n"
"    claims: int64, four for each: a pattern, those of one in a row; a need, of which each match holds a\n"
"        piece; how far before the piece it begins, -1 if that may differ; how long it is at most.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

static int is_letter(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '0';
}

PyObject *py_open_prefilter(PyObject *self, PyObject *args)
{
    enum { LETTERS, OFFSETS, NEEDS, FLAGS, CLAIMS, COUNT };
    static const char *names[] = {"letters", "offsets", "needs", "flags", "claims"};
    static const Py_ssize_t sizes[] = {1, 8, 8, 1, 32};
    PyObject *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOO", &o[LETTERS], &o[OFFSETS], &o[NEEDS], &o[FLAGS], &o[CLAIMS]))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Prefilter *prefilter = NULL;
    uint8_t *begins = NULL;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const uint8_t *letters = views[LETTERS].buf, *flags = views[FLAGS].buf;
    const int64_t *offsets = views[OFFSETS].buf, *needs = views[NEEDS].buf;
    const Claim *claims = views[CLAIMS].buf;
    int64_t n_letters = views[LETTERS].len, n = views[FLAGS].len, n_claims = views[CLAIMS].len / 32;
    int64_t n_needs = 0;
    int bad = views[OFFSETS].len / 8 != n + 1 || views[NEEDS].len / 8 != n || n_letters > MOST_LETTERS ||
              n_claims > MOST_LETTERS || !are_offsets(offsets, n + 1, n_letters);
    for (int64_t p = 0; p < n && !bad; p++) {
        int64_t size = offsets[p + 1] - offsets[p];
        bad = !size || needs[p] < 0 || needs[p] >= MOST_LETTERS || flags[p] >= 4 * CASES;
        for (int64_t i = offsets[p]; i < offsets[p + 1] && !bad; i++)
            bad = !is_letter(letters[i]) && (size > 1 || flags[p] & 3 || letters[i] > 127 ||
                                             (letters[i] >= '1' && letters[i] <= '9'));
    }
    for (int64_t p = 0; p < n && !bad; p++)
        n_needs = needs[p] < n_needs ? n_needs : needs[p] + 1;
    for (int64_t c = 0; c < n_claims && !bad; c++)
        bad = claims[c].need < 0 || claims[c].need >= n_needs || claims[c].before < -1 || claims[c].reach < 0;
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "open_prefilter: the arrays do not fit together");
        goto done;
    }
    prefilter = prefilter_make(n_letters, n, n_needs, n_claims);
    begins = malloc((size_t)n + 1);
    if (!prefilter || !begins) {
        PyErr_NoMemory();
        goto done;
    }
    if (n_letters)
        memcpy(prefilter->letters, letters, (size_t)n_letters);
    if (n_claims)
        memcpy(prefilter->claims, claims, (size_t)n_claims * sizeof *claims);
    for (int64_t p = 0; p < n; p++) {
        begins[p] = flags[p] & 1;
        prefilter->pieces[p] = (LiteralPiece){
            .letters = prefilter->letters + offsets[p],
            .size = (int32_t)(offsets[p + 1] - offsets[p]),
            .need = (int32_t)needs[p],
            .written = flags[p] >> 2,
            .ends = flags[p] >> 1 & 1,
        };
    }
    if (prefilter_join(prefilter, begins) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    result = PyCapsule_New(prefilter, PREFILTER, close_prefilter);
done:
    if (!result && prefilter)
        prefilter_free(prefilter);
    free(begins);
    release(views, COUNT);
    return result;
}

/* Adds to the list of its pattern; takes the item, which may be missing. */
static int put(PyObject *lists, int64_t row, PyObject *item)
{
    PyObject *pattern = PyLong_FromLongLong(row);
    PyObject *list = pattern ? PyDict_GetItemWithError(lists, pattern) : NULL;
    int failed = !item || !pattern || (!list && PyErr_Occurred());
    if (!failed && list) {
        failed = PyList_Append(list, item) < 0;
    } else if (!failed) {
        list = PyList_New(0);
        failed = !list || PyList_Append(list, item) < 0 || PyDict_SetItem(lists, pattern, list) < 0;
        Py_XDECREF(list);
    }
    Py_XDECREF(pattern);
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

const char scan_doc[] = PyDoc_STR(
"scan(prefilter, view)\n--\n\n"
"Where patterns may match.\n\n"
"Args:\n"
"    prefilter: of `open_prefilter`.\n"
"    view: the text, a byte for each code point.\n\n"
"Returns:\n"
"    a dict of the patterns whose needs are in the text: a list of the offsets at one of which each match\n"
"    begins, where they are known and few; of the others a list of stretches, pairs of offsets, one of\n"
"    which each match is in. In order, stretches disjoint.\n");

PyObject *py_scan(PyObject *self, PyObject *args)
{
    static const char *names[] = {"view"};
    static const Py_ssize_t sizes[] = {1};
    PyObject *capsule, *o[1], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &o[0]))
        return NULL;
    const Prefilter *prefilter = PyCapsule_GetPointer(capsule, PREFILTER);
    if (!prefilter)
        return NULL;
    Py_buffer views[1] = {{0}};
    Windows starts = {0}, windows = {0};
    int failed;
    if (take_all(o, views, sizes, names, 1, 0) < 0)
        goto done;
    Py_BEGIN_ALLOW_THREADS
    failed = prefilter_scan(prefilter, views[0].buf, views[0].len, &starts, &windows) < 0;
    Py_END_ALLOW_THREADS
    if (failed) {
        PyErr_NoMemory();
        goto done;
    }
    result = PyDict_New();
    failed = !result;
    for (int64_t i = 0; i < starts.count && !failed; i++)
        failed = put(result, starts.rows[i].row, PyLong_FromLongLong(starts.rows[i].start)) < 0;
    for (int64_t i = 0; i < windows.count && !failed; i++)
        failed = put(result, windows.rows[i].row,
                     Py_BuildValue("(LL)", (long long)windows.rows[i].start,
                                   (long long)windows.rows[i].end)) < 0;
    if (failed)
        Py_CLEAR(result);
done:
    free(starts.rows);
    free(windows.rows);
    release(views, 1);
    return result;
}
