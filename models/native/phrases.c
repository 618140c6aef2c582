#include "phrases.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

int phrases_make(Phrases *p, int64_t words, int32_t lists, int64_t n_phrases, int64_t total)
{
    p->words = words;
    p->lists = lists;
    p->size = 1;
    while ((INT64_C(1) << p->size) < 2 * total)
        p->size++;
    size_t places = (size_t)1 << p->size;
    p->root = malloc((words ? (size_t)words : 1) * sizeof *p->root);
    p->keys = malloc(places * sizeof *p->keys);
    p->child = malloc(places * sizeof *p->child);
    p->ending = malloc((total ? (size_t)total : 1) * sizeof *p->ending);
    p->pool = malloc((n_phrases ? (size_t)n_phrases : 1) * sizeof *p->pool);
    if (!p->root || !p->keys || !p->child || !p->ending || !p->pool)
        return -1;
    memset(p->root, 0xFF, (size_t)words * sizeof *p->root);
    memset(p->child, 0xFF, places * sizeof *p->child);
    memset(p->ending, 0xFF, (size_t)total * sizeof *p->ending);
    return 0;
}

void phrases_free(Phrases *p)
{
    free(p->root);
    free(p->keys);
    free(p->child);
    free(p->ending);
    free(p->pool);
}

/* Where a node's word is in the hash, or the free place where it would be. */
static uint64_t place_of(const Phrases *p, int32_t node, int32_t word)
{
    uint64_t key = (uint64_t)(uint32_t)node << 32 | (uint32_t)word;
    uint64_t mask = (UINT64_C(1) << p->size) - 1;
    uint64_t at = (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - p->size);
    while (p->child[at] >= 0 && p->keys[at] != key)
        at = (at + 1) & mask;
    return at;
}

void phrases_add(Phrases *p, const int32_t *words, int64_t n, int32_t list, int64_t weight)
{
    int32_t node = p->root[words[0]];
    if (node < 0)
        node = p->root[words[0]] = (int32_t)p->nodes++;
    for (int64_t i = 1; i < n; i++) {
        uint64_t at = place_of(p, node, words[i]);
        if (p->child[at] < 0) {
            p->keys[at] = (uint64_t)(uint32_t)node << 32 | (uint32_t)words[i];
            p->child[at] = (int32_t)p->nodes++;
        }
        node = p->child[at];
    }
    for (int32_t e = p->ending[node]; e >= 0; e = p->pool[e].next)
        if (p->pool[e].list == list) {
            int64_t sum = p->pool[e].weight + weight;
            p->pool[e].weight = sum < MOST_PHRASE_WEIGHT ? sum : MOST_PHRASE_WEIGHT;
            return;
        }
    p->pool[p->endings] = (Ending){weight, list, p->ending[node]};
    p->ending[node] = (int32_t)p->endings++;
}

static int put(Matches *found, Match match)
{
    if (fit((void **)&found->rows, &found->room, found->count + 1, sizeof match) < 0)
        return -1;
    found->rows[found->count++] = match;
    return 0;
}

int phrases_match(const Phrases *p, const int32_t *words, int64_t first, int64_t end,
                  int64_t *free_at, Matches *found)
{
    /* Of each list where its last match ends, and the match in `found` that begins here, if any. */
    int64_t *here = free_at + p->lists;
    for (int32_t list = 0; list < p->lists; list++) {
        free_at[list] = first;
        here[list] = -1;
    }
    for (int64_t i = first; i < end; i++) {
        if (words[i] < 0)
            continue;
        int64_t mine = found->count;
        int32_t node = p->root[words[i]];
        for (int64_t last = i; node >= 0; last++) {
            for (int32_t e = p->ending[node]; e >= 0; e = p->pool[e].next) {
                int32_t list = p->pool[e].list;
                if (here[list] >= 0) {
                    found->rows[here[list]].last = (int32_t)last;
                    found->rows[here[list]].weight = p->pool[e].weight;
                } else if (free_at[list] <= i) {
                    here[list] = found->count;
                    if (put(found, (Match){p->pool[e].weight, list, (int32_t)i, (int32_t)last, 0}) < 0)
                        return -1;
                }
            }
            if (last + 1 == end || words[last + 1] < 0)
                break;
            node = p->child[place_of(p, node, words[last + 1])];
        }
        for (int64_t m = mine; m < found->count; m++) {
            free_at[found->rows[m].list] = found->rows[m].last + 1;
            here[found->rows[m].list] = -1;
        }
    }
    return 0;
}
