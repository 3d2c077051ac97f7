/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of custom calls: what a shared library implements to be called by HLO programs.
 *
 * The library exports one function, xylem_custom_calls(), which returns its table of targets:
 *
 *   static int32_t Scale(const XylemCallFrame* frame) {
 *     const XylemBuffer* in = frame->arguments[0];
 *     const XylemBuffer* out = frame->results[0];
 *     const XylemAttribute* by = xylem_find_attribute(frame->attributes, "by");
 *     if (by == NULL || by->element_type != XYLEM_F32) {
 *       frame->set_error(frame, "attribute 'by' must be an f32", 29);
 *       return XYLEM_INVALID_ARGUMENT;
 *     }
 *     ...
 *     return XYLEM_OK;
 *   }
 *   static const XylemTarget kScale = {sizeof(XylemTarget), "scale", XYLEM_CALL_TYPED,
 *                                      {.typed = Scale}};
 *   static const XylemTarget* const kTargets[] = {&kScale};
 *   static const XylemCustomCallTable kTable = {sizeof(XylemCustomCallTable),
 *       XYLEM_CUSTOM_CALL_ABI_MAJOR, XYLEM_CUSTOM_CALL_ABI_MINOR, 1, kTargets};
 *   XYLEM_EXPORT const XylemCustomCallTable* xylem_custom_calls(void) { return &kTable; }
 *
 * Versions. A library is accepted when its major version is that of the caller. Structures grow
 * only at their end, and each begins with the size that its maker knew: a reader looks at a later
 * field only if the size covers it.
 *
 * Threads. A handler may run on any thread, and on several at once. All that it is given is valid
 * until it returns. It must not throw.
 */
#ifndef XLA_RUNTIME_CUSTOM_CALL_C_H_
#define XLA_RUNTIME_CUSTOM_CALL_C_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XYLEM_CUSTOM_CALL_ABI_MAJOR 1
#define XYLEM_CUSTOM_CALL_ABI_MINOR 0

#if defined(_WIN32)
#define XYLEM_EXPORT __declspec(dllexport)
#else
#define XYLEM_EXPORT __attribute__((visibility("default")))
#endif

/* Element types: the numbers of PrimitiveType in xla/xla_data.proto. The usual ones have a name
 * here. Elements lie in memory as C stores them; PRED and integers of less than 8 bits take a byte
 * each. */
enum {
  XYLEM_PRED = 1,
  XYLEM_S8 = 2,
  XYLEM_S16 = 3,
  XYLEM_S32 = 4,
  XYLEM_S64 = 5,
  XYLEM_U8 = 6,
  XYLEM_U16 = 7,
  XYLEM_U32 = 8,
  XYLEM_U64 = 9,
  XYLEM_F16 = 10,
  XYLEM_F32 = 11,
  XYLEM_F64 = 12,
  XYLEM_C64 = 15,
  XYLEM_BF16 = 16,
  XYLEM_TOKEN = 17, /* no data: orders calls */
  XYLEM_C128 = 18
};

/* What a handler returns: the codes of absl::Status. */
enum {
  XYLEM_OK = 0,
  XYLEM_CANCELLED = 1,
  XYLEM_UNKNOWN = 2,
  XYLEM_INVALID_ARGUMENT = 3,
  XYLEM_NOT_FOUND = 5,
  XYLEM_RESOURCE_EXHAUSTED = 8,
  XYLEM_FAILED_PRECONDITION = 9,
  XYLEM_OUT_OF_RANGE = 11,
  XYLEM_UNIMPLEMENTED = 12,
  XYLEM_INTERNAL = 13
};

/* An array in memory. Arguments must not be written. */
typedef struct XylemBuffer {
  size_t struct_size;
  int32_t element_type;
  int32_t rank;
  const int64_t* dimensions;     /* [rank]; of a dynamic dimension the bound */
  const int64_t* minor_to_major; /* [rank]: dimensions in memory order, fastest first */
  const int64_t* byte_strides;   /* [rank]: from one index of a dimension to the next */
  /* [rank]: elements that exist. A result's, for a dynamic dimension, may be set, up to the bound;
   * it starts there. */
  int64_t* dynamic_sizes;
  int64_t size_bytes; /* of the memory at `data`; nothing beyond may be touched */
  void* data;         /* 64-byte aligned; not null */
} XylemBuffer;

/* What an attribute is. */
enum {
  XYLEM_ATTRIBUTE_SCALAR = 0,    /* one element of element_type */
  XYLEM_ATTRIBUTE_ARRAY = 1,     /* `count` elements of element_type */
  XYLEM_ATTRIBUTE_STRING = 2,    /* `count` bytes; a NUL follows, not counted */
  XYLEM_ATTRIBUTE_DICTIONARY = 3 /* `dictionary` */
};

struct XylemDictionary;

typedef struct XylemAttribute {
  size_t struct_size;
  const char* name; /* NUL-terminated */
  int32_t kind;
  int32_t element_type; /* of scalars and arrays: PRED, S8 to S64, U8 to U64, F32, F64; else 0 */
  const void* data;     /* aligned to 8 bytes; null for dictionaries */
  int64_t count;
  const struct XylemDictionary* dictionary;
} XylemAttribute;

/* In order of names. */
typedef struct XylemDictionary {
  size_t struct_size;
  int64_t count;
  const XylemAttribute* const* attributes;
} XylemDictionary;

/* One call. Tuples are flat: one buffer for each leaf, depth first. */
typedef struct XylemCallFrame {
  size_t struct_size;
  const char* target;
  const char* instruction; /* the name of the calling instruction */
  const char* opaque;      /* backend_config as it stands; a NUL follows */
  size_t opaque_size;
  int64_t argument_count;
  const XylemBuffer* const* arguments;
  int64_t result_count;
  const XylemBuffer* const* results;
  /* The backend_config of API_VERSION_TYPED_FFI; without members for the other versions. */
  const XylemDictionary* attributes;
  int64_t replica_id, partition_id;
  /* The message of the error that the handler is about to return (`size` bytes, copied). */
  void (*set_error)(const struct XylemCallFrame* frame, const char* message, size_t size);
  void* user_data; /* of the target */
  void* internal;  /* of the caller; leave alone */
} XylemCallFrame;

/* The status argument of the older calling conventions: as XlaCustomCallStatus of
 * xla/service/custom_call_status.h. */
typedef struct XlaCustomCallStatus_ {
  size_t struct_size;
  void (*set)(struct XlaCustomCallStatus_* status, int32_t failed, const char* message,
              size_t message_size);
} XlaCustomCallStatus;

/* How a target is called. The numbers of 1 to 4 are those of CustomCallApiVersion in
 * xla/service/hlo.proto, whose api_version= an instruction states; they must agree, except that
 * XYLEM_CALL_TYPED takes calls of any version.
 *
 * The untyped conventions get bare memory. `in` holds one pointer an operand. A tuple is an array
 * of pointers to its elements; the result `out` likewise. */
enum {
  XYLEM_CALL_ORIGINAL = 1,         /* void(void* out, const void** in) */
  XYLEM_CALL_STATUS_RETURNING = 2, /* void(void* out, const void** in, XlaCustomCallStatus*) */
  XYLEM_CALL_STATUS_RETURNING_UNIFIED = 3, /* void(void* out, const void** in, const char* opaque,
                                              size_t opaque_size, XlaCustomCallStatus*) */
  XYLEM_CALL_TYPED = 4                     /* int32_t(const XylemCallFrame*) */
};

typedef struct XylemTarget {
  size_t struct_size;
  const char* name; /* custom_call_target */
  int32_t convention;
  union {
    void (*original)(void* out, const void** in);
    void (*status_returning)(void* out, const void** in, XlaCustomCallStatus* status);
    void (*unified)(void* out, const void** in, const char* opaque, size_t opaque_size,
                    XlaCustomCallStatus* status);
    int32_t (*typed)(const XylemCallFrame* frame);
  } function;
  void* user_data;
} XylemTarget;

typedef struct XylemCustomCallTable {
  size_t struct_size;
  int32_t abi_major, abi_minor;
  int64_t target_count;
  const XylemTarget* const* targets;
} XylemCustomCallTable;

/* What the library exports under the name XYLEM_CUSTOM_CALLS_SYMBOL. Called once for each loading;
 * the table must stay. */
#define XYLEM_CUSTOM_CALLS_SYMBOL "xylem_custom_calls"
typedef const XylemCustomCallTable* (*XylemCustomCallsFunction)(void);

/* Null if there is none of this name. */
static inline const XylemAttribute* xylem_find_attribute(const XylemDictionary* dictionary,
                                                         const char* name) {
  int64_t i;
  for (i = 0; i < dictionary->count; ++i) {
    if (strcmp(dictionary->attributes[i]->name, name) == 0) return dictionary->attributes[i];
  }
  return NULL;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* XLA_RUNTIME_CUSTOM_CALL_C_H_ */
