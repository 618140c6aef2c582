#include "wrappers.h"

#include <stdlib.h>
#include <string.h>

#include "characters.h"

int take(PyObject *object, Py_buffer *view, Py_ssize_t size, int writable, const char *what)
{
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return -1;
    if (view->len % size) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes are no whole number of items", what, view->len);
        PyBuffer_Release(view);
        return -1;
    }
    if (view->len && (uintptr_t)view->buf % (uintptr_t)(size < 8 ? size : 8)) {
        PyErr_Format(PyExc_ValueError, "%s: is not aligned", what);
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

int is_tuple(PyObject *object, const char *what)
{
    if (PyTuple_Check(object))
        return 1;
    PyErr_Format(PyExc_ValueError, "%s: is not a tuple", what);
    return 0;
}

int take_all(PyObject *const *objects, Py_buffer *views, const Py_ssize_t *sizes,
             const char *const *names, int count, int written)
{
    for (int i = 0; i < count; i++)
        if (take(objects[i], &views[i], sizes[i], i >= count - written, names[i]) < 0)
            return -1;
    return 0;
}

void release(Py_buffer *views, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (views[i].obj)
            PyBuffer_Release(&views[i]);
}

int is_apart(const Py_buffer *written, const Py_buffer *views, int count)
{
    /* As numbers: pointers into different objects have no order. */
    uintptr_t begin = (uintptr_t)written->buf, end = begin + (uintptr_t)written->len;
    for (int i = 0; i < count; i++) {
        uintptr_t other = (uintptr_t)views[i].buf;
        if (views + i != written && written->len && views[i].len && other < end &&
            begin < other + (uintptr_t)views[i].len)
            return 0;
    }
    return 1;
}

int are_offsets(const int64_t *offsets, int64_t count, int64_t last)
{
    if (count < 1 || offsets[0] != 0 || offsets[count - 1] != last)
        return 0;
    for (int64_t i = 1; i < count; i++)
        if (offsets[i] < offsets[i - 1])
            return 0;
    return 1;
}

int are_codes(const Py_buffer *view)
{
    const uint32_t *codes = view->buf;
    int64_t size = view->len / 4;
    for (int64_t i = 0; i < size; i++)
        if (codes[i] >= CODE_POINTS)
            return 0;
    return 1;
}

void *copied(const Py_buffer *view)
{
    void *copy = malloc(view->len ? (size_t)view->len : 1);
    /* What is empty may have no address, which memcpy must not be given. */
    if (copy && view->len)
        memcpy(copy, view->buf, (size_t)view->len);
    return copy;
}

PyObject *new_holding(void *memory, const char *name, PyCapsule_Destructor close, PyObject *held)
{
    PyObject *capsule = held ? PyCapsule_New(memory, name, NULL) : NULL;
    /* The destructor comes last: what fails before it leaves the memory to the caller. */
    if (capsule && (PyCapsule_SetContext(capsule, held) < 0 || PyCapsule_SetDestructor(capsule, close) < 0))
        Py_CLEAR(capsule);
    if (!capsule)
        Py_XDECREF(held);
    return capsule;
}

void let_go(PyObject *capsule)
{
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}
