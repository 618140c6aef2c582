/* The best tags of a sequence, for scores of one type: included by decode.c once for each. SCORE is
   the type, and NAMED(x) the name that x has for it. */

/* state[j]: what the attributes of an item are worth to each tag. */
VECTORS static void NAMED(add_states)(const Model *m, const int32_t *base, const int32_t *ids,
                                      int64_t count, SCORE *restrict state)
{
    /* Rows lie all over memory: what is to be added next is fetched while the rest is added. */
    enum { FAR = 16, NEAR = 8 };
    int32_t width = m->width;
    for (int32_t j = 0; j < width; j++)
        state[j] = base[j];
    for (int64_t i = 0; i < count; i++) {
        if (i + FAR < count && ids[i + FAR] >= 0)
            PREFETCH(m->rows + ids[i + FAR]);
        if (i + NEAR < count && ids[i + NEAR] >= 0) {
            const Row *next = m->rows + ids[i + NEAR];
            if (next->count == DENSE) {
                PREFETCH(m->dense + (int64_t)next->start * width);
                PREFETCH(m->dense + (int64_t)next->start * width + 16);
            } else {
                PREFETCH(m->weights + next->start);
            }
        }
        if (ids[i] < 0)
            continue;
        const Row *row = m->rows + ids[i];
        if (row->count == DENSE) {
            const int32_t *units = m->dense + (int64_t)row->start * width;
            for (int32_t j = 0; j < width; j++)
                state[j] += units[j];
            continue;
        }
        const Weight *weights = m->weights + row->start;
        for (uint32_t w = 0; w < row->count; w++)
            state[weights[w].tag] += weights[w].units;
    }
}

/* The lowest of the highest. */
VECTORS static int32_t NAMED(highest)(const SCORE *values, int32_t labels)
{
    SCORE top = values[0];
    for (int32_t j = 1; j < labels; j++)
        top = values[j] > top ? values[j] : top;
    int32_t at = 0;
    while (values[at] != top)
        at++;
    return at;
}

/* The tags that the best path may yet go through: one that trails the best by more than it could ever
   make up with its next move is dropped; one that could draw level is not, so that ties fall as
   without dropping. They ascend. */
VECTORS static int32_t NAMED(find_living)(const SCORE *ahead, const int32_t *gain, SCORE bar,
                                          int32_t labels, uint8_t *alive, int32_t *living)
{
    enum { AT_ONCE = 8 };
    for (int32_t k = 0; k < labels; k++)
        alive[k] = ahead[k] + gain[k] >= bar;
    for (int32_t k = labels; k % AT_ONCE; k++)
        alive[k] = 0;
    int32_t count = 0;
    for (int32_t low = 0; low < labels; low += AT_ONCE) {
        /* Few live: most stretches have none. */
        uint64_t any;
        memcpy(&any, alive + low, AT_ONCE);
        if (!any)
            continue;
        for (int32_t k = low; k < low + AT_ONCE; k++) {
            living[count] = k;
            count += alive[k];
        }
    }
    return count;
}

/* best[j] = max over the living k of ahead[k] + moves[k][j]; from[j] the lowest k that reaches it. Two
   rows at a time; the last is its own second, which changes nothing. */
VECTORS static void NAMED(advance)(const SCORE *ahead, const int32_t *moves, const int32_t *living,
                                   int32_t count, int32_t width, SCORE *restrict best,
                                   SCORE *restrict from)
{
    const int32_t *row = moves + (int64_t)living[0] * width;
    SCORE start = ahead[living[0]], source = living[0];
    for (int32_t j = 0; j < width; j++) {
        best[j] = start + row[j];
        from[j] = source;
    }
    for (int32_t i = 1; i < count; i += 2) {
        int32_t k[2] = {living[i], living[i + 1 < count ? i + 1 : i]};
        const int32_t *rows[2] = {moves + (int64_t)k[0] * width, moves + (int64_t)k[1] * width};
        SCORE starts[2] = {ahead[k[0]], ahead[k[1]]};
        for (int32_t j = 0; j < width; j++) {
            SCORE one = starts[0] + rows[0][j], other = starts[1] + rows[1][j];
            SCORE higher = best[j], source_of = from[j];
            source_of = one > higher ? k[0] : source_of;
            higher = one > higher ? one : higher;
            source_of = other > higher ? k[1] : source_of;
            best[j] = other > higher ? other : higher;
            from[j] = source_of;
        }
    }
}

/* Leaves the states in the space. Whether any tag is not outside. */
VECTORS static int NAMED(decode_tags)(const Model *m, const int32_t *base, Space *space,
                                      const Items *items, int64_t n, uint16_t *tags)
{
    int32_t labels = m->labels, width = m->width;
    SCORE *states = (SCORE *)space->states;
    SCORE *ahead = (SCORE *)space->rest, *best = ahead + width, *from = best + width;
    int32_t *living = (int32_t *)(space->rest + 3 * (int64_t)width);
    uint8_t *alive = (uint8_t *)(space->rest + 4 * (int64_t)width);
    for (int64_t t = 0; t < n; t++) {
        SCORE *restrict state = states + t * width;
        if (items->sums) {
            const int32_t *sums = items->sums + t * width;
            for (int32_t j = 0; j < width; j++)
                state[j] = (SCORE)base[j] + sums[j];
        } else {
            const int64_t *offsets = items->item_offsets + t;
            NAMED(add_states)(m, base, items->ids + offsets[0], offsets[1] - offsets[0], state);
        }
    }
    memcpy(ahead, states, (size_t)width * sizeof(SCORE));
    for (int64_t t = 1; t < n; t++) {
        int32_t top = NAMED(highest)(ahead, labels);
        SCORE bar = ahead[top];
        int32_t count = NAMED(find_living)(ahead, m->gain + (int64_t)top * width, bar, labels, alive,
                                           living);
        NAMED(advance)(ahead, m->moves, living, count, width, best, from);
        const SCORE *state = states + t * width;
        uint16_t *back = space->from + t * width;
        /* What is common to all says nothing: without it sums stay small however long the line. */
        for (int32_t j = 0; j < width; j++) {
            ahead[j] = best[j] + state[j] - bar;
            back[j] = (uint16_t)from[j];
        }
    }
    int32_t tag = NAMED(highest)(ahead, labels);
    int found = 0;
    for (int64_t t = n - 1; t >= 0; t--) {
        tags[t] = (uint16_t)tag;
        found |= tag != m->outside;
        if (t > 0)
            tag = space->from[t * width + tag];
    }
    return found;
}

/* The states of an item as they are in the model, in place of `row`. */
VECTORS static void NAMED(read_state)(const Space *space, int64_t t, int32_t width, double *restrict row)
{
    const SCORE *state = (const SCORE *)space->states + t * width;
    for (int32_t j = 0; j < width; j++)
        row[j] = (double)state[j] / UNITS;
}
