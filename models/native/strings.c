#include "strings.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

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
    return fit((void **)&codes->codes, &codes->room, codes->size + more, sizeof *codes->codes);
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

const uint32_t *clip_word(const uint32_t *codes, int64_t *size, uint32_t *clipped)
{
    enum { HALF = LONGEST_WORD / 2 };
    if (*size <= LONGEST_WORD)
        return codes;
    memcpy(clipped, codes, HALF * sizeof *codes);
    memcpy(clipped + HALF, codes + *size - HALF, HALF * sizeof *codes);
    *size = LONGEST_WORD;
    return clipped;
}

int table_make(Table *table, int64_t strings)
{
    memset(table, 0, sizeof *table);
    table->room = strings > 16 ? strings : 16;
    table->bits = 5;
    while ((INT64_C(1) << table->bits) < 2 * table->room)
        table->bits++;
    size_t buckets = (size_t)1 << table->bits;
    table->entries = malloc((size_t)table->room * sizeof *table->entries);
    table->buckets = malloc(buckets * sizeof *table->buckets);
    if (!table->entries || !table->buckets) {
        table_free(table);
        return -1;
    }
    memset(table->buckets, 0xFF, buckets * sizeof *table->buckets);
    return 0;
}

void table_free(Table *table)
{
    codes_free(&table->pool);
    free(table->entries);
    free(table->buckets);
    memset(table, 0, sizeof *table);
}

int table_renew(Table *table, int64_t strings)
{
    Table fresh;
    if (table_make(&fresh, strings) < 0)
        return -1;
    table_free(table);
    *table = fresh;
    return 0;
}

void table_clear(Table *table)
{
    table->count = 0;
    table->pool.size = 0;
    memset(table->buckets, 0xFF, ((size_t)1 << table->bits) * sizeof *table->buckets);
}

/* Of this process: who writes texts cannot know which words would meet. */
static uint64_t secrets[2];

void hash_seed(const unsigned char bytes[16])
{
    memcpy(secrets, bytes, sizeof secrets);
    /* A factor that loses nothing. */
    secrets[1] |= 1;
}

/* Both halves of a product, one upon the other. */
static uint64_t folded(uint64_t one, uint64_t other)
{
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t product = one * other;
    return (product ^ product >> 32) * (other ^ other >> 29) ^ product >> 27;
#endif
}

uint32_t hash_codes(const uint32_t *codes, int64_t size)
{
    uint64_t hash = secrets[0] ^ (uint64_t)size;
    int64_t i = 0;
    for (; i + 1 < size; i += 2)
        hash = folded(hash ^ (codes[i] | (uint64_t)codes[i + 1] << 32), secrets[1]);
    if (i < size)
        hash = folded(hash ^ codes[i], secrets[1]);
    return (uint32_t)folded(hash, secrets[0] | 1);
}

int64_t table_find(const Table *table, const uint32_t *codes, int64_t size, uint32_t hash)
{
    uint64_t mask = (UINT64_C(1) << table->bits) - 1;
    for (uint64_t at = hash & mask; table->buckets[at].index >= 0; at = (at + 1) & mask) {
        if (table->buckets[at].hash != hash)
            continue;
        const Entry *entry = table->entries + table->buckets[at].index;
        if (entry->size == size &&
            (!size || !memcmp(table->pool.codes + entry->offset, codes, (size_t)size * sizeof *codes)))
            return table->buckets[at].index;
    }
    return -1;
}

static void put(Bucket *buckets, int64_t bits, Bucket one)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1, at = one.hash & mask;
    while (buckets[at].index >= 0)
        at = (at + 1) & mask;
    buckets[at] = one;
}

static int table_grow(Table *table)
{
    int64_t room = 2 * table->room, bits = table->bits + 1;
    if (room > INT32_MAX)
        return -1;
    Bucket *buckets = malloc(((size_t)1 << bits) * sizeof *buckets);
    if (!buckets || widen((void **)&table->entries, room, sizeof *table->entries) < 0) {
        free(buckets);
        return -1;
    }
    memset(buckets, 0xFF, ((size_t)1 << bits) * sizeof *buckets);
    for (uint64_t i = 0; i < UINT64_C(1) << table->bits; i++)
        if (table->buckets[i].index >= 0)
            put(buckets, bits, table->buckets[i]);
    free(table->buckets);
    table->buckets = buckets;
    table->room = room;
    table->bits = bits;
    return 0;
}

int64_t table_add(Table *table, const uint32_t *codes, int64_t size, uint32_t hash, int32_t number)
{
    if (size > INT32_MAX || (table->count == table->room && table_grow(table) < 0))
        return -1;
    if (codes_fit(&table->pool, size) < 0)
        return -1;
    int64_t index = table->count++;
    if (size)
        memcpy(table->pool.codes + table->pool.size, codes, (size_t)size * sizeof *codes);
    table->entries[index] = (Entry){table->pool.size, (int32_t)size, number};
    table->pool.size += size;
    put(table->buckets, table->bits, (Bucket){hash, (int32_t)index});
    return index;
}

int32_t table_number(const Table *table, const uint32_t *codes, int64_t size)
{
    int64_t found = table_find(table, codes, size, hash_codes(codes, size));
    return found < 0 ? -1 : table->entries[found].number;
}
