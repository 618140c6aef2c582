#include "featurize.h"

#include <stdlib.h>

static uint64_t slot_of(uint64_t key, int64_t size)
{
    return (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - size);
}

void index_put(uint64_t *keys, int32_t *rows, int64_t size, uint64_t key, int32_t row)
{
    uint64_t mask = (UINT64_C(1) << size) - 1, at = slot_of(key, size);
    while (rows[at] >= 0 && keys[at] != key)
        at = (at + 1) & mask;
    keys[at] = key;
    rows[at] = row;
}

static int32_t index_get(const Index *index, const Lookup *lookup, uint64_t key)
{
    const uint64_t *keys = index->keys + lookup->start;
    const int32_t *rows = index->rows + lookup->start;
    uint64_t mask = (UINT64_C(1) << lookup->size) - 1, at = slot_of(key, lookup->size);
    while (rows[at] >= 0) {
        if (keys[at] == key)
            return rows[at];
        at = (at + 1) & mask;
    }
    return -1;
}

static int grow(Found *found, int64_t more)
{
    if (found->count + more <= found->room)
        return 0;
    int64_t room = found->room + found->room / 2 + more + 4096;
    int32_t *ids = realloc(found->ids, (size_t)room * sizeof *ids);
    if (!ids)
        return -1;
    found->ids = ids;
    found->room = room;
    return 0;
}

/* Where the values of parts at an offset from an item are. */
typedef struct {
    const int32_t *row[2]; /* of the matrices by word and by item */
    int64_t item;          /* -1 before the sequence, -2 behind it */
} Place;

static int32_t value_of(const Place *place, const Part *part)
{
    return place->row[part->where][part->column];
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

static void add_single(const Index *index, const Lookup *lookup, int32_t value, Found *found)
{
    if (value < 0 || value >= lookup->size)
        return;
    int32_t row = index->singles[lookup->start + value];
    if (row >= 0)
        found->ids[found->count++] = row;
}

static int add_joined(const Index *index, const Batch *batch, const Lookup *lookup, const Place *places,
                    Found *found)
{
    const Part *parts = index->part + lookup->first;
    uint64_t key = 0;
    const Part *several = NULL;
    int shift = 0, several_shift = 0;
    for (int32_t p = 0; p < lookup->parts; p++) {
        const Part *part = parts + p;
        if (part->where == MANY) {
            several = part;
            several_shift = shift;
        } else {
            int32_t value = value_of(places + part->offset, part);
            if (value < 0)
                return 0;
            key |= (uint64_t)value << shift;
        }
        shift += part->bits;
    }
    if (!several) {
        int32_t row = index_get(index, lookup, key);
        if (row >= 0)
            found->ids[found->count++] = row;
        return 0;
    }
    const int32_t *values;
    int64_t count = values_of(index, batch, places + several->offset, several, &values);
    if (grow(found, count + index->lookups) < 0)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        if (values[i] < 0)
            continue;
        if (lookup->parts == 1) {
            add_single(index, lookup, values[i], found);
            continue;
        }
        int32_t row = index_get(index, lookup, key | (uint64_t)values[i] << several_shift);
        if (row >= 0)
            found->ids[found->count++] = row;
    }
    return 0;
}

int featurize_sequence(const Index *index, const Batch *batch, int64_t first, int64_t end,
                       Found *found, int64_t *ends)
{
    Place around[2 * FURTHEST + 1], *places = around + FURTHEST;
    int32_t reach = index->reach;
    for (int64_t i = first; i < end; i++) {
        for (int32_t offset = -reach; offset <= reach; offset++) {
            Place *place = places + offset;
            int64_t at = i + offset;
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
        if (grow(found, index->lookups) < 0)
            return -1;
        for (int64_t f = 0; f < index->lookups; f++) {
            const Lookup *lookup = index->lookup + f;
            const Part *part = index->part + lookup->first;
            if (lookup->parts == 1 && part->where != MANY)
                add_single(index, lookup, value_of(places + part->offset, part), found);
            else if (add_joined(index, batch, lookup, places, found) < 0)
                return -1;
        }
        ends[i - first] = found->count;
    }
    return 0;
}
