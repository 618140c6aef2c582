#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* As in models/features/field.py. */
#define FIELD_TOKENS 8
#define FIELD_CHARACTERS 48

void places_free(Places *places)
{
    for (int32_t i = 0; i < places->n_tables && places->tables; i++)
        table_free(places->tables + i);
    for (int32_t i = 0; i < places->n_choices && places->choices; i++) {
        free(places->choices[i].kinds);
        free(places->choices[i].lists);
    }
    map_free(&places->fold);
    free(places->tables);
    free(places->columns);
    free(places->numbers);
    free(places->choices);
    free(places);
}

/* A line of a document: its tokens, the colon behind its field's name, and that. */
typedef struct {
    int64_t first, end, colon;
    int32_t name; /* index into `names`, -1 for none */
} Line;

/* A line of the form in whose field a word stands. */
typedef struct {
    int64_t line;
    int32_t name;
} Stand;

/* What is worked with: the lines of a document, and room. */
typedef struct {
    const Places *places;
    const View *view;
    Line *lines;
    int64_t n_lines, line_room;
    int64_t *line_of; /* of each token of the document */
    int64_t token_room;
    Table names; /* of fields, of the whole batch */
    Codes raw, folded;
    int64_t *seen; /* by word or folded word: the last group it was met in */
    int64_t *counts;
    int16_t *marks; /* of landmarks */
    Stand *stands;
    int64_t n_stands, stand_room;
    Brackets brackets;
} Work;

static void work_free(Work *work)
{
    free(work->lines);
    free(work->line_of);
    table_free(&work->names);
    codes_free(&work->raw);
    codes_free(&work->folded);
    free(work->seen);
    free(work->counts);
    free(work->marks);
    free(work->stands);
    free(work->brackets.partners);
}

static int bit_length(int64_t value)
{
    int bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

static int32_t binned(const int32_t *numbers, int64_t value, int most)
{
    int bits = bit_length(value);
    return numbers[bits < most ? bits : most];
}

static const uint32_t *token_codes(const View *view, int64_t document, int64_t token, int64_t *size)
{
    *size = view->token_ends[token] - view->token_starts[token];
    return view->codes + view->text_offsets[document] + view->token_starts[token];
}

static int is_colon(const View *view, int64_t document, int64_t token)
{
    int64_t size;
    const uint32_t *codes = token_codes(view, document, token, &size);
    return size == 1 && codes[0] == ':';
}

/* The name of the field that a line opens with, as an index; -1 for none, -2 without memory. */
static int32_t read_name(Work *work, int64_t document, const Line *line)
{
    int64_t size;
    work->raw.size = 0;
    for (int64_t t = line->first; t < line->colon && work->raw.size < FIELD_CHARACTERS; t++) {
        const uint32_t *codes = token_codes(work->view, document, t, &size);
        size = size < FIELD_CHARACTERS ? size : FIELD_CHARACTERS;
        if (codes_fit(&work->raw, size + 1) < 0)
            return -2;
        if (t > line->first)
            work->raw.codes[work->raw.size++] = ' ';
        memcpy(work->raw.codes + work->raw.size, codes, (size_t)size * sizeof *codes);
        work->raw.size += size;
    }
    if (map_codes(&work->places->fold, work->raw.codes, work->raw.size, &work->folded) < 0)
        return -2;
    size = work->folded.size < FIELD_CHARACTERS ? work->folded.size : FIELD_CHARACTERS;
    uint32_t hash = hash_codes(work->folded.codes, size);
    int64_t found = table_find(&work->names, work->folded.codes, size, hash);
    if (found < 0)
        found = table_add(&work->names, work->folded.codes, size, hash, 0);
    return found < 0 ? -2 : (int32_t)found;
}

static int read_lines(Work *work, int64_t document)
{
    const View *view = work->view;
    int64_t first = view->token_offsets[document], end = view->token_offsets[document + 1];
    if (fit((void **)&work->line_of, &work->token_room, end - first, sizeof *work->line_of) < 0)
        return -1;
    work->n_lines = 0;
    for (int64_t t = first; t < end; t++) {
        if (t == first || view->starts_line[t]) {
            if (fit((void **)&work->lines, &work->line_room, work->n_lines + 1, sizeof *work->lines) < 0)
                return -1;
            work->lines[work->n_lines++] = (Line){t, end, -1, -1};
            if (work->n_lines > 1)
                work->lines[work->n_lines - 2].end = t;
        }
        work->line_of[t - first] = work->n_lines - 1;
    }
    for (int64_t l = 0; l < work->n_lines; l++) {
        Line *line = work->lines + l;
        int64_t last = line->first + FIELD_TOKENS < line->end ? line->first + FIELD_TOKENS : line->end;
        int64_t t = line->first;
        while (t < last && !is_colon(view, document, t))
            t++;
        if (t == line->first || t == last)
            continue;
        line->colon = t;
        line->name = read_name(work, document, line);
        if (line->name == -2)
            return -1;
    }
    return 0;
}

static int32_t name_number(const Work *work, const PlaceColumn *column, int32_t name)
{
    if (name < 0)
        return -1;
    const Entry *entry = work->names.entries + name;
    return table_number(work->places->tables + column->table, work->names.pool.codes + entry->offset,
                        entry->size);
}

/* The number of a token's word, case-folded; -1 for none, -2 without memory. */
static int32_t word_number(Work *work, const PlaceColumn *column, int64_t document, int64_t token)
{
    int64_t size;
    const uint32_t *codes = token_codes(work->view, document, token, &size);
    uint32_t clipped[LONGEST_WORD];
    codes = clip_word(codes, &size, clipped);
    if (map_codes(&work->places->fold, codes, size, &work->folded) < 0)
        return -2;
    return table_number(work->places->tables + column->table, work->folded.codes, work->folded.size);
}

/* The items of a document, and how far apart their cells of a column are. */
typedef struct {
    int64_t document, first, end, step;
    int32_t *cells; /* of the first item */
} Range;

static const Line *line_of_item(const Work *work, const Range *range, int64_t item)
{
    int64_t anchor = work->view->anchors[item];
    if (anchor < 0)
        return NULL;
    return work->lines + work->line_of[anchor - work->view->token_offsets[range->document]];
}

static int32_t line_value(const Work *work, const PlaceColumn *column, const Line *line, int64_t token)
{
    const int32_t *numbers = work->places->numbers + column->first;
    int64_t number = line - work->lines;
    switch (column->kind) {
    case LINE_INDEX:
        return binned(numbers, token - line->first, BINS_OF_LINES);
    case LINE_REST:
        return binned(numbers, line->end - 1 - token, BINS_OF_LINES);
    case LINE_NUMBER:
        return binned(numbers, number, BINS_OF_LINES);
    case LINE_BELOW:
        return binned(numbers, work->n_lines - 1 - number, BINS_OF_LINES);
    case LINE_SIZE:
        return binned(numbers, line->end - line->first, BINS_OF_LINES);
    case LINE_TENTH:
        return numbers[number * TENTHS / work->n_lines];
    default: /* LINE_GAP */
        return line->colon >= 0 && token > line->colon
                   ? binned(numbers, token - line->colon, BINS_OF_LINES)
                   : -1;
    }
}

static void fill_lines(const Work *work, const PlaceColumn *column, const Range *range)
{
    for (int64_t i = range->first; i < range->end; i++) {
        const Line *line = line_of_item(work, range, i);
        if (line)
            range->cells[(i - range->first) * range->step] =
                line_value(work, column, line, work->view->anchors[i]);
    }
}

static int32_t name_around(const Work *work, int32_t kind, int64_t line)
{
    if (kind == FIELD_ABOVE)
        return line > 0 ? work->lines[line - 1].name : -1;
    if (kind == FIELD_BELOW)
        return line + 1 < work->n_lines ? work->lines[line + 1].name : -1;
    return work->lines[line].name;
}

/* Names of fields, by line: a line's value is found when its first item comes. */
static void fill_names(const Work *work, const PlaceColumn *column, const Range *range)
{
    int64_t last = -1, read = -1; /* lines: of the item before; that `opened` is known up to */
    int32_t value = -1, opened = -1;
    for (int64_t i = range->first; i < range->end; i++) {
        const Line *line = line_of_item(work, range, i);
        if (!line)
            continue;
        int64_t number = line - work->lines;
        if (number != last) {
            last = number;
            int32_t name = name_around(work, column->kind, number);
            while (read < number)
                if (work->lines[++read].name >= 0)
                    opened = work->lines[read].name;
            if (column->kind == FIELD_LAST)
                name = opened;
            value = name_number(work, column, name);
            if (column->kind != LINE_FIELD && line->end - line->first > column->most)
                value = -1;
        }
        if (column->kind != LINE_FIELD || work->view->anchors[i] > line->colon)
            range->cells[(i - range->first) * range->step] = value;
    }
}

/* The word before the last colon in the line, and how far off it is. */
static int fill_inner(Work *work, const PlaceColumn *column, const Range *range)
{
    const int32_t *numbers = work->places->numbers + column->first;
    int64_t colon = -1, token = work->view->token_offsets[range->document];
    int32_t word = -1;
    for (int64_t i = range->first; i < range->end; i++) {
        const Line *line = line_of_item(work, range, i);
        int64_t anchor = work->view->anchors[i];
        if (!line)
            continue;
        for (; token < anchor; token++)
            if (is_colon(work->view, range->document, token) &&
                token > work->lines[work->line_of[token - work->view->token_offsets[range->document]]].first) {
                colon = token;
                word = column->kind == FIELD_INNER
                           ? word_number(work, column, range->document, token - 1)
                           : -1;
                if (word == -2)
                    return -1;
            }
        if (colon < line->first || anchor - colon > REACH)
            continue;
        range->cells[(i - range->first) * range->step] =
            column->kind == FIELD_INNER ? word : numbers[anchor - colon];
    }
    return 0;
}

/* The word before the next colon in the line. */
static int fill_coming(Work *work, const PlaceColumn *column, const Range *range)
{
    int64_t end = work->view->token_offsets[range->document + 1];
    int64_t colon = end, token = end;
    int32_t word = -1;
    for (int64_t i = range->end - 1; i >= range->first; i--) {
        const Line *line = line_of_item(work, range, i);
        int64_t anchor = work->view->anchors[i];
        if (!line)
            continue;
        while (token > anchor) {
            token--;
            if (is_colon(work->view, range->document, token) &&
                token > work->lines[work->line_of[token - work->view->token_offsets[range->document]]].first) {
                colon = token;
                word = word_number(work, column, range->document, token - 1);
                if (word == -2)
                    return -1;
            }
        }
        if (colon < line->end && colon - anchor <= REACH)
            range->cells[(i - range->first) * range->step] = word;
    }
    return 0;
}

static void fill_spacing(const Work *work, const PlaceColumn *column, const Range *range)
{
    const View *view = work->view;
    int64_t most = GAPS - 1, before = most;
    for (int64_t i = range->first; i < range->end; i++) {
        int64_t behind = i + 1 < range->end ? view->starts[i + 1] - view->ends[i] : most;
        behind = behind < 0 ? 0 : behind < most ? behind : most;
        range->cells[(i - range->first) * range->step] =
            work->places->numbers[column->first + before * GAPS + behind];
        before = behind;
    }
}

/* A word's column of an item. */
static int32_t of_word(const View *view, int64_t item, int32_t column)
{
    return view->rows[view->word_ids[item] * view->width + column];
}

static int32_t landmark_value(const Work *work, const PlaceColumn *column, int64_t item, int64_t away)
{
    const int32_t *numbers = work->places->numbers + column->first;
    if (column->kind == BESIDE)
        return of_word(work->view, item, column->word);
    if (away > FURTHEST_LANDMARK)
        return -1;
    if (column->kind == NEAREST_WORD)
        return of_word(work->view, item, column->word);
    if (column->kind == NEAREST_SORT)
        return numbers[work->marks[item]];
    return numbers[work->marks[item] * BINS_OF_DISTANCES + bit_length(away) - 1];
}

/* What is nearest in the sequence on one side: a word of a sort, or a landmark. */
static void fill_nearest(const Work *work, const PlaceColumn *column, int32_t *cells, int64_t step)
{
    const View *view = work->view;
    int32_t none = column->kind == BESIDE ? 0 : work->places->choices[column->list].names;
    for (int64_t s = 0; s < view->n_sequences; s++) {
        int64_t first = view->sequence_offsets[s], end = view->sequence_offsets[s + 1], found = -1;
        for (int64_t k = 0; k < end - first; k++) {
            int64_t i = column->behind ? end - 1 - k : first + k;
            if (found >= 0)
                cells[i * step] =
                    landmark_value(work, column, found, column->behind ? found - i : i - found);
            if (column->kind == BESIDE ? of_word(view, i, work->places->flags) & column->flag
                                       : work->marks[i] < none)
                found = i;
        }
    }
}

/* The landmarks of a choice: of each item the first of the names that it is, or `names`. */
static void find_landmarks(Work *work, const PlaceColumn *column)
{
    const View *view = work->view;
    const Landmarks *choice = work->places->choices + column->list;
    for (int64_t i = 0; i < view->n_items; i++) {
        int32_t kind = of_word(view, i, work->places->kind);
        work->marks[i] = (int16_t)(kind >= 0 && choice->kinds[kind] >= 0 ? choice->kinds[kind]
                                                                          : choice->names);
    }
    for (int32_t list = 0; list < work->places->n_lists; list++) {
        int32_t place = choice->lists[list];
        for (int64_t m = view->match_offsets[list]; place >= 0 && m < view->match_offsets[list + 1]; m++) {
            int64_t at = column->behind ? view->matches[m].first : view->matches[m].last;
            if (place < work->marks[at])
                work->marks[at] = (int16_t)place;
        }
    }
}

/* How many of the other items up to `most` away in the document are in phrases of a choice of lists. */
static void fill_nearby(Work *work, const PlaceColumn *column, int32_t *cells, int64_t step)
{
    const View *view = work->view;
    const Landmarks *choice = work->places->choices + column->list;
    const int32_t *numbers = work->places->numbers + column->first;
    memset(work->marks, 0, (size_t)view->n_items * sizeof *work->marks);
    for (int32_t list = 0; list < work->places->n_lists; list++)
        for (int64_t m = view->match_offsets[list]; choice->lists[list] >= 0 && m < view->match_offsets[list + 1]; m++)
            for (int64_t i = view->matches[m].first; i <= view->matches[m].last; i++)
                work->marks[i] = !(of_word(view, i, work->places->flags) & column->flag);
    for (int64_t d = 0; d < view->documents; d++) {
        int64_t first = view->item_offsets[d], end = view->item_offsets[d + 1], count = 0;
        for (int64_t i = first; i < end && i < first + column->most; i++)
            count += work->marks[i];
        for (int64_t i = first; i < end; i++) {
            if (i + column->most < end)
                count += work->marks[i + column->most];
            if (i - column->most > first)
                count -= work->marks[i - column->most - 1];
            int bin = bit_length(count - work->marks[i]);
            cells[i * step] = numbers[bin < BINS_NEARBY ? bin : BINS_NEARBY];
        }
    }
}

/* How often the word occurs in a sequence or document, or its share of it. */
static void fill_counts(Work *work, const PlaceColumn *column, int32_t *cells, int64_t step)
{
    const View *view = work->view;
    const int32_t *numbers = work->places->numbers + column->first;
    int by_document = column->kind == COUNT_DOCUMENT || column->kind == SHARE_DOCUMENT;
    int scaled = column->kind == SHARE_SEQUENCE || column->kind == SHARE_DOCUMENT;
    const int64_t *groups = by_document ? view->item_offsets : view->sequence_offsets;
    int64_t n_groups = by_document ? view->documents : view->n_sequences;
    int64_t words = view->n_words > view->n_folded ? view->n_words : view->n_folded;
    memset(work->seen, 0xFF, (size_t)words * sizeof *work->seen);
    for (int64_t g = 0; g < n_groups; g++) {
        for (int64_t i = groups[g]; i < groups[g + 1]; i++) {
            int64_t word = column->word < 0 ? view->word_ids[i] : of_word(view, i, column->word);
            if (work->seen[word] != g) {
                work->seen[word] = g;
                work->counts[word] = 0;
            }
            work->counts[word]++;
        }
        for (int64_t i = groups[g]; i < groups[g + 1]; i++) {
            int64_t word = column->word < 0 ? view->word_ids[i] : of_word(view, i, column->word);
            int64_t count = work->counts[word], size = groups[g + 1] - groups[g];
            int bin = scaled ? bit_length(size / count) - 1 : bit_length(count);
            cells[i * step] = numbers[bin < BINS_OF_COUNTS ? bin : BINS_OF_COUNTS];
        }
    }
}

static void fill_gazetteer(const Work *work, const PlaceColumn *column, int32_t *cells, int64_t step)
{
    const View *view = work->view;
    const int32_t *numbers = work->places->numbers + column->first;
    for (int64_t m = view->match_offsets[column->list]; m < view->match_offsets[column->list + 1]; m++) {
        const Match *match = view->matches + m;
        int32_t first = numbers[0], inside = numbers[0], last = numbers[0];
        if (column->kind == FREQUENCY) {
            first = inside = last = binned(numbers, match->weight, column->most);
        } else if (column->kind == GAZETTEER_BIOES) { /* B, I, E, S */
            first = match->first == match->last ? numbers[3] : numbers[0];
            inside = numbers[1];
            last = match->first == match->last ? numbers[3] : numbers[2];
        }
        for (int64_t i = match->first; i <= match->last; i++)
            cells[i * step] = i == match->first ? first : i == match->last ? last : inside;
    }
}

static int tells(const Work *work, int64_t item)
{
    return of_word(work->view, item, work->places->flags) & TELLS;
}

/* The field in whose value an item stands, -1 for none. */
static int32_t field_of(const Work *work, const Range *range, int64_t item, int64_t *number)
{
    const Line *line = line_of_item(work, range, item);
    *number = line ? line - work->lines : -1;
    return line && line->colon >= 0 && work->view->anchors[item] > line->colon ? line->name : -1;
}

/* The fields in whose values the words of a document stand: `seen` gets the mark, `counts` where in
   `stands` a word's own begin. The first there is how many. */
static int find_stands(Work *work, const PlaceColumn *column, const Range *range, int64_t mark)
{
    work->n_stands = 0;
    for (int64_t i = range->first; i < range->end; i++) {
        int64_t number;
        if (!tells(work, i))
            continue;
        int32_t word = of_word(work->view, i, work->places->folded);
        int32_t name = field_of(work, range, i, &number);
        if (name < 0)
            continue;
        if (work->seen[word] != mark) {
            if (fit((void **)&work->stands, &work->stand_room, work->n_stands + column->most + 2,
                    sizeof *work->stands) < 0)
                return -1;
            work->seen[word] = mark;
            work->counts[word] = work->n_stands;
            work->stands[work->n_stands] = (Stand){0, 0};
            work->n_stands += column->most + 2;
        }
        Stand *own = work->stands + work->counts[word];
        int64_t count = own->line, s = 1;
        while (s <= count && own[s].line != number)
            s++;
        if (s <= count)
            own[s].name = name;
        else if (count <= column->most)
            own[++own->line] = (Stand){number, name};
    }
    return 0;
}

static int fill_elsewhere(Work *work, const PlaceColumn *column, const Range *range, Several *several)
{
    int64_t mark = range->document * work->places->n_columns + (column - work->places->columns);
    if (find_stands(work, column, range, mark) < 0)
        return -1;
    for (int64_t i = range->first; i < range->end; i++) {
        int64_t size = several->offsets[i], number;
        int32_t word = of_word(work->view, i, work->places->folded);
        if (tells(work, i) && work->seen[word] == mark) {
            const Stand *own = work->stands + work->counts[word];
            field_of(work, range, i, &number);
            if (fit((void **)&several->values, &several->room, size + column->most,
                    sizeof *several->values) < 0)
                return -1;
            int32_t given = 0;
            for (int64_t s = 1; s <= own->line && given < column->most; s++) {
                int64_t before = 1;
                while (before < s && (own[before].line == number || own[before].name != own[s].name))
                    before++;
                if (own[s].line == number || before < s)
                    continue;
                given++;
                int32_t value = name_number(work, column, own[s].name);
                if (value >= 0)
                    several->values[size++] = value;
            }
        }
        several->offsets[i + 1] = size;
    }
    return 0;
}

/* The value of the fine token that an item begins in. */
static void fill_of_tokens(const Work *work, const PlaceColumn *column, const Range *range)
{
    int64_t width = work->places->n_of_tokens;
    for (int64_t i = range->first; i < range->end; i++) {
        int64_t anchor = work->view->anchors[i];
        if (anchor >= 0)
            range->cells[(i - range->first) * range->step] =
                work->view->token_values[anchor * width + column->list];
    }
}

static int fill_document(Work *work, const PlaceColumn *column, const Range *range, Several *several)
{
    const View *view = work->view;
    int64_t offset = view->text_offsets[range->document];
    switch (column->kind) {
    case SPACING:
        fill_spacing(work, column, range);
        return 0;
    case LINE_FIELD:
    case FIELD_LINE:
    case FIELD_ABOVE:
    case FIELD_BELOW:
    case FIELD_LAST:
        fill_names(work, column, range);
        return 0;
    case FIELD_INNER:
    case FIELD_SINCE:
        return fill_inner(work, column, range);
    case FIELD_COMING:
        return fill_coming(work, column, range);
    case DAY_MONTH:
        fill_days(work->places->known, view->codes + offset,
                  view->text_offsets[range->document + 1] - offset,
                  work->places->numbers + column->first, view->starts + range->first,
                  range->end - range->first, range->cells, range->step);
        return 0;
    case ELSEWHERE:
        return fill_elsewhere(work, column, range, several);
    case SENTENCE_LENGTH:
    case SENTENCE_INDEX:
    case SENTENCE_REST:
    case SENTENCE_END:
    case SENTENCE_BRACKET:
    case SENTENCE_QUOTED:
        return fill_sentences(view, column->kind, work->places->numbers + column->first,
                              range->document, &work->brackets, range->cells, range->step);
    case OF_TOKEN:
        fill_of_tokens(work, column, range);
        return 0;
    default:
        fill_lines(work, column, range);
        return 0;
    }
}

/* Whether a column is filled for the batch at once, not document by document. */
static int is_of_batch(int32_t kind)
{
    return (kind >= BESIDE && kind <= FREQUENCY);
}

static void fill_batch(Work *work, const PlaceColumn *column, int32_t *cells, int64_t step)
{
    if (column->kind >= GAZETTEER_IN) {
        fill_gazetteer(work, column, cells, step);
    } else if (column->kind >= COUNT_SEQUENCE) {
        fill_counts(work, column, cells, step);
    } else if (column->kind == NEARBY) {
        fill_nearby(work, column, cells, step);
    } else {
        if (column->kind != BESIDE)
            find_landmarks(work, column);
        fill_nearest(work, column, cells, step);
    }
}

int places_fill(const Places *places, const View *view, int32_t *columns, Several *several)
{
    Work work = {.places = places, .view = view};
    int64_t words = view->n_words > view->n_folded ? view->n_words : view->n_folded;
    int result = -1, lines = 0;
    work.seen = malloc((size_t)(words + 1) * sizeof *work.seen);
    work.counts = malloc((size_t)(words + 1) * sizeof *work.counts);
    work.marks = malloc((size_t)(view->n_items + 1) * sizeof *work.marks);
    if (!work.seen || !work.counts || !work.marks || table_make(&work.names, 256) < 0)
        goto done;
    int32_t step = places->n_columns;
    for (int32_t c = 0; c < step; c++) {
        const PlaceColumn *column = places->columns + c;
        if (is_of_batch(column->kind))
            fill_batch(&work, column, columns + c, step);
        lines |= column->kind >= LINE_INDEX && column->kind <= FIELD_COMING;
        lines |= column->kind == ELSEWHERE;
    }
    memset(work.seen, 0xFF, (size_t)words * sizeof *work.seen);
    for (int64_t d = 0; d < view->documents; d++) {
        Range range = {d, view->item_offsets[d], view->item_offsets[d + 1], step, NULL};
        if (range.first == range.end)
            continue;
        if (lines && read_lines(&work, d) < 0)
            goto done;
        for (int32_t c = 0; c < step; c++) {
            range.cells = columns + range.first * step + c;
            if (!is_of_batch(places->columns[c].kind) &&
                fill_document(&work, places->columns + c, &range, several + c) < 0)
                goto done;
        }
    }
    result = 0;
done:
    work_free(&work);
    return result;
}
