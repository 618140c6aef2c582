/* Maps and tables from Python. */
#ifndef SCRUBLINE_PY_STRINGS_H
#define SCRUBLINE_PY_STRINGS_H

#include "wrappers.h"

#include "strings.h"

/* Each is 0, or -1 with an exception set; what was made is to be freed either way. */

/* (pages uint16, cells int32, expansions uint32), as `compiling.maps` makes them. */
int take_map(PyObject *object, Map *map);
/* (codes uint32, offsets int64, numbers int32): strings, each once, and the number of each. */
int take_table(PyObject *object, Table *table);

/* All of a tuple of them, zeros where they failed, and how many they are. */
int take_maps(PyObject *tuple, Map **maps, int32_t *count);
int take_tables(PyObject *tuple, Table **tables, int32_t *count);

/* A copy of a buffer of int32, and how many they are. */
int take_numbers(PyObject *object, int32_t **numbers, int64_t *count, const char *what);

#endif
