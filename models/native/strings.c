#include "strings.h"

#include <stdlib.h>
#include <string.h>

void map_free(Map *map)
{
    free(map->cells);
    free(map->expansions);
    map->cells = NULL;
    map->expansions = NULL;
}

void codes_free(Codes *codes)
{
    free(codes->codes);
    memset(codes, 0, sizeof *codes);
}

int codes_fit(Codes *codes, int64_t more)
{
    if (codes->size + more <= codes->room)
        return 0;
    int64_t room = codes->room + codes->room / 2 + more + 64;
    uint32_t *wider = realloc(codes->codes, (size_t)room * sizeof *wider);
    if (!wider)
        return -1;
    codes->codes = wider;
    codes->room = room;
    return 0;
}

int map_codes(const Map *map, const uint32_t *codes, int64_t size, Codes *out)
{
    out->size = 0;
    if (codes_fit(out, size) < 0)
        return -1;
    for (int64_t i = 0; i < size; i++) {
        int32_t found = map->cells[(int64_t)map->pages[codes[i] / PAGE] * PAGE + codes[i] % PAGE];
        if (found >= 0) {
            out->codes[out->size++] = found == CODE_POINTS ? codes[i] : (uint32_t)found;
            continue;
        }
        const uint32_t *expansion = map->expansions + ~found;
        if (codes_fit(out, expansion[0] + size - i) < 0)
            return -1;
        for (uint32_t k = 1; k <= expansion[0]; k++)
            out->codes[out->size++] = expansion[k];
    }
    return 0;
}

int table_make(Table *table, int64_t strings)
{
    memset(table, 0, sizeof *table);
    table->room = strings > 16 ? strings : 16;
    table->bits = 5;
    while ((INT64_C(1) << table->bits) < 2 * table->room)
        table->bits++;
    size_t slots = (size_t)1 << table->bits;
    table->offsets = malloc((size_t)(table->room + 1) * sizeof *table->offsets);
    table->numbers = malloc((size_t)table->room * sizeof *table->numbers);
    table->hashes = malloc((size_t)table->room * sizeof *table->hashes);
    table->slots = malloc(slots * sizeof *table->slots);
    if (!table->offsets || !table->numbers || !table->hashes || !table->slots) {
        table_free(table);
        return -1;
    }
    memset(table->slots, 0xFF, slots * sizeof *table->slots);
    table->offsets[0] = 0;
    return 0;
}

void table_free(Table *table)
{
    codes_free(&table->pool);
    free(table->offsets);
    free(table->numbers);
    free(table->hashes);
    free(table->slots);
    memset(table, 0, sizeof *table);
}

void table_clear(Table *table)
{
    table->count = 0;
    table->pool.size = 0;
    memset(table->slots, 0xFF, ((size_t)1 << table->bits) * sizeof *table->slots);
}

uint32_t hash_codes(const uint32_t *codes, int64_t size)
{
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)size;
    for (int64_t i = 0; i < size; i++)
        hash = (hash ^ codes[i]) * UINT64_C(0xD6E8FEB86659FD93);
    hash ^= hash >> 32;
    hash *= UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(hash >> 32);
}

int64_t table_find(const Table *table, const uint32_t *codes, int64_t size, uint32_t hash)
{
    uint64_t mask = (UINT64_C(1) << table->bits) - 1, at = hash & mask;
    for (int32_t found; (found = table->slots[at]) >= 0; at = (at + 1) & mask) {
        if (table->hashes[found] != hash)
            continue;
        int64_t offset = table->offsets[found];
        if (table->offsets[found + 1] - offset == size &&
            (!size || !memcmp(table->pool.codes + offset, codes, (size_t)size * sizeof *codes)))
            return found;
    }
    return -1;
}

static void put(Table *table, int32_t index)
{
    uint64_t mask = (UINT64_C(1) << table->bits) - 1, at = table->hashes[index] & mask;
    while (table->slots[at] >= 0)
        at = (at + 1) & mask;
    table->slots[at] = index;
}

static int widen(void **memory, int64_t count, size_t size)
{
    void *wider = realloc(*memory, (size_t)count * size);
    if (!wider)
        return -1;
    *memory = wider;
    return 0;
}

static int table_grow(Table *table)
{
    int64_t room = 2 * table->room, bits = table->bits + 1;
    if (room > INT32_MAX)
        return -1;
    int32_t *slots = malloc(((size_t)1 << bits) * sizeof *slots);
    if (!slots)
        return -1;
    if (widen((void **)&table->offsets, room + 1, sizeof *table->offsets) < 0 ||
        widen((void **)&table->numbers, room, sizeof *table->numbers) < 0 ||
        widen((void **)&table->hashes, room, sizeof *table->hashes) < 0) {
        free(slots);
        return -1;
    }
    free(table->slots);
    table->slots = slots;
    table->room = room;
    table->bits = bits;
    memset(slots, 0xFF, ((size_t)1 << bits) * sizeof *slots);
    for (int64_t i = 0; i < table->count; i++)
        put(table, (int32_t)i);
    return 0;
}

int64_t table_add(Table *table, const uint32_t *codes, int64_t size, uint32_t hash, int32_t number)
{
    if (table->count == table->room && table_grow(table) < 0)
        return -1;
    if (codes_fit(&table->pool, size) < 0)
        return -1;
    int64_t index = table->count++;
    if (size)
        memcpy(table->pool.codes + table->pool.size, codes, (size_t)size * sizeof *codes);
    table->pool.size += size;
    table->offsets[index + 1] = table->pool.size;
    table->numbers[index] = number;
    table->hashes[index] = hash;
    put(table, (int32_t)index);
    return index;
}

int32_t table_number(const Table *table, const uint32_t *codes, int64_t size)
{
    int64_t found = table_find(table, codes, size, hash_codes(codes, size));
    return found < 0 ? -1 : table->numbers[found];
}
