#include "words.h"

#include <stdlib.h>

#include "memory.h"

void words_free(Words *words)
{
    for (int32_t i = 0; i < words->n_maps && words->maps; i++)
        map_free(words->maps + i);
    for (int32_t i = 0; i < words->n_tables && words->tables; i++)
        table_free(words->tables + i);
    free(words->maps);
    free(words->tables);
    free(words->columns);
    free(words->lookups);
    free(words->found);
    free(words->numbers);
    free(words->classes);
    free(words->segments);
    table_free(&words->words);
    table_free(&words->folded);
    free(words->rows);
    free(words->stamps);
    free(words->places);
    free(words->sets);
    codes_free(&words->mapped);
    bench_free(&words->bench);
    tokens_free(&words->tokens);
    desk_free(&words->desk);
    free(words);
}

int words_forget(Words *words, int64_t most_words, int64_t most_codes)
{
    if (words->words.count <= most_words && words->words.pool.size <= most_codes &&
        words->folded.pool.size <= most_codes && words->n_sets <= MOST_SETS / 2)
        return 0;
    if (table_renew(&words->words, SOME_WORDS) < 0 || table_renew(&words->folded, SOME_WORDS) < 0)
        return -1;
    free(words->rows);
    free(words->stamps);
    free(words->places);
    words->rows = NULL;
    words->stamps = words->places = NULL;
    words->room = 0;
    words->n_sets = 0;
    return 0;
}

static int rows_fit(Words *words, int64_t count)
{
    if (count <= words->room)
        return 0;
    int64_t room = wider_room(words->room, count);
    if (widen((void **)&words->rows, room, (size_t)words->n_columns * sizeof *words->rows) < 0 ||
        widen((void **)&words->stamps, room, sizeof *words->stamps) < 0 ||
        widen((void **)&words->places, room, sizeof *words->places) < 0)
        return -1;
    words->room = room;
    return 0;
}

static int meets_run(const Segment *segments, int32_t count, const uint32_t *signs, int64_t size)
{
    int64_t at = 0;
    for (int32_t s = 0; s < count; s++) {
        int64_t begin = at, limit = size;
        if (segments[s].most >= 0 && begin + segments[s].most < size)
            limit = begin + segments[s].most;
        while (at < limit && signs[at] & segments[s].set)
            at++;
        if (at - begin < segments[s].fewest)
            return 0;
    }
    return at == size;
}

static int is_of_class(const Words *words, const Class *one, const uint32_t *signs, int64_t size)
{
    const Segment *segments = words->segments + one->first;
    if (one->kind == RUN)
        return meets_run(segments, one->count, signs, size);
    if (one->kind == ENDING)
        return size > 0 && signs[size - 1] & segments[0].set;
    uint32_t found = 0, allowed = 0;
    for (int64_t i = one->skip; i < size; i++)
        found |= signs[i];
    for (int32_t s = 0; s < one->count; s++) {
        if (!(found & segments[s].set))
            return 0;
        allowed |= segments[s].set;
    }
    return one->kind == HAS || !(found & ~allowed);
}

/* The number of the set of classes that a word is in; -2 without room. */
static int32_t set_of(Words *words, const WordColumn *column, const uint32_t *signs, int64_t size)
{
    uint64_t set = 0;
    for (int32_t k = 0; k < column->n; k++) {
        const Class *one = words->classes + column->first + k;
        if (one->number >= 0 && is_of_class(words, one, signs, size))
            set |= UINT64_C(1) << k;
    }
    for (int64_t s = 0; s < words->n_sets; s++)
        if (words->sets[s] == set)
            return (int32_t)s;
    if (words->n_sets == MOST_SETS)
        return -2;
    words->sets[words->n_sets] = set;
    return (int32_t)words->n_sets++;
}

static int32_t folded_number(Words *words, const uint32_t *codes, int64_t size)
{
    uint32_t hash = hash_codes(codes, size);
    int64_t found = table_find(&words->folded, codes, size, hash);
    if (found < 0)
        found = table_add(&words->folded, codes, size, hash, 0);
    return found < 0 ? -2 : (int32_t)found;
}

static int32_t flags_of(const Words *words, const uint32_t *codes, int64_t size)
{
    const uint16_t *traits = words->known->traits;
    if (!size)
        return 0;
    int first = traits[codes[0]], alpha = IS_ALPHA, cased = 0, upper = 0;
    for (int64_t i = 0; i < size; i++) {
        alpha &= traits[codes[i]];
        cased |= traits[codes[i]] & IS_LOWER;
        upper |= traits[codes[i]] & (IS_UPPER | IS_TITLE);
    }
    int32_t flags = first & IS_ALNUM ? STARTS_ALNUM : 0;
    if (alpha && cased && !upper)
        flags |= ALL_SMALL;
    if (size >= 3 && first & IS_ALNUM && !(first & IS_LOWER))
        flags |= TELLS;
    return flags;
}

static int64_t collapsed(uint32_t *codes, int64_t size)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < size; i++)
        if (!kept || codes[kept - 1] != codes[i])
            codes[kept++] = codes[i];
    return kept;
}

/* The index of what is looked up in its table; -1 if it is not there, -2 without memory. */
static int32_t look_up(Words *words, int32_t number, const uint32_t *codes, int64_t size)
{
    const WordLookup *lookup = words->lookups + number;
    if (lookup->map >= 0) {
        if (map_codes(words->maps + lookup->map, codes, size, &words->mapped) < 0)
            return -2;
        codes = words->mapped.codes;
        size = words->mapped.size;
    }
    if (size < lookup->least)
        return -1;
    int64_t cut = size < lookup->n ? size : lookup->n;
    if (lookup->cut == COLLAPSED)
        size = collapsed(words->mapped.codes, size);
    else if (lookup->cut == SUFFIX)
        codes += size - cut;
    if (lookup->cut == PREFIX || lookup->cut == SUFFIX)
        size = cut;
    return (int32_t)table_find(words->tables + number, codes, size, hash_codes(codes, size));
}

/* The value of a column for a word; -1 for none, -2 without memory. */
static int32_t value_of(Words *words, const WordColumn *column, const uint32_t *codes, int64_t size,
                        int32_t kind)
{
    if (column->way == FLAGS)
        return flags_of(words, codes, size);
    if (column->way == LENGTH)
        return words->numbers[column->first + (size < column->n ? size : column->n)];
    if (column->way == KIND)
        return column->kinds < 0 ? kind : kind < 0 ? -1 : words->numbers[column->kinds + kind];
    if (column->way == LOOKED_UP) {
        if (column->kinds >= 0 && kind >= 0 && words->numbers[column->kinds + kind] != LOOK_UP)
            return words->numbers[column->kinds + kind];
        int32_t *found = words->found + column->lookup;
        if (*found == NOT_YET)
            *found = look_up(words, column->lookup, codes, size);
        return *found < 0 ? *found : words->numbers[column->fan + *found];
    }
    if (map_codes(words->maps + column->lookup, codes, size, &words->mapped) < 0)
        return -2;
    if (column->way == FOLDED)
        return folded_number(words, words->mapped.codes, words->mapped.size);
    return set_of(words, column, words->mapped.codes, words->mapped.size);
}

int64_t word_place(Words *words, const uint32_t *codes, int64_t size, int64_t next, int64_t *row)
{
    uint32_t clipped[LONGEST_WORD];
    codes = clip_word(codes, &size, clipped);
    uint32_t hash = hash_codes(codes, size);
    int64_t found = table_find(&words->words, codes, size, hash);
    if (found >= 0) {
        *row = found;
        if (words->stamps[found] == words->batch)
            return words->places[found];
    } else {
        /* The row stands before the word is known: without memory no word has another's. */
        *row = found = words->words.count;
        if (rows_fit(words, found + 1) < 0)
            return -1;
        int32_t kind = -1, *values = words->rows + found * words->n_columns;
        if (words->merger)
            kind = kind_of_word(words->merger, codes, size, &words->bench, &words->tokens, &words->desk);
        if (kind == -2)
            return -1;
        for (int32_t l = 0; l < words->n_tables; l++)
            words->found[l] = NOT_YET;
        for (int32_t c = 0; c < words->n_columns; c++)
            if ((values[c] = value_of(words, words->columns + c, codes, size, kind)) == -2)
                return -1;
        if (table_add(&words->words, codes, size, hash, 0) < 0)
            return -1;
    }
    words->stamps[found] = words->batch;
    words->places[found] = next;
    return next;
}
