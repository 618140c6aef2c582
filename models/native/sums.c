#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Twice as much has no place in 32 bits. */
#define MOST_SUM (INT64_C(1) << 30)

/* What lies in a slot beside the key: of one weight the units and, below, its tag; else where its
   weights are and, below, how many: a code from SEVERAL on. Each takes what 25 bits hold. */
enum { CODES_OF_SLOT = 128, SEVERAL = 112, DENSE_ROW = SEVERAL + FEW_WEIGHTS + 1 };
#define MOST_IN_SLOT (INT32_MAX / CODES_OF_SLOT)

/* A key that was asked for. */
struct Key {
    uint64_t key;
    const Conjunction *of;
    uint64_t at;
};

void weighing_free(Weighing *w)
{
    free(w->singles);
    free(w->sources);
    free(w->conjunctions);
    free(w->needs);
    memset(w, 0, sizeof *w);
}

static int64_t most_attributes(const Model *model)
{
    return MOST_SUM / (model->most_state ? model->most_state : 1);
}

static int is_of_model(const Index *index, const Model *model)
{
    for (int64_t i = 0; i < index->n_singles; i++)
        if (index->singles[i] >= model->attributes)
            return 0;
    for (int64_t i = 0; i < index->n_slots; i++)
        if (index->slots[i].attribute >= model->attributes)
            return 0;
    return 1;
}

/* -1 if it has no place there. */
static int in_slot(const Model *model, int32_t attribute, int32_t *weight)
{
    Row row = model->rows[attribute];
    int32_t code = row.count == DENSE ? DENSE_ROW : SEVERAL + (int32_t)row.count;
    int64_t payload = row.start;
    if (row.count == 1 && model->weights[row.start].tag < SEVERAL) {
        code = model->weights[row.start].tag;
        payload = model->weights[row.start].units;
    }
    if (payload > MOST_IN_SLOT || payload < -MOST_IN_SLOT)
        return -1;
    *weight = (int32_t)payload * CODES_OF_SLOT + code;
    return 0;
}

/* The number of a source, which is added if it is new. */
static uint16_t number_of(Weighing *w, const Part *part)
{
    int64_t s = 0;
    for (; s < w->n_sources; s++)
        if (w->sources[s].where == part->where && w->sources[s].column == part->column &&
            w->sources[s].offset == part->offset)
            return (uint16_t)s;
    w->sources[w->n_sources++] = *part;
    return (uint16_t)s;
}

static int build_conjunctions(Weighing *w)
{
    const Index *index = w->index;
    size_t room = (size_t)index->n_joined + 1;
    w->sources = malloc(room * MOST_PARTS * sizeof *w->sources);
    w->conjunctions = calloc(room, sizeof *w->conjunctions);
    if (!w->sources || !w->conjunctions)
        return LACKING;
    if (room * MOST_PARTS > UINT16_MAX)
        return TOO_LARGE;
    for (int64_t f = 0; f < index->n_joined; f++) {
        const Lookup *lookup = index->joined + f;
        Conjunction *own = w->conjunctions + f;
        own->start = lookup->start;
        own->size = (int32_t)lookup->size;
        own->parts = lookup->parts;
        for (int32_t p = 0, shift = 0; p < lookup->parts; p++) {
            const Part *part = index->part + lookup->first + p;
            own->source[p] = number_of(w, part);
            own->shift[p] = (uint8_t)shift;
            shift += part->bits;
        }
    }
    w->words = (w->n_sources + 63) / 64;
    w->needs = calloc(room * (size_t)(w->words + 1), sizeof *w->needs);
    if (!w->needs)
        return LACKING;
    for (int64_t f = 0; f < index->n_joined; f++)
        for (int32_t p = 0; p < w->conjunctions[f].parts; p++) {
            uint16_t s = w->conjunctions[f].source[p];
            w->needs[f * w->words + s / 64] |= UINT64_C(1) << s % 64;
        }
    return BUILT;
}

int weigh(Weighing *w, Index *index, const Model *model)
{
    *w = (Weighing){.index = index, .model = model};
    if (!is_of_model(index, model))
        return UNFIT;
    if (index->most > most_attributes(model))
        return TOO_LARGE;
    int built = build_conjunctions(w);
    if (built != BUILT)
        return built;
    w->singles = whole_lines((size_t)index->n_singles, sizeof *w->singles);
    if (!w->singles)
        return LACKING;
    for (int64_t i = 0; i < index->n_singles; i++)
        w->singles[i] = index->singles[i] < 0 ? (Row){0, 0} : model->rows[index->singles[i]];
    for (int64_t i = 0; i < index->n_slots; i++) {
        Slot *slot = index->slots + i;
        if (slot->attribute >= 0 && in_slot(model, slot->attribute, &slot->weight) < 0)
            return TOO_LARGE;
    }
    return BUILT;
}

int sums_begin(Sums *sums, const Weighing *w, const Batch *batch)
{
    int64_t offsets = 2 * w->index->reach + 1;
    if (is_too_large((uint64_t)batch->n_words, (size_t)offsets * sizeof *sums->memo))
        return -1;
    sums->memo = calloc((size_t)(batch->n_words * offsets) + 1, sizeof *sums->memo);
    sums->asked = malloc((size_t)(AHEAD * w->index->n_joined + 1) * sizeof *sums->asked);
    sums->values = malloc((size_t)(w->n_sources + 1) * sizeof *sums->values);
    sums->have = malloc((size_t)(w->words + 1) * sizeof *sums->have);
    return sums->memo && sums->asked && sums->values && sums->have ? 0 : -1;
}

void sums_free(Sums *sums)
{
    found_free(&sums->found);
    free(sums->memo);
    free(sums->rows);
    free(sums->entries);
    free(sums->ends);
    free(sums->asked);
    free(sums->values);
    free(sums->have);
    memset(sums, 0, sizeof *sums);
}

static int entries_fit(Sums *sums, int64_t more)
{
    return fit((void **)&sums->entries, &sums->entry_room, sums->n_entries + more,
               sizeof *sums->entries);
}

/* Where there is room; what has no weight is not kept. */
static void enter(Sums *sums, Row row)
{
    sums->entries[sums->n_entries] = row;
    sums->n_entries += row.count != 0;
}

/* Fetches what an entry's weights begin with. */
static void fetch(const Model *m, Row row)
{
    if (row.count == DENSE) {
        const int32_t *units = m->dense + (int64_t)row.start * m->width;
        PREFETCH(units);
        PREFETCH(units + 16);
        PREFETCH(units + 32);
    } else {
        PREFETCH(m->weights + row.start);
    }
}

/* state[j]: and what the entries are worth to each tag; behind them are `more`. Rows lie all over memory:
   those to come are fetched while the others are added. */
VECTORS static void add_entries(const Model *m, const Row *entries, int64_t count, int64_t more,
                                int32_t *restrict state)
{
    enum { NEAR = 8 };
    int32_t width = m->width;
    for (int64_t i = 0; i < count; i++) {
        if (i + NEAR < count + more)
            fetch(m, entries[i + NEAR]);
        if (entries[i].count == DENSE) {
            const int32_t *units = m->dense + (int64_t)entries[i].start * width;
            for (int32_t j = 0; j < width; j++)
                state[j] += units[j];
            continue;
        }
        const Weight *weights = m->weights + entries[i].start;
        for (uint32_t w = 0; w < entries[i].count; w++)
            state[weights[w].tag] += weights[w].units;
    }
}

/* Adds rows, the first of which has the number 1, to a state. */
VECTORS static void add_rows(const int32_t *rows, const int32_t *numbers, int count, int32_t width,
                             int32_t *restrict state)
{
    for (int i = 0; i < count; i++) {
        const int32_t *row = rows + (int64_t)(numbers[i] - 1) * width;
        for (int32_t j = 0; j < width; j++)
            state[j] += row[j];
    }
}

typedef struct {
    const Weighing *weighing;
    Sums *sums;
} Summer;

static void enter_single(void *taker, int64_t single)
{
    const Summer *summer = taker;
    enter(summer->sums, summer->weighing->singles[single]);
}

/* Enters the attributes that are known by their ids. */
static void enter_ids(const Weighing *w, const int32_t *ids, int64_t count, Sums *sums)
{
    for (int64_t i = 0; i < count; i++)
        enter(sums, w->model->rows[ids[i]]);
}

/* What is remembered of a word at an offset: nothing; that it was met; or, from 1 on, the number of the
   row that its attributes add up to. */
enum { UNMET = 0, MET = -1 };

/* The row of a word at an offset; MET where its attributes are entered, for a word that is met once is
   not worth a row; UNMET without memory. */
static int32_t row_of_word(const Weighing *w, const Batch *batch, Sums *sums, int64_t word, int32_t o)
{
    const Index *index = w->index;
    Summer summer = {w, sums};
    if (index->words_from[o] == index->words_from[o + 1])
        return MET;
    int32_t *memo = sums->memo + word * (2 * index->reach + 1) + o, width = w->model->width;
    const int32_t *values = batch->words + word * batch->stride;
    if (*memo == UNMET) {
        *memo = MET;
        take_of_word(index, values, o, enter_single, &summer);
        return MET;
    }
    if (*memo == MET) {
        if (fit((void **)&sums->rows, &sums->row_room, (sums->n_rows + 1) * width,
                sizeof *sums->rows) < 0)
            return UNMET;
        int32_t *row = sums->rows + sums->n_rows++ * width;
        memset(row, 0, (size_t)width * sizeof *row);
        int64_t before = sums->n_entries;
        take_of_word(index, values, o, enter_single, &summer);
        add_entries(w->model, sums->entries + before, sums->n_entries - before, 0, row);
        sums->n_entries = before;
        *memo = (int32_t)sums->n_rows;
    }
    return *memo;
}

/* Attributes of one part each: of words whose row is known it is added, others are entered. */
static int sum_singles(const Weighing *w, const Batch *batch, const Place *places, int64_t first,
                       Sums *sums, int32_t *state)
{
    const Index *index = w->index;
    Summer summer = {w, sums};
    int32_t numbers[2 * FURTHEST + 1];
    int count = 0;
    for (int32_t o = 0; o <= 2 * index->reach; o++) {
        const Place *place = places + o - index->reach;
        if (place->item < 0) {
            const Beyond *beyond = &index->beyond[place->item == -2][o];
            enter_ids(w, beyond->ids, beyond->count, sums);
            continue;
        }
        int32_t row = row_of_word(w, batch, sums, batch->word_ids[place->item], o);
        if (row == UNMET)
            return -1;
        if (row != MET)
            numbers[count++] = row;
        take_of_item(index, &sums->found, place->item - first, o, enter_single, &summer);
    }
    add_rows(sums->rows, numbers, count, w->model->width, state);
    return 0;
}

/* Whether an item has all values that a conjunction needs. */
static int is_met(const Weighing *w, const uint64_t *have, int64_t f)
{
    uint64_t lacking = 0;
    for (int64_t i = 0; i < w->words; i++)
        lacking |= w->needs[f * w->words + i] & ~have[i];
    return !lacking;
}

/* Asks for the keys of an item's conjunctions; gives how many are written. */
static int64_t ask(const Weighing *w, const Place *places, Sums *sums, struct Key *asked)
{
    int32_t *values = sums->values;
    memset(sums->have, 0, (size_t)w->words * sizeof *sums->have);
    for (int64_t s = 0; s < w->n_sources; s++) {
        values[s] = value_of(places, w->sources + s);
        sums->have[s / 64] |= (uint64_t)(values[s] >= 0) << s % 64;
    }
    int64_t count = 0;
    for (int64_t f = 0; f < w->index->n_joined; f++) {
        if (!is_met(w, sums->have, f))
            continue;
        const Conjunction *own = w->conjunctions + f;
        uint64_t key = 0;
        for (int32_t p = 0; p < own->parts; p++)
            key |= (uint64_t)values[own->source[p]] << own->shift[p];
        uint64_t at = slot_of(key, own->size);
        PREFETCH(w->index->slots + own->start + at);
        asked[count++] = (struct Key){key, own, at};
    }
    return count;
}

/* Conjunctions that were asked for: what lies in the slot is added, others are entered. */
static void sum_joined(const Weighing *w, const struct Key *asked, int64_t count, Sums *sums,
                       int32_t *state)
{
    for (int64_t k = 0; k < count; k++) {
        const Conjunction *own = asked[k].of;
        const Slot *slot = find_slot(w->index->slots + own->start, own->size, asked[k].key, asked[k].at);
        if (!slot)
            continue;
        int32_t code = slot->weight & (CODES_OF_SLOT - 1), payload = (slot->weight - code) / CODES_OF_SLOT;
        if (code < SEVERAL)
            state[code] += payload;
        else
            enter(sums, (Row){(uint32_t)payload, code == DENSE_ROW ? DENSE : (uint32_t)(code - SEVERAL)});
    }
}

/* The attributes of an item with a part of many values. 0; -1 without memory; or TOO_LARGE. */
static int enter_others(const Weighing *w, const Batch *batch, const Place *places, Sums *sums)
{
    Found *found = &sums->found;
    found->count = 0;
    if (add_others(w->index, batch, places, found) < 0 ||
        entries_fit(sums, found->count + w->index->most) < 0)
        return -1;
    if (found->count + w->index->most > most_attributes(w->model))
        return TOO_LARGE;
    enter_ids(w, found->ids, found->count, sums);
    return 0;
}

int sum_sequence(const Weighing *w, const Batch *batch, int64_t first, int64_t end, Sums *sums,
                 int32_t *states)
{
    Place around[2 * FURTHEST + 1], *places = around + FURTHEST;
    int64_t n = end - first, width = w->model->width, joined = w->index->n_joined;
    if (begin_sequence(w->index, batch, first, end, &sums->found) < 0 ||
        fit((void **)&sums->ends, &sums->end_room, n + 1, sizeof *sums->ends) < 0)
        return -1;
    memset(states, 0, (size_t)(n * width) * sizeof *states);
    sums->n_entries = sums->ends[0] = 0;
    for (int64_t i = -AHEAD; i < n; i++) {
        int64_t turn = (i + AHEAD) % AHEAD;
        if (i >= 0) {
            find_places(w->index, batch, first, end, first + i, places);
            int failed = enter_others(w, batch, places, sums);
            if (failed)
                return failed;
            if (sum_singles(w, batch, places, first, sums, states + i * width) < 0)
                return -1;
            sum_joined(w, sums->asked + turn * joined, sums->n_asked[turn], sums, states + i * width);
            sums->ends[i + 1] = sums->n_entries;
        }
        if (i + AHEAD < n) {
            find_places(w->index, batch, first, end, first + i + AHEAD, places);
            sums->n_asked[turn] = ask(w, places, sums, sums->asked + turn * joined);
        }
    }
    for (int64_t i = 0; i < n; i++)
        add_entries(w->model, sums->entries + sums->ends[i], sums->ends[i + 1] - sums->ends[i],
                    sums->n_entries - sums->ends[i + 1], states + i * width);
    return 0;
}
