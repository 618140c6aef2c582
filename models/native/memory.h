/* Memory that grows, and what is asked of the compiler for its sake. */
#ifndef SCRUBLINE_MEMORY_H
#define SCRUBLINE_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(SCRUBLINE_SANITIZED)
/* The loader chooses by what the processor has. */
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif

#define CACHE_LINE 64

/* Whether so many items of a size have more bytes than there can be. */
static inline int is_too_large(uint64_t count, size_t size)
{
    return size && count > (SIZE_MAX - CACHE_LINE) / size;
}

#define HUGE_PAGE (2 << 20)

/* Memory, not yet written, that begins where a line of the cache does, so that rows of as many bytes are
   whole lines. Much of it lies on huge pages where the system has them: what is read all over is found
   without a walk through the page tables. To be freed like others; NULL without memory. */
static inline void *whole_lines(size_t count, size_t size)
{
    if (is_too_large(count, size) || count * size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    size_t bytes = count * size, unit = bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE;
    bytes = (bytes / unit + 1) * unit;
#if defined(_WIN32)
    return malloc(bytes);
#else
    void *memory = aligned_alloc(unit, bytes);
#if defined(MADV_HUGEPAGE)
    if (memory && unit == HUGE_PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE); /* where it is refused, nothing is lost */
#endif
    return memory;
#endif
}

/* The same, of zeros. */
static inline void *zeroed_lines(size_t count, size_t size)
{
    void *memory = whole_lines(count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

/* Makes room for so many items of a size; 0, or -1 without memory, when all is as it was. */
static inline int widen(void **memory, int64_t count, size_t size)
{
    if (is_too_large((uint64_t)count, size))
        return -1;
    /* Of nothing, too, there is memory. */
    void *wider = realloc(*memory, count && size ? (size_t)count * size : 1);
    if (!wider)
        return -1;
    *memory = wider;
    return 0;
}

/* The room to make where so much is needed and there is less: what is asked for at first, and half as
   much again later, so that it does not cost more the more often it grows. */
static inline int64_t wider_room(int64_t room, int64_t needed)
{
    int64_t half_more = room + room / 2;
    return (half_more > needed ? half_more : needed) + 64;
}

/* Sees to it that there is room for so many items of a size; 0, or -1 without memory, when all is as it
   was. */
static inline int fit(void **memory, int64_t *room, int64_t needed, size_t size)
{
    if (needed <= *room)
        return 0;
    int64_t wider = wider_room(*room, needed);
    if (widen(memory, wider, size) < 0)
        return -1;
    *room = wider;
    return 0;
}

#endif
