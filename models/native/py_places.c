#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "py_strings.h"

#define PLACES "scrubline.Places"
#define MOST_FIELDS 32
/* Folded words that are remembered from other batches; see models/features/attribute_index.py. */
#define MOST_FOLDED 1000000

static void close_places(PyObject *capsule)
{
    Places *places = PyCapsule_GetPointer(capsule, PLACES);
    if (places)
        places_free(places);
    let_go(capsule);
}

/* Whether what is in a choice is a place in it, and of as many kinds or lists as all. */
static int is_part(const int32_t *places, int64_t count, int32_t expected, int32_t names)
{
    for (int64_t i = 0; i < count; i++)
        if (places[i] < -1 || places[i] >= names)
            return 0;
    return count == expected;
}

/* (kinds int32, lists int32, names) each. */
static int take_choices(PyObject *tuple, Places *places)
{
    places->n_choices = (int32_t)PyTuple_Size(tuple);
    places->choices = calloc((size_t)places->n_choices + 1, sizeof *places->choices);
    if (!places->choices) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < places->n_choices; i++) {
        Landmarks *choice = places->choices + i;
        PyObject *kinds, *lists;
        int names;
        int64_t n_kinds, n_lists;
        if (!is_tuple(PyTuple_GetItem(tuple, i), "choice") ||
            !PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "OOi", &kinds, &lists, &names) ||
            take_numbers(kinds, &choice->kinds, &n_kinds, "kinds") < 0 ||
            take_numbers(lists, &choice->lists, &n_lists, "lists") < 0)
            return -1;
        choice->names = names;
        if (names < 1 || names > 1000 || !is_part(choice->kinds, n_kinds, places->n_kinds, names) ||
            !is_part(choice->lists, n_lists, places->n_lists, names)) {
            PyErr_SetString(PyExc_ValueError, "open_places: a choice of landmarks does not fit");
            return -1;
        }
    }
    return 0;
}

/* How many numbers a column has from `first` on. */
static int64_t numbers_of(const Places *places, const PlaceColumn *column)
{
    switch (column->kind) {
    case SPACING:
        return GAPS * GAPS;
    case LINE_TENTH:
        return TENTHS;
    case FIELD_SINCE:
        return REACH + 1;
    case NEAREST_SORT:
        return places->choices[column->list].names;
    case NEAREST_FAR:
        return BINS_OF_DISTANCES * (int64_t)places->choices[column->list].names;
    case NEARBY:
        return BINS_NEARBY + 1;
    case GAZETTEER_IN:
        return 1;
    case GAZETTEER_BIOES:
        return 4;
    case FREQUENCY:
        return column->most + 1;
    case DAY_MONTH:
        return 2 * DAY_ANSWERS;
    case SENTENCE_LENGTH:
    case SENTENCE_INDEX:
    case SENTENCE_REST:
        return BINS_OF_LINES + 1;
    case SENTENCE_END:
    case SENTENCE_BRACKET:
    case SENTENCE_QUOTED:
        return 2;
    case COUNT_SEQUENCE:
    case COUNT_DOCUMENT:
    case SHARE_SEQUENCE:
    case SHARE_DOCUMENT:
        return BINS_OF_COUNTS + 1;
    default:
        return column->kind >= LINE_INDEX && column->kind <= LINE_GAP ? BINS_OF_LINES + 1 : 0;
    }
}

static int needs_table(int32_t kind)
{
    return (kind >= LINE_FIELD && kind <= FIELD_COMING && kind != FIELD_SINCE) || kind == ELSEWHERE;
}

static int is_sound(const Places *places, const PlaceColumn *column)
{
    int choices = column->kind >= NEAREST_SORT && column->kind <= NEARBY;
    int lists = column->kind >= GAZETTEER_IN && column->kind <= FREQUENCY;
    if (column->kind < 0 || column->kind >= PLACE_KINDS || column->first < 0 || column->word < -1 ||
        column->list < 0 || column->most < 0 || column->most > 1000000)
        return 0;
    if (column->kind == ELSEWHERE && (column->most < 1 || column->most > MOST_FIELDS))
        return 0;
    if (needs_table(column->kind) && (column->table < 0 || column->table >= places->n_tables))
        return 0;
    if ((column->kind == BESIDE || column->kind == NEAREST_WORD) && column->word < 0)
        return 0;
    if (column->kind == OF_TOKEN && column->list >= places->n_of_tokens)
        return 0;
    if ((choices && column->list >= places->n_choices) || (lists && column->list >= places->n_lists))
        return 0;
    return column->first + numbers_of(places, column) <= places->n_numbers;
}

const char open_places_doc[] = PyDoc_STR(
"open_places(characters, fold, tables, columns, numbers, choices, kinds, lists, folded, flags, kind)\n"
"--\n\n"
"The properties that depend on where an item stands; see `models.features.native_columns`.\n\n"
"Args:\n"
"    characters: of `open_characters`.\n"
"    fold: a map, of case-folding.\n"
"    tables: tuple of what columns name.\n"
"    columns: int32, [column, 8].\n"
"    numbers: int32, what columns have for their values.\n"
"    choices: tuple of choices of landmarks.\n"
"    kinds, lists: how many there are.\n"
"    folded, flags, kind: columns of the words.\n\n"
"Raises:\n"
"    ValueError: if something does not fit together.\n");

PyObject *py_open_places(PyObject *self, PyObject *args)
{
    PyObject *characters, *fold, *tables, *columns, *numbers, *choices, *result = NULL;
    int kinds, lists, folded, flags, kind;
    _Static_assert(sizeof(PlaceColumn) == 32, "Python knows its layout");
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO!OOO!iiiii", &characters, &fold, &PyTuple_Type, &tables, &columns,
                          &numbers, &PyTuple_Type, &choices, &kinds, &lists, &folded, &flags, &kind))
        return NULL;
    Py_buffer view = {0};
    Places *places = calloc(1, sizeof *places);
    if (!places)
        return PyErr_NoMemory();
    places->n_kinds = kinds;
    places->n_lists = lists;
    places->folded = folded;
    places->flags = flags;
    places->kind = kind;
    places->known = PyCapsule_GetPointer(characters, CHARACTERS);
    if (!places->known || take_map(fold, &places->fold) < 0 ||
        take_tables(tables, &places->tables, &places->n_tables) < 0 || take_choices(choices, places) < 0 ||
        take_numbers(numbers, &places->numbers, &places->n_numbers, "numbers") < 0 ||
        take(columns, &view, sizeof(PlaceColumn), 0, "columns") < 0)
        goto done;
    places->n_columns = (int32_t)(view.len / (Py_ssize_t)sizeof(PlaceColumn));
    places->columns = copied(&view);
    if (!places->columns) {
        PyErr_NoMemory();
        goto done;
    }
    for (int32_t c = 0; c < places->n_columns; c++) {
        int32_t own = places->columns[c].kind;
        places->n_of_tokens += own == OF_TOKEN;
        places->needs_sentences |= own >= SENTENCE_LENGTH && own <= SENTENCE_QUOTED;
    }
    int sound = kinds >= 0 && lists >= 0 && folded >= 0 && flags >= 0 && kind >= 0;
    for (int32_t c = 0; c < places->n_columns && sound; c++)
        sound = is_sound(places, places->columns + c);
    if (!sound)
        PyErr_SetString(PyExc_ValueError, "open_places: the arrays do not fit together");
    else
        result = new_holding(places, PLACES, close_places, PyTuple_Pack(1, characters));
done:
    if (!result)
        places_free(places);
    if (view.obj)
        PyBuffer_Release(&view);
    return result;
}

enum {
    CODES, TEXTS, TOKENS, TOKEN_STARTS, TOKEN_ENDS, LINES, SENTENCES, TOKEN_VALUES, ITEMS, STARTS, ENDS,
    ANCHORS, SEQUENCES, IDS, ROWS, MATCHES, LISTS, COLUMNS, BUFFERS
};

/* Whether offsets of items and tokens lie in their texts, and anchors never go back. */
static int are_within(const View *view)
{
    for (int64_t d = 0; d < view->documents; d++) {
        int64_t size = view->text_offsets[d + 1] - view->text_offsets[d];
        int64_t first = view->token_offsets[d], end = view->token_offsets[d + 1];
        if (view->item_offsets[d] == view->item_offsets[d + 1])
            continue; /* it may have failed, and its text be gone */
        for (int64_t t = first; t < end; t++)
            if (view->token_starts[t] < 0 || view->token_ends[t] < view->token_starts[t] ||
                view->token_ends[t] > size)
                return 0;
        for (int64_t i = view->item_offsets[d]; i < view->item_offsets[d + 1]; i++)
            if (view->starts[i] < 0 || view->ends[i] < view->starts[i] || view->ends[i] > size)
                return 0;
        int64_t before = -1;
        for (int64_t i = view->item_offsets[d]; i < view->item_offsets[d + 1]; i++) {
            int64_t anchor = view->anchors[i];
            if (anchor < before || (anchor != -1 && (anchor < first || anchor >= end)))
                return 0;
            before = anchor;
        }
    }
    return 1;
}

static int are_words(const Places *places, const View *view)
{
    int32_t most = places->folded > places->flags ? places->folded : places->flags;
    most = places->kind > most ? places->kind : most;
    for (int32_t c = 0; c < places->n_columns; c++)
        most = places->columns[c].word > most ? places->columns[c].word : most;
    if (most >= view->width)
        return 0;
    for (int64_t i = 0; i < view->n_items; i++)
        if (view->word_ids[i] < 0 || view->word_ids[i] >= view->n_words)
            return 0;
    for (int64_t w = 0; w < view->n_words; w++) {
        const int32_t *row = view->rows + w * view->width;
        if (row[places->folded] < 0 || row[places->folded] >= view->n_folded ||
            row[places->kind] < -1 || row[places->kind] >= places->n_kinds)
            return 0;
        for (int32_t c = 0; c < places->n_columns; c++) {
            const PlaceColumn *column = places->columns + c;
            if (column->kind >= COUNT_SEQUENCE && column->kind <= SHARE_DOCUMENT && column->word >= 0 &&
                (row[column->word] < 0 || row[column->word] >= view->n_folded))
                return 0;
        }
    }
    return 1;
}

static int are_matches(const View *view, int32_t lists)
{
    for (int64_t m = 0; m < view->match_offsets[lists]; m++)
        if (view->matches[m].first < 0 || view->matches[m].last < view->matches[m].first ||
            view->matches[m].last >= view->n_items || view->matches[m].weight < 0)
            return 0;
    return 1;
}

/* The values and row pointers of each ELSEWHERE column, in order. */
static PyObject *given(const Places *places, const Several *several, int64_t items)
{
    PyObject *result = PyList_New(0);
    for (int32_t c = 0; c < places->n_columns && result; c++) {
        if (!several[c].offsets)
            continue;
        int64_t count = several[c].offsets[items];
        PyObject *pair = Py_BuildValue("(y#y#)", several[c].values ? (char *)several[c].values : "",
                                       (Py_ssize_t)count * 4, several[c].offsets,
                                       (Py_ssize_t)(items + 1) * 8);
        if (!pair || PyList_Append(result, pair) < 0)
            Py_CLEAR(result);
        Py_XDECREF(pair);
    }
    return result;
}

const char fill_places_doc[] = PyDoc_STR(
"fill_places(places, codes, text_offsets, token_offsets, token_starts, token_ends, starts_line,\n"
"            starts_sentence, token_values, item_offsets, starts, ends, anchors, sequence_offsets, word_ids, rows, matches,\n"
"            match_offsets, columns, folded)\n--\n\n"
"Properties of items that depend on where they stand.\n\n"
"Args:\n"
"    places: of `open_places`.\n"
"    codes, text_offsets, token_offsets, token_starts, token_ends, starts_line, item_offsets, starts,\n"
"        ends, anchors, sequence_offsets: as in `arrange`; anchors never go down in a document.\n"
"    starts_sentence: as `starts_line`; of no tokens where no column is of sentences.\n"
"    token_values: int32, [token, column of kind \"token\"].\n"
"    word_ids, rows: as `intern` gives them.\n"
"    matches, match_offsets: as `match_phrases` gives them.\n"
"    columns: int32, [item, column], -1 everywhere; written.\n"
"    folded: as `intern` gives it.\n\n"
"Returns:\n"
"    for each column of several values, these, int32, and the row pointers of items into them.\n\n"
"Raises:\n"
"    ValueError: if the arrays do not fit together.\n");

PyObject *py_fill_places(PyObject *self, PyObject *args)
{
    static const char *names[] = {"codes", "text_offsets", "token_offsets", "token_starts",
                                  "token_ends", "starts_line", "starts_sentence", "token_values",
                                  "item_offsets", "starts", "ends", "anchors", "sequence_offsets", "word_ids", "rows", "matches",
                                  "match_offsets", "columns"};
    static const Py_ssize_t sizes[] = {4, 8, 8, 8, 8, 1, 1, 4, 8, 8, 8, 8, 8, 8, 4,
                                       sizeof(Match), 8, 4};
    PyObject *capsule, *o[BUFFERS], *result = NULL;
    long long folded;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOOOOOOOOOOOL", &capsule, &o[0], &o[1], &o[2], &o[3], &o[4],
                          &o[5], &o[6], &o[7], &o[8], &o[9], &o[10], &o[11], &o[12], &o[13], &o[14],
                          &o[15], &o[16], &o[17], &folded))
        return NULL;
    const Places *places = PyCapsule_GetPointer(capsule, PLACES);
    if (!places)
        return NULL;
    Py_buffer views[BUFFERS] = {{0}};
    Several *several = calloc((size_t)places->n_columns + 1, sizeof *several);
    if (!several) {
        PyErr_NoMemory();
        goto done;
    }
    if (take_all(o, views, sizes, names, BUFFERS, 1) < 0)
        goto done;
    View view = {
        .documents = views[TEXTS].len / 8 - 1,
        .n_tokens = views[TOKEN_STARTS].len / 8,
        .n_items = views[STARTS].len / 8,
        .n_sequences = views[SEQUENCES].len / 8 - 1,
        .codes = views[CODES].buf,
        .text_offsets = views[TEXTS].buf,
        .token_offsets = views[TOKENS].buf,
        .token_starts = views[TOKEN_STARTS].buf,
        .token_ends = views[TOKEN_ENDS].buf,
        .starts_line = views[LINES].buf,
        .starts_sentence = views[SENTENCES].buf,
        .token_values = views[TOKEN_VALUES].buf,
        .item_offsets = views[ITEMS].buf,
        .starts = views[STARTS].buf,
        .ends = views[ENDS].buf,
        .anchors = views[ANCHORS].buf,
        .sequence_offsets = views[SEQUENCES].buf,
        .word_ids = views[IDS].buf,
        .rows = views[ROWS].buf,
        .n_folded = folded,
        .matches = views[MATCHES].buf,
        .match_offsets = views[LISTS].buf,
    };
    int64_t n_ids = views[IDS].len / 8, most = -1;
    for (int64_t i = 0; i < n_ids; i++)
        most = view.word_ids[i] > most ? view.word_ids[i] : most;
    view.n_words = most < INT32_MAX ? most + 1 : 0;
    view.width = view.n_words ? (int32_t)(views[ROWS].len / 4 / view.n_words) : INT32_MAX;
    int bad = views[TOKENS].len / 8 != view.documents + 1 || views[TOKEN_ENDS].len / 8 != view.n_tokens ||
              views[LINES].len != view.n_tokens ||
              (views[SENTENCES].len != view.n_tokens &&
               (places->needs_sentences || views[SENTENCES].len != 0)) ||
              views[TOKEN_VALUES].len / 4 != view.n_tokens * places->n_of_tokens || views[ITEMS].len / 8 != view.documents + 1 ||
              views[ENDS].len / 8 != view.n_items || views[ANCHORS].len / 8 != view.n_items ||
              n_ids != view.n_items || most >= INT32_MAX || folded < 0 || folded > view.n_items + MOST_FOLDED ||
              (view.n_words && views[ROWS].len != 4 * view.n_words * (int64_t)view.width) ||
              views[LISTS].len / 8 != places->n_lists + 1 ||
              views[COLUMNS].len / 4 != view.n_items * places->n_columns ||
              !is_apart(&views[COLUMNS], views, BUFFERS) ||
              !are_offsets(view.text_offsets, view.documents + 1, views[CODES].len / 4) ||
              !are_offsets(view.token_offsets, view.documents + 1, view.n_tokens) ||
              !are_offsets(view.item_offsets, view.documents + 1, view.n_items) ||
              !are_offsets(view.sequence_offsets, view.n_sequences + 1, view.n_items) ||
              !are_offsets(view.match_offsets, places->n_lists + 1,
                           views[MATCHES].len / (Py_ssize_t)sizeof(Match)) ||
              !are_within(&view) || !are_words(places, &view) || !are_matches(&view, places->n_lists) ||
              !are_codes(&views[CODES]);
    if (bad) {
        PyErr_SetString(PyExc_ValueError, "fill_places: the arrays do not fit together");
        goto done;
    }
    int lacking = 0;
    for (int32_t c = 0; c < places->n_columns && !lacking; c++)
        if (places->columns[c].kind == ELSEWHERE) {
            several[c].offsets = calloc((size_t)view.n_items + 1, sizeof *several[c].offsets);
            lacking = !several[c].offsets;
        }
    Py_BEGIN_ALLOW_THREADS
    lacking = lacking || places_fill(places, &view, views[COLUMNS].buf, several) < 0;
    Py_END_ALLOW_THREADS
    if (lacking)
        PyErr_NoMemory();
    else
        result = given(places, several, view.n_items);
done:
    for (int32_t c = 0; several && c < places->n_columns; c++) {
        free(several[c].values);
        free(several[c].offsets);
    }
    free(several);
    release(views, BUFFERS);
    return result;
}
