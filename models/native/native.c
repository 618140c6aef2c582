/* The extension module. */
#include "wrappers.h"

#include "places.h"
#include "strings.h"

/* Of what is agreed with Python; as in models/native/__init__.py. */
#define VERSION 9

#define METHOD(name) {#name, py_##name, METH_VARARGS, name##_doc},

static PyMethodDef methods[] = {
    CALLS(METHOD)
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "See `scrubline.models.native`.", 0, methods, NULL, NULL, NULL, NULL,
};

/* Random bytes for the tables of words; 0, or -1 with an exception set. */
static int seed(void)
{
    enum { BYTES = 16 };
    PyObject *os = PyImport_ImportModule("os"), *bytes = NULL;
    char *content;
    Py_ssize_t size;
    if (os)
        bytes = PyObject_CallMethod(os, "urandom", "i", BYTES);
    int result = bytes ? PyBytes_AsStringAndSize(bytes, &content, &size) : -1;
    if (result == 0)
        hash_seed((const unsigned char *)content);
    Py_XDECREF(bytes);
    Py_XDECREF(os);
    return result;
}

#define AS_NAME(kind, name) name,

/* The names of kinds of places, a tuple in their order; NULL with an exception set. */
static PyObject *place_kinds(void)
{
    static const char *const names[] = {EACH_PLACE_KIND(AS_NAME)};
    PyObject *tuple = PyTuple_New(PLACE_KINDS);
    for (int kind = 0; tuple && kind < PLACE_KINDS; kind++) {
        PyObject *name = PyUnicode_FromString(names[kind]);
        /* Takes the name, and frees it if it fails. */
        if (!name || PyTuple_SetItem(tuple, kind, name) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

PyMODINIT_FUNC PyInit__native(void)
{
    if (seed() < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition), *kinds = module ? place_kinds() : NULL;
    if (!kinds || PyModule_AddIntConstant(module, "VERSION", VERSION) < 0 ||
        PyModule_AddObjectRef(module, "PLACE_KINDS", kinds) < 0)
        Py_CLEAR(module);
    Py_XDECREF(kinds);
    return module;
}
