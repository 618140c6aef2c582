#include "py_strings.h"

#include <stdlib.h>
#include <string.h>

#define MOST_EXPANSION 64

static int is_sound(const Map *map)
{
    if (map->n_cells % PAGE)
        return 0;
    for (int32_t p = 0; p < PAGES; p++)
        if ((map->pages[p] + 1) * (int64_t)PAGE > map->n_cells)
            return 0;
    for (int64_t i = 0; i < map->n_cells; i++) {
        if (map->cells[i] > CODE_POINTS)
            return 0;
        int64_t place = ~(int64_t)map->cells[i];
        if (map->cells[i] >= 0)
            continue;
        if (place >= map->n_expansions || map->expansions[place] > MOST_EXPANSION ||
            place + map->expansions[place] >= map->n_expansions)
            return 0;
        for (uint32_t k = 1; k <= map->expansions[place]; k++)
            if (map->expansions[place + k] >= CODE_POINTS)
                return 0;
    }
    return 1;
}

int take_map(PyObject *object, Map *map)
{
    enum { PAGES_OF, CELLS, EXPANSIONS, COUNT };
    static const char *names[] = {"pages", "cells", "expansions"};
    static const Py_ssize_t sizes[] = {2, 4, 4};
    PyObject *o[COUNT];
    Py_buffer views[COUNT] = {{0}};
    int result = -1;
    if (!is_tuple(object, "map") || !PyArg_ParseTuple(object, "OOO", &o[0], &o[1], &o[2]))
        return -1;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    map->n_cells = views[CELLS].len / 4;
    map->n_expansions = views[EXPANSIONS].len / 4;
    map->cells = copied(&views[CELLS]);
    map->expansions = copied(&views[EXPANSIONS]);
    if (!map->cells || !map->expansions) {
        PyErr_NoMemory();
        goto done;
    }
    if (views[PAGES_OF].len == sizeof map->pages)
        memcpy(map->pages, views[PAGES_OF].buf, sizeof map->pages);
    if (views[PAGES_OF].len != sizeof map->pages || !is_sound(map))
        PyErr_SetString(PyExc_ValueError, "a map does not fit together");
    else
        result = 0;
done:
    release(views, COUNT);
    return result;
}

int take_table(PyObject *object, Table *table)
{
    enum { CODES, OFFSETS, NUMBERS, COUNT };
    static const char *names[] = {"codes", "offsets", "numbers"};
    static const Py_ssize_t sizes[] = {4, 8, 4};
    PyObject *o[COUNT];
    Py_buffer views[COUNT] = {{0}};
    int result = -1;
    if (!is_tuple(object, "table") || !PyArg_ParseTuple(object, "OOO", &o[0], &o[1], &o[2]))
        return -1;
    if (take_all(o, views, sizes, names, COUNT, 0) < 0)
        goto done;
    const uint32_t *codes = views[CODES].buf;
    const int64_t *offsets = views[OFFSETS].buf;
    const int32_t *numbers = views[NUMBERS].buf;
    int64_t strings = views[NUMBERS].len / 4;
    if (views[OFFSETS].len / 8 != strings + 1 || strings > INT32_MAX / 2 ||
        !are_offsets(offsets, strings + 1, views[CODES].len / 4)) {
        PyErr_SetString(PyExc_ValueError, "a table does not fit together");
        goto done;
    }
    if (table_make(table, strings) < 0 || codes_fit(&table->pool, views[CODES].len / 4) < 0) {
        PyErr_NoMemory();
        goto done;
    }
    for (int64_t i = 0; i < strings; i++) {
        const uint32_t *string = codes + offsets[i];
        int64_t size = offsets[i + 1] - offsets[i];
        uint32_t hash = hash_codes(string, size);
        if (table_find(table, string, size, hash) >= 0) {
            PyErr_SetString(PyExc_ValueError, "a table has a string twice");
            goto done;
        }
        if (table_add(table, string, size, hash, numbers[i]) < 0) {
            PyErr_NoMemory();
            goto done;
        }
    }
    result = 0;
done:
    release(views, COUNT);
    return result;
}

/* Room for what is in a tuple, zeros; NULL with an exception set. */
static void *room_for(PyObject *tuple, int32_t *count, size_t size)
{
    void *room = calloc((size_t)PyTuple_Size(tuple) + 1, size);
    if (room)
        *count = (int32_t)PyTuple_Size(tuple);
    else
        PyErr_NoMemory();
    return room;
}

int take_maps(PyObject *tuple, Map **maps, int32_t *count)
{
    if (!(*maps = room_for(tuple, count, sizeof **maps)))
        return -1;
    for (int32_t i = 0; i < *count; i++)
        if (take_map(PyTuple_GetItem(tuple, i), *maps + i) < 0)
            return -1;
    return 0;
}

int take_tables(PyObject *tuple, Table **tables, int32_t *count)
{
    if (!(*tables = room_for(tuple, count, sizeof **tables)))
        return -1;
    for (int32_t i = 0; i < *count; i++)
        if (take_table(PyTuple_GetItem(tuple, i), *tables + i) < 0)
            return -1;
    return 0;
}

int take_numbers(PyObject *object, int32_t **numbers, int64_t *count, const char *what)
{
    Py_buffer view = {0};
    if (take(object, &view, 4, 0, what) < 0)
        return -1;
    *numbers = copied(&view);
    *count = view.len / 4;
    PyBuffer_Release(&view);
    if (!*numbers)
        PyErr_NoMemory();
    return *numbers ? 0 : -1;
}
