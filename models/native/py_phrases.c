#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "phrases.h"

#define PHRASES "scrubline.Phrases"

static void close_phrases(PyObject *capsule)
{
    Phrases *phrases = PyCapsule_GetPointer(capsule, PHRASES);
    if (phrases) {
        phrases_free(phrases);
        free(phrases);
    }
}

const char open_phrases_doc[] = PyDoc_STR(
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

PyObject *py_open_phrases(PyObject *self, PyObject *args)
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

/* The matches, those of one list after those of another, and row pointers of lists into them. */
static PyObject *by_list(const Matches *found, int32_t lists)
{
    int64_t *offsets = calloc((size_t)lists + 2, sizeof *offsets);
    Match *sorted = malloc((size_t)(found->count + 1) * sizeof *sorted);
    PyObject *result = NULL;
    if (offsets && sorted) {
        /* offsets[list + 1] is where the list's next match goes, and in the end where they end. */
        for (int64_t m = 0; m < found->count; m++)
            offsets[found->rows[m].list + 2]++;
        for (int32_t l = 2; l <= lists; l++)
            offsets[l] += offsets[l - 1];
        for (int64_t m = 0; m < found->count; m++)
            sorted[offsets[found->rows[m].list + 1]++] = found->rows[m];
        result = Py_BuildValue("(y#y#)", (char *)sorted, (Py_ssize_t)(found->count * (int64_t)sizeof(Match)),
                               (char *)offsets, (Py_ssize_t)(lists + 1) * 8);
    } else {
        PyErr_NoMemory();
    }
    free(offsets);
    free(sorted);
    return result;
}

const char match_phrases_doc[] = PyDoc_STR(
"match_phrases(phrases, words, bounds)\n--\n\n"
"Where phrases stand in documents: of each gazetteer leftmost-longest and without overlap.\n\n"
"Args:\n"
"    phrases: of `open_phrases`.\n"
"    words: int32, the number of each word of the text, -1 for one that is in no phrase.\n"
"    bounds: int64, row pointers of the documents into `words`.\n\n"
"Returns:\n"
"    bytes: a record a match: int64 the phrase's weight; int32 the gazetteer, first and last word,\n"
"        and nothing. Those of a gazetteer are together, in the order of the text.\n"
"    bytes: int64, row pointers of gazetteers into them.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_match_phrases(PyObject *self, PyObject *args)
{
    _Static_assert(sizeof(Match) == 24, "Python knows its layout");
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
        result = by_list(&found, phrases->lists);
done:
    free(free_at);
    free(found.rows);
    release(views, COUNT);
    return result;
}
