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

/* Of each pattern with windows these, as bytes; a dict, or NULL. */
static PyObject *by_pattern(const Windows *found, int64_t n)
{
    int64_t *begins = malloc((size_t)(n + 2) * sizeof *begins);
    Window *sorted = begins ? by_row(found, n, begins) : NULL;
    PyObject *result = sorted ? PyDict_New() : PyErr_NoMemory();
    for (int64_t p = 0; p < n && result; p++) {
        int64_t count = begins[p + 1] - begins[p];
        if (!count)
            continue;
        PyObject *pattern = PyLong_FromLongLong(p), *rows = PyBytes_FromStringAndSize(NULL, count * 16);
        if (rows) {
            int64_t *row = (int64_t *)PyBytes_AsString(rows);
            for (const Window *w = sorted + begins[p]; w < sorted + begins[p + 1]; w++) {
                *row++ = w->start;
                *row++ = w->end;
            }
        }
        if (!pattern || !rows || PyDict_SetItem(result, pattern, rows) < 0)
            Py_CLEAR(result);
        Py_XDECREF(pattern);
        Py_XDECREF(rows);
    }
    free(begins);
    free(sorted);
    return result;
}

/* Whether stretches, two offsets each, are in order, disjoint and within a text. */
static int are_stretches(const int64_t *stretches, int64_t n, int64_t size)
{
    int64_t behind = 0;
    for (int64_t i = 0; i < n; i++, behind = stretches[2 * i - 1])
        if (stretches[2 * i] < behind || stretches[2 * i + 1] < stretches[2 * i] || stretches[2 * i + 1] > size)
            return 0;
    return 1;
}

const char scan_doc[] = PyDoc_STR(
"scan(prefilter, views, stretches)\n--\n\n"
"Where patterns may match.\n\n"
"Args:\n"
"    prefilter: of `open_prefilter`.\n"
"    views: texts one behind the other, a byte for each code point.\n"
"    stretches: int64, [text, 2]: where each begins and ends in it.\n\n"
"Returns:\n"
"    a dict of the patterns whose needs are in a text: int64, [window, 2], as bytes: stretches of `views`, one of\n"
"    which each match is in; in order, disjoint, each within one text.\n\n"
"Raises:\n"
"    ValueError: if the stretches are not in order or not in the texts.\n");

PyObject *py_scan(PyObject *self, PyObject *args)
{
    enum { VIEWS, STRETCHES, COUNT };
    static const char *names[] = {"views", "stretches"};
    static const Py_ssize_t sizes[] = {1, 16};
    PyObject *capsule, *o[COUNT], *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &capsule, &o[VIEWS], &o[STRETCHES]))
        return NULL;
    const Prefilter *prefilter = PyCapsule_GetPointer(capsule, PREFILTER);
    if (!prefilter)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Windows found = {0};
    int failed;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const int64_t *stretches = views[STRETCHES].buf;
    int64_t n = views[STRETCHES].len / 16, n_patterns = 0;
    if (!are_stretches(stretches, n, views[VIEWS].len)) {
        PyErr_SetString(PyExc_ValueError, "scan: the stretches are not in order within the texts");
        goto done;
    }
    Py_BEGIN_ALLOW_THREADS
    failed = prefilter_scan(prefilter, views[VIEWS].buf, stretches, n, &found) < 0;
    Py_END_ALLOW_THREADS
    if (failed) {
        PyErr_NoMemory();
        goto done;
    }
    for (int64_t c = 0; c < prefilter->n_claims; c++)
        n_patterns = prefilter->claims[c].pattern < n_patterns ? n_patterns : prefilter->claims[c].pattern + 1;
    result = by_pattern(&found, n_patterns);
done:
    free(found.rows);
    release(views, COUNT);
    return result;
}

const char join_windows_doc[] = PyDoc_STR(
"join_windows(views, windows, apart)\n--\n\n"
"Windows one behind the other, each with a code point more on either side where there is one.\n\n"
"Args:\n"
"    views: as in `scan`.\n"
"    windows: int64, [window, 2], of it.\n"
"    apart: bytes, what stands behind each.\n\n"
"Returns:\n"
"    the bytes; and int64, [window], as bytes: where each window begins in them.\n\n"
"Raises:\n"
"    ValueError: if the windows are not in order or not in the texts.\n");

PyObject *py_join_windows(PyObject *self, PyObject *args)
{
    enum { VIEWS, WINDOWS, APART, COUNT };
    static const char *names[] = {"views", "windows", "apart"};
    static const Py_ssize_t sizes[] = {1, 16, 1};
    PyObject *o[COUNT], *joined = NULL, *places = NULL, *result = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &o[VIEWS], &o[WINDOWS], &o[APART]))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const char *texts = views[VIEWS].buf;
    const int64_t *windows = views[WINDOWS].buf;
    int64_t size = views[VIEWS].len, n = views[WINDOWS].len / 16, apart = views[APART].len, length = 0;
    if (!are_stretches(windows, n, size)) {
        PyErr_SetString(PyExc_ValueError, "join_windows: the windows are not in order within the texts");
        goto done;
    }
    for (int64_t w = 0; w < n; w++)
        length += windows[2 * w + 1] - windows[2 * w] + 2 + apart;
    joined = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length);
    places = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n * 8);
    if (!joined || !places)
        goto done;
    char *begin = PyBytes_AsString(joined), *at = begin;
    for (int64_t w = 0; w < n; w++) {
        int64_t start = windows[2 * w], from = start - (start > 0);
        int64_t end = windows[2 * w + 1], to = end + (end < size);
        ((int64_t *)PyBytes_AsString(places))[w] = at - begin + start - from;
        memcpy(at, texts + from, (size_t)(to - from));
        at += to - from;
        memcpy(at, views[APART].buf, (size_t)apart);
        at += apart;
    }
    /* The first window and the last may lack a neighbour. */
    memset(at, '\n', (size_t)(begin + length - at));
    result = PyTuple_Pack(2, joined, places);
done:
    Py_XDECREF(joined);
    Py_XDECREF(places);
    release(views, COUNT);
    return result;
}
