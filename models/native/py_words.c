#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "py_strings.h"
#include "words.h"

#define WORDS "scrubline.Words"
#define MOST_CLASSES 64

static void close_words(PyObject *capsule)
{
    Words *words = PyCapsule_GetPointer(capsule, WORDS);
    if (words)
        words_free(words);
    let_go(capsule);
}

static int is_column(const Words *words, const WordColumn *c, int64_t kinds)
{
    if (c->way < 0 || c->way >= WAYS || c->lookup < -1 || c->fan < -1 || c->kinds < -1 || c->first < 0 ||
        c->n < 0)
        return 0;
    if ((c->way == LOOKED_UP || c->way == KIND) && c->kinds >= 0 && c->kinds + kinds > words->n_numbers)
        return 0;
    switch (c->way) {
    case LOOKED_UP:
        return c->lookup >= 0 && c->lookup < words->n_tables && c->fan >= 0 &&
               c->fan + words->tables[c->lookup].count <= words->n_numbers;
    case LENGTH:
        return c->first + (int64_t)c->n < words->n_numbers;
    case CLASSES:
        return c->lookup >= 0 && c->lookup < words->n_maps && c->n <= MOST_CLASSES &&
               c->first + (int64_t)c->n <= words->n_classes;
    case FOLDED:
        return c->lookup >= 0 && c->lookup < words->n_maps;
    default:
        return 1;
    }
}

/* Whether what columns and lookups name is there. */
static int are_sound(const Words *words, int64_t kinds)
{
    for (int32_t i = 0; i < words->n_columns; i++)
        if (!is_column(words, words->columns + i, kinds))
            return 0;
    for (int32_t i = 0; i < words->n_tables; i++) {
        const WordLookup *l = words->lookups + i;
        if (l->cut < 0 || l->cut >= CUTS || l->map < -1 || l->map >= words->n_maps || l->n < 0 ||
            l->least < 0 || (l->cut == COLLAPSED && l->map < 0))
            return 0;
    }
    for (int32_t i = 0; i < words->n_classes; i++) {
        const Class *one = words->classes + i;
        if (one->kind < RUN || one->kind > ENDING || one->first < 0 || one->count < 1 || one->skip < 0 ||
            one->first > words->n_segments - one->count)
            return 0;
    }
    return 1;
}

const char open_words_doc[] = PyDoc_STR(
"open_words(characters, merger, maps, tables, lookups, columns, numbers, classes, segments)\n--\n\n"
"What the words of texts are numbered by, and what is said of each; see `models.features.native_columns`.\n\n"
"Args:\n"
"    characters: of `open_characters`.\n"
"    merger: of `open_merger`; None if no column needs kinds.\n"
"    maps: tuple of what is done to words.\n"
"    tables: tuple of the strings that are looked up, for each lookup.\n"
"    lookups: int32, [lookup, 4].\n"
"    columns: int32, [column, 6].\n"
"    numbers: int32, the values of what is found, of kinds and of lengths.\n"
"    classes: int32, [class, 5].\n"
"    segments: int32, [segment, 3].\n\n"
"Raises:\n"
"    ValueError: if something does not fit together.\n");

PyObject *py_open_words(PyObject *self, PyObject *args)
{
    enum { LOOKUPS, COLUMNS, CLASSES_OF, SEGMENTS, COUNT };
    static const char *names[] = {"lookups", "columns", "classes", "segments"};
    static const Py_ssize_t sizes[] = {sizeof(WordLookup), sizeof(WordColumn), sizeof(Class),
                                       sizeof(Segment)};
    PyObject *characters, *merger, *maps, *tables, *numbers, *o[COUNT], *result = NULL;
    _Static_assert(sizeof(WordLookup) == 16 && sizeof(WordColumn) == 24 && sizeof(Class) == 20 && sizeof(Segment) == 12,
                   "Python knows their layout");
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO!O!OOOOO", &characters, &merger, &PyTuple_Type, &maps,
                          &PyTuple_Type, &tables, &o[LOOKUPS], &o[COLUMNS], &numbers, &o[CLASSES_OF], &o[SEGMENTS]))
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    Words *words = calloc(1, sizeof *words);
    if (!words)
        return PyErr_NoMemory();
    words->known = PyCapsule_GetPointer(characters, CHARACTERS);
    if (!words->known)
        goto done;
    if (merger != Py_None && !(words->merger = PyCapsule_GetPointer(merger, MERGER)))
        goto done;
    if (take_maps(maps, &words->maps, &words->n_maps) < 0 ||
        take_tables(tables, &words->tables, &words->n_tables) < 0 ||
        take_numbers(numbers, &words->numbers, &words->n_numbers, "numbers") < 0 ||
        take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    words->n_columns = (int32_t)(views[COLUMNS].len / sizes[COLUMNS]);
    words->n_classes = (int32_t)(views[CLASSES_OF].len / sizes[CLASSES_OF]);
    words->n_segments = views[SEGMENTS].len / sizes[SEGMENTS];
    words->lookups = copied(&views[LOOKUPS]);
    words->found = malloc(((size_t)words->n_tables + 1) * sizeof *words->found);
    words->columns = copied(&views[COLUMNS]);
    words->classes = copied(&views[CLASSES_OF]);
    words->segments = copied(&views[SEGMENTS]);
    words->sets = malloc(MOST_SETS * sizeof *words->sets);
    if (!words->lookups || !words->found || !words->columns || !words->classes || !words->segments || !words->sets ||
        table_make(&words->words, SOME_WORDS) < 0 || table_make(&words->folded, SOME_WORDS) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    int64_t kinds = words->merger ? words->merger->kinds.n_entries : 0;
    if (views[LOOKUPS].len != words->n_tables * sizes[LOOKUPS] || !are_sound(words, kinds))
        PyErr_SetString(PyExc_ValueError, "open_words: the arrays do not fit together");
    else
        result = new_holding(words, WORDS, close_words, PyTuple_Pack(2, characters, merger));
done:
    if (!result)
        words_free(words);
    release(views, COUNT);
    return result;
}

/* For each column of CLASSES (values int32, offsets int64): the values of each set. */
static PyObject *values_of_sets(const Words *words)
{
    PyObject *result = PyList_New(0);
    int32_t *values = malloc(((size_t)words->n_sets * MOST_CLASSES + 1) * sizeof *values);
    int64_t *offsets = malloc(((size_t)words->n_sets + 1) * sizeof *offsets);
    if (result && (!values || !offsets)) {
        PyErr_NoMemory();
        Py_CLEAR(result);
    }
    for (int32_t c = 0; c < words->n_columns && result; c++) {
        const WordColumn *column = words->columns + c;
        if (column->way != CLASSES)
            continue;
        int64_t count = 0;
        offsets[0] = 0;
        for (int64_t s = 0; s < words->n_sets; s++) {
            for (int32_t k = 0; k < column->n; k++)
                if (words->sets[s] >> k & 1)
                    values[count++] = words->classes[column->first + k].number;
            offsets[s + 1] = count;
        }
        PyObject *pair = Py_BuildValue("(y#y#)", values, (Py_ssize_t)count * 4, offsets,
                                       (Py_ssize_t)(words->n_sets + 1) * 8);
        if (!pair || PyList_Append(result, pair) < 0)
            Py_CLEAR(result);
        Py_XDECREF(pair);
    }
    free(values);
    free(offsets);
    return result;
}

const char intern_doc[] = PyDoc_STR(
"intern(words, codes, text_offsets, item_offsets, starts, ends, most_words, most_codes, word_ids)\n--\n\n"
"The distinct words of a batch, and what is said of each.\n\n"
"What was met before is remembered, and forgotten before a batch when it is more than so many words or\n"
"code points. The caller sees to it that no two threads are in here with the same words.\n\n"
"Args:\n"
"    words: of `open_words`.\n"
"    codes: uint32, the code points of all texts.\n"
"    text_offsets: int64, row pointers into `codes`.\n"
"    item_offsets: int64, row pointers of texts into items.\n"
"    starts, ends: int64, of the items.\n"
"    most_words, most_codes: see above.\n"
"    word_ids: int64, written: the word of each item.\n\n"
"Returns:\n"
"    bytes of int32 [word, column]; above which numbers of folded words there are none; for each\n"
"    column of classes its values, int32, and the row pointers of its sets into them.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_intern(PyObject *self, PyObject *args)
{
    enum { CODES, TEXTS, ITEMS, STARTS, ENDS, IDS, COUNT };
    static const char *names[] = {"codes", "text_offsets", "item_offsets", "starts", "ends", "word_ids"};
    static const Py_ssize_t sizes[] = {4, 8, 8, 8, 8, 8};
    PyObject *capsule, *o[COUNT], *result = NULL, *sets = NULL;
    long long most_words, most_codes;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOLLO", &capsule, &o[0], &o[1], &o[2], &o[3], &o[4], &most_words,
                          &most_codes, &o[5]))
        return NULL;
    Words *words = PyCapsule_GetPointer(capsule, WORDS);
    if (!words)
        return NULL;
    Py_buffer views[COUNT] = {{0}};
    int32_t *rows = NULL;
    if (take_all(o, views, sizes, names, COUNT, 1) < 0)
        goto done;
    const uint32_t *codes = views[CODES].buf;
    const int64_t *texts = views[TEXTS].buf, *items = views[ITEMS].buf;
    const int64_t *starts = views[STARTS].buf, *ends = views[ENDS].buf;
    int64_t *ids = views[IDS].buf;
    int64_t documents = views[TEXTS].len / 8 - 1, count = views[STARTS].len / 8;
    int bad = views[ITEMS].len / 8 != documents + 1 || views[ENDS].len / 8 != count ||
              views[IDS].len / 8 != count || !is_apart(&views[IDS], views, COUNT) ||
              !are_offsets(texts, documents + 1, views[CODES].len / 4) ||
              !are_offsets(items, documents + 1, count) || !are_codes(&views[CODES]);
    for (int64_t d = 0; d < documents && !bad; d++)
        for (int64_t i = items[d]; i < items[d + 1] && !bad; i++)
            bad = starts[i] < 0 || ends[i] < starts[i] || ends[i] > texts[d + 1] - texts[d];
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "intern: the arrays do not fit together");
        goto done;
    }
    if (words_forget(words, most_words, most_codes) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    words->batch++;
    int64_t met = 0, room = 0, width = words->n_columns;
    for (int64_t d = 0; d < documents; d++)
        for (int64_t i = items[d]; i < items[d + 1]; i++) {
            int64_t row, place = word_place(words, codes + texts[d] + starts[i], ends[i] - starts[i], met, &row);
            if (place < 0 || fit((void **)&rows, &room, met + 1, (size_t)width * sizeof *rows) < 0) {
                PyErr_NoMemory();
                goto done;
            }
            if (place == met)
                memcpy(rows + met++ * width, words->rows + row * width, (size_t)width * sizeof *rows);
            ids[i] = place;
        }
    sets = values_of_sets(words);
    if (sets)
        result = Py_BuildValue("(y#LO)", rows ? (char *)rows : "", (Py_ssize_t)(met * width) * 4,
                               (long long)words->folded.count, sets);
done:
    Py_XDECREF(sets);
    free(rows);
    release(views, COUNT);
    return result;
}
