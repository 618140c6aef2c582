#include "featurize.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* A key that is looked for, and where it would be. */
struct Wanted {
    uint64_t key, at;
    const Lookup *lookup;
};

void index_free(Index *index)
{
    free(index->part);
    free(index->singles);
    free(index->slots);
    free(index->of_words);
    free(index->joined);
    free(index->others);
    free(index->of_items);
    for (int kind = 0; kind < 3; kind++) {
        free(index->before[kind]);
        free(index->after[kind]);
    }
    for (int side = 0; side < 2; side++)
        for (int o = 0; o <= 2 * FURTHEST; o++)
            free(index->beyond[side][o].ids);
    free(index);
}

/* Adds a key to a table of 1 << size that has room for it. */
static void put(Slot *slots, int64_t size, uint64_t key, int32_t attribute)
{
    uint64_t mask = (UINT64_C(1) << size) - 1, at = slot_of(key, size);
    while (slots[at].attribute >= 0 && slots[at].key != key)
        at = (at + 1) & mask;
    slots[at] = (Slot){key, attribute, 0};
}

int build_slots(Index *index, Lookup *lookups, const int64_t *given, int64_t count, const uint64_t *keys,
                const int32_t *rows)
{
    int64_t room = 0;
    for (int64_t f = 0; f < count; f++) {
        if (lookups[f].parts == 1)
            continue;
        int64_t size = 1;
        while ((INT64_C(7) << size) < 10 * (given[4 * f + 3] + 1))
            size++;
        lookups[f].start = room;
        lookups[f].size = size;
        room += INT64_C(1) << size;
    }
    index->slots = whole_lines((size_t)room, sizeof *index->slots);
    if (!index->slots)
        return LACKING;
    index->n_slots = room;
    memset(index->slots, 0xFF, (size_t)room * sizeof *index->slots);
    for (int64_t f = 0; f < count; f++) {
        const int64_t *row = given + 4 * f;
        for (int64_t k = row[2]; lookups[f].parts > 1 && k < row[2] + row[3]; k++) {
            if (rows[k] < 0)
                return UNFIT;
            put(index->slots + lookups[f].start, lookups[f].size, keys[k], rows[k]);
        }
    }
    return BUILT;
}

/* The attribute that a feature of one part has beyond an end of a sequence, -1 for none. */
static int32_t beyond_of(const Index *index, const Lookup *lookup, int side)
{
    const Part *part = index->part + lookup->first;
    int32_t value = (side ? index->after : index->before)[part->where][part->column];
    return value >= 0 && value < lookup->size ? index->singles[lookup->start + value] : -1;
}

int sort_lookups(Index *index, const Lookup *lookups, int64_t count)
{
    int32_t reach = index->reach, width = index->width[BY_ITEM];
    size_t room = (size_t)count + 1;
    index->of_words = malloc(room * sizeof(Lookup));
    index->joined = malloc(room * sizeof(Lookup));
    index->others = malloc(room * sizeof(Lookup));
    index->of_items = calloc((size_t)(2 * reach + 1) * (size_t)width + 1, sizeof(Single));
    if (!index->of_words || !index->joined || !index->others || !index->of_items)
        return LACKING;
    for (int64_t f = 0; f < count; f++) {
        const Part *part = index->part + lookups[f].first;
        int many = 0;
        for (int32_t p = 0; p < lookups[f].parts; p++)
            many |= part[p].where == MANY;
        if (many) {
            index->others[index->n_others++] = lookups[f];
        } else if (lookups[f].parts > 1) {
            index->joined[index->n_joined++] = lookups[f];
        } else if (part->where == BY_ITEM) {
            Single *single = index->of_items + (int64_t)(part->offset + reach) * width + part->column;
            if (single->size)
                return UNFIT; /* the same feature twice */
            *single = (Single){lookups[f].start, lookups[f].size};
            index->uses_items[part->offset + reach] = 1;
        }
    }
    int64_t of_words = 0;
    for (int32_t o = 0; o <= 2 * reach; o++) {
        index->words_from[o] = of_words;
        for (int side = 0; side < 2; side++) {
            index->beyond[side][o].ids = malloc(room * sizeof(int32_t));
            if (!index->beyond[side][o].ids)
                return LACKING;
        }
        for (int64_t f = 0; f < count; f++) {
            const Part *part = index->part + lookups[f].first;
            if (lookups[f].parts > 1 || part->where == MANY || part->offset != o - reach)
                continue;
            if (part->where == BY_WORD)
                index->of_words[of_words++] = lookups[f];
            for (int side = 0; side < 2; side++) {
                int32_t attribute = beyond_of(index, lookups + f, side);
                if (attribute >= 0)
                    index->beyond[side][o].ids[index->beyond[side][o].count++] = attribute;
            }
        }
    }
    index->words_from[2 * reach + 1] = of_words;
    /* One more: what is added is written before it is known to be any. */
    index->most = count + 1;
    return BUILT;
}

/* The attribute of a key, from where it would be on; -1 for none. */
static int32_t index_get(const Index *index, const Lookup *lookup, uint64_t key, uint64_t at)
{
    const Slot *slot = find_slot(index->slots + lookup->start, lookup->size, key, at);
    return slot ? slot->attribute : -1;
}

void found_free(Found *found)
{
    free(found->ids);
    free(found->values);
    free(found->value_offsets);
    free(found->wanted);
    memset(found, 0, sizeof *found);
}

static int grow(Found *found, int64_t more)
{
    return fit((void **)&found->ids, &found->room, found->count + more, sizeof *found->ids);
}

static void add(Found *found, int32_t attribute)
{
    found->ids[found->count] = attribute;
    found->count += attribute >= 0;
}

int begin_sequence(const Index *index, const Batch *batch, int64_t first, int64_t end, Found *found)
{
    int32_t width = index->width[BY_ITEM];
    if (fit((void **)&found->value_offsets, &found->item_room, end - first + 1,
            sizeof *found->value_offsets) < 0)
        return -1;
    found->n_values = 0;
    for (int64_t i = first; i < end; i++) {
        const int32_t *row = batch->items + i * width;
        found->value_offsets[i - first] = found->n_values;
        if (fit((void **)&found->values, &found->value_room, found->n_values + width + 1,
                sizeof *found->values) < 0)
            return -1;
        Value *values = found->values + found->n_values;
        int64_t count = 0;
        for (int32_t c = 0; c < width; c++) {
            values[count] = (Value){c, row[c]};
            count += row[c] >= 0;
        }
        found->n_values += count;
    }
    found->value_offsets[end - first] = found->n_values;
    return 0;
}

typedef struct {
    const Index *index;
    Found *found;
} Finder;

static void add_single(void *taker, int64_t single)
{
    const Finder *finder = taker;
    add(finder->found, finder->index->singles[single]);
}

/* Features of one part: those of words and items in reach, or of what is beyond the ends. */
static void add_singles(const Index *index, const Place *places, int64_t first, Found *found)
{
    Finder finder = {index, found};
    for (int32_t o = 0; o <= 2 * index->reach; o++) {
        const Place *place = places + o - index->reach;
        if (place->item < 0) {
            const Beyond *beyond = &index->beyond[place->item == -2][o];
            for (int64_t i = 0; i < beyond->count; i++)
                found->ids[found->count++] = beyond->ids[i];
            continue;
        }
        take_of_word(index, place->row[BY_WORD], o, add_single, &finder);
        take_of_item(index, found, place->item - first, o, add_single, &finder);
    }
}

/* Features of several parts of one value each. Where their keys would be lies all over memory: all are
   asked for before the first is read. */
static void add_joined(const Index *index, const Place *places, Found *found)
{
    struct Wanted *wanted = found->wanted;
    int64_t count = 0;
    for (int64_t f = 0; f < index->n_joined; f++) {
        const Lookup *lookup = index->joined + f;
        const Part *part = index->part + lookup->first, *end = part + lookup->parts;
        uint64_t key = 0;
        int shift = 0, lacking = 0;
        for (; part < end; part++) {
            int32_t value = value_of(places, part);
            lacking |= value;
            key |= (uint64_t)(uint32_t)value << shift;
            shift += part->bits;
        }
        uint64_t at = slot_of(key, lookup->size);
        wanted[count] = (struct Wanted){key, at, lookup};
        if (lacking >= 0) {
            PREFETCH(index->slots + lookup->start + at);
            count++;
        }
    }
    for (int64_t w = 0; w < count; w++)
        add(found, index_get(index, wanted[w].lookup, wanted[w].key, wanted[w].at));
}

/* The values of a part that has many: how many, and where. */
static int64_t values_of(const Index *index, const Batch *batch, const Place *place, const Part *part,
                         const int32_t **values)
{
    if (place->item < 0) {
        *values = (place->item == -1 ? index->before : index->after)[MANY] + part->column;
        return 1;
    }
    const Many *many = batch->many + part->column;
    int64_t row = many->by == BY_ROW ? place->item : place->row[BY_WORD][many->by];
    *values = many->values + many->offsets[row];
    return many->offsets[row + 1] - many->offsets[row];
}

/* A feature with a part of many values. */
static int add_many(const Index *index, const Batch *batch, const Lookup *lookup, const Place *places,
                    Found *found)
{
    const Part *parts = index->part + lookup->first, *several = NULL;
    uint64_t key = 0;
    int shift = 0, several_shift = 0;
    for (int32_t p = 0; p < lookup->parts; p++) {
        const Part *part = parts + p;
        if (part->where == MANY) {
            several = part;
            several_shift = shift;
        } else {
            int32_t value = value_of(places, part);
            if (value < 0)
                return 0;
            key |= (uint64_t)value << shift;
        }
        shift += part->bits;
    }
    const int32_t *values;
    int64_t count = values_of(index, batch, places + several->offset, several, &values);
    if (grow(found, count + index->most) < 0)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        if (values[i] < 0)
            continue;
        if (lookup->parts == 1) {
            if (values[i] < lookup->size)
                add(found, index->singles[lookup->start + values[i]]);
            continue;
        }
        uint64_t whole = key | (uint64_t)values[i] << several_shift;
        add(found, index_get(index, lookup, whole, slot_of(whole, lookup->size)));
    }
    return 0;
}

int add_others(const Index *index, const Batch *batch, const Place *places, Found *found)
{
    for (int64_t f = 0; f < index->n_others; f++)
        if (add_many(index, batch, index->others + f, places, found) < 0)
            return -1;
    return 0;
}

void find_places(const Index *index, const Batch *batch, int64_t first, int64_t end, int64_t item,
                 Place *places)
{
    for (int32_t offset = -index->reach; offset <= index->reach; offset++) {
        Place *place = places + offset;
        int64_t at = item + offset;
        if (at < first || at >= end) {
            int32_t *const *beyond = at < first ? index->before : index->after;
            place->item = at < first ? -1 : -2;
            place->row[BY_WORD] = beyond[BY_WORD];
            place->row[BY_ITEM] = beyond[BY_ITEM];
        } else {
            place->item = at;
            place->row[BY_WORD] = batch->words + batch->word_ids[at] * batch->stride;
            place->row[BY_ITEM] = batch->items + at * index->width[BY_ITEM];
        }
    }
}

int featurize_sequence(const Index *index, const Batch *batch, int64_t first, int64_t end,
                       Found *found, int64_t *ends)
{
    Place around[2 * FURTHEST + 1], *places = around + FURTHEST;
    if (!found->wanted) {
        found->wanted = malloc((size_t)(index->n_joined + 1) * sizeof *found->wanted);
        if (!found->wanted)
            return -1;
    }
    if (begin_sequence(index, batch, first, end, found) < 0)
        return -1;
    for (int64_t i = first; i < end; i++) {
        find_places(index, batch, first, end, i, places);
        if (grow(found, index->most) < 0)
            return -1;
        add_singles(index, places, first, found);
        add_joined(index, places, found);
        if (add_others(index, batch, places, found) < 0)
            return -1;
        ends[i - first] = found->count;
    }
    return 0;
}
