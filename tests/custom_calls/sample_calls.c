/* SPDX-License-Identifier: Apache-2.0 */
/* A library of custom calls in plain C: one handler or more of each calling convention. */
#include <stdio.h>
#include <string.h>

#include "xla/service/custom_call_status.h"

static int32_t Fail(const XylemCallFrame* frame, int32_t code, const char* message) {
  frame->set_error(frame, message, strlen(message));
  return code;
}

/* out = by * in, both f32. */
static int32_t Scale(const XylemCallFrame* frame) {
  const XylemAttribute* by = xylem_find_attribute(frame->attributes, "by");
  if (by == NULL || by->kind != XYLEM_ATTRIBUTE_SCALAR || by->element_type != XYLEM_F32) {
    return Fail(frame, XYLEM_INVALID_ARGUMENT, "attribute 'by' must be an f32");
  }
  const float factor = *(const float*)by->data;
  const float* in = (const float*)frame->arguments[0]->data;
  float* out = (float*)frame->results[0]->data;
  for (int64_t i = 0; i < frame->results[0]->size_bytes / (int64_t)sizeof(float); ++i) {
    out[i] = factor * in[i];
  }
  return XYLEM_OK;
}

static void Append(char* text, size_t size, const char* more) {
  strncat(text, more, size - strlen(text) - 1);
}

static void DescribeDictionary(const XylemDictionary* dictionary, char* text, size_t size) {
  char part[64];
  for (int64_t i = 0; i < dictionary->count; ++i) {
    const XylemAttribute* a = dictionary->attributes[i];
    snprintf(part, sizeof(part), "%s%s=", i == 0 ? "" : " ", a->name);
    Append(text, size, part);
    if (a->kind == XYLEM_ATTRIBUTE_STRING) {
      Append(text, size, (const char*)a->data);
    } else if (a->kind == XYLEM_ATTRIBUTE_DICTIONARY) {
      Append(text, size, "{");
      DescribeDictionary(a->dictionary, text, size);
      Append(text, size, "}");
    } else {
      for (int64_t k = 0; k < a->count; ++k) {
        switch (a->element_type) {
          case XYLEM_PRED: snprintf(part, sizeof(part), "%d", ((const char*)a->data)[k]); break;
          case XYLEM_S32: snprintf(part, sizeof(part), "%d", ((const int32_t*)a->data)[k]); break;
          case XYLEM_S64:
            snprintf(part, sizeof(part), "%lld", (long long)((const int64_t*)a->data)[k]);
            break;
          case XYLEM_F32: snprintf(part, sizeof(part), "%g", ((const float*)a->data)[k]); break;
          case XYLEM_F64: snprintf(part, sizeof(part), "%g", ((const double*)a->data)[k]); break;
          default: snprintf(part, sizeof(part), "type%d", a->element_type);
        }
        if (k > 0) Append(text, size, ",");
        Append(text, size, part);
      }
    }
  }
}

/* Fails with all that it was given, so that tests can read it. */
static int32_t Describe(const XylemCallFrame* frame) {
  char text[1024] = "";
  char part[128];
  snprintf(part, sizeof(part), "%s at %s (", frame->target, frame->instruction);
  Append(text, sizeof(text), part);
  for (int64_t i = 0; i < frame->argument_count + frame->result_count; ++i) {
    const XylemBuffer* b = i < frame->argument_count ? frame->arguments[i]
                                                     : frame->results[i - frame->argument_count];
    if (i == frame->argument_count) Append(text, sizeof(text), ") -> (");
    snprintf(part, sizeof(part), "[type %d,", b->element_type);
    Append(text, sizeof(text), part);
    for (int32_t d = 0; d < b->rank; ++d) {
      snprintf(part, sizeof(part), " %lld/%lld:%lld", (long long)b->dynamic_sizes[d],
               (long long)b->dimensions[d], (long long)b->byte_strides[d]);
      Append(text, sizeof(text), part);
    }
    snprintf(part, sizeof(part), ", %lld bytes]", (long long)b->size_bytes);
    Append(text, sizeof(text), part);
  }
  Append(text, sizeof(text), ") {");
  DescribeDictionary(frame->attributes, text, sizeof(text));
  Append(text, sizeof(text), "} user data ");
  Append(text, sizeof(text), (const char*)frame->user_data);
  return Fail(frame, XYLEM_FAILED_PRECONDITION, text);
}

/* Keeps the positive elements of an s32 vector: the result's first dimension is dynamic. */
static int32_t KeepPositive(const XylemCallFrame* frame) {
  const int32_t* in = (const int32_t*)frame->arguments[0]->data;
  int32_t* out = (int32_t*)frame->results[0]->data;
  int64_t kept = 0;
  for (int64_t i = 0; i < frame->arguments[0]->dimensions[0]; ++i) {
    if (in[i] > 0) out[kept++] = in[i];
  }
  frame->results[0]->dynamic_sizes[0] = kept;
  return XYLEM_OK;
}

/* Sets a size beyond the bound. */
static int32_t SetTooLarge(const XylemCallFrame* frame) {
  frame->results[0]->dynamic_sizes[0] = 1000;
  return XYLEM_OK;
}

/* Adds one to the memory that result and operand share. */
static int32_t IncrementInPlace(const XylemCallFrame* frame) {
  if (frame->arguments[0]->data != frame->results[0]->data) {
    return Fail(frame, XYLEM_INTERNAL, "not the same memory");
  }
  float* data = (float*)frame->results[0]->data;
  for (int64_t i = 0; i < frame->results[0]->size_bytes / (int64_t)sizeof(float); ++i) data[i] += 1;
  return XYLEM_OK;
}

static int32_t WriteBeyond(const XylemCallFrame* frame) {
  ((char*)frame->results[0]->data)[frame->results[0]->size_bytes] = 1;
  return XYLEM_OK;
}

static int32_t FailSilently(const XylemCallFrame* frame) {
  (void)frame;
  return 99;
}

/* (f32[4], s32[2]) from (f32[4], (s32[2])): doubles the one, negates the other. */
static void DoubleAndNegate(void* out, const void** in) {
  void** results = (void**)out;
  const float* x = (const float*)in[0];
  const int32_t* n = (const int32_t*)((const void* const*)in[1])[0];
  for (int i = 0; i < 4; ++i) ((float*)results[0])[i] = 2 * x[i];
  for (int i = 0; i < 2; ++i) ((int32_t*)results[1])[i] = -n[i];
}

static void HalveNonNegative(void* out, const void** in, XlaCustomCallStatus* status) {
  const float* x = (const float*)in[0];
  for (int i = 0; i < 4; ++i) {
    if (x[i] < 0) {
      XlaCustomCallStatusSetFailure(status, "an element is negative", 22);
      return;
    }
    ((float*)out)[i] = x[i] / 2;
  }
  XlaCustomCallStatusSetSuccess(status);
}

/* Writes the opaque string into an u8 vector of its length. */
static void CopyOpaque(void* out, const void** in, const char* opaque, size_t opaque_size,
                       XlaCustomCallStatus* status) {
  (void)in;
  if (opaque_size != 5) {
    XlaCustomCallStatusSetFailure(status, "the opaque string must have 5 bytes", 35);
    return;
  }
  memcpy(out, opaque, opaque_size);
}

#define TARGET(variable, name, convention, member, handler) \
  static const XylemTarget variable = {sizeof(XylemTarget), name, convention, {.member = handler}, \
                                       (void*)"sample"}
TARGET(kScale, "scale", XYLEM_CALL_TYPED, typed, Scale);
TARGET(kDescribe, "describe", XYLEM_CALL_TYPED, typed, Describe);
TARGET(kKeepPositive, "keep_positive", XYLEM_CALL_TYPED, typed, KeepPositive);
TARGET(kSetTooLarge, "set_too_large", XYLEM_CALL_TYPED, typed, SetTooLarge);
TARGET(kIncrement, "increment", XYLEM_CALL_TYPED, typed, IncrementInPlace);
TARGET(kWriteBeyond, "write_beyond", XYLEM_CALL_TYPED, typed, WriteBeyond);
TARGET(kFailSilently, "fail_silently", XYLEM_CALL_TYPED, typed, FailSilently);
TARGET(kDoubleAndNegate, "double_and_negate", XYLEM_CALL_ORIGINAL, original, DoubleAndNegate);
TARGET(kHalves, "halves", XYLEM_CALL_STATUS_RETURNING, status_returning, HalveNonNegative);
TARGET(kCopyOpaque, "copy_opaque", XYLEM_CALL_STATUS_RETURNING_UNIFIED, unified, CopyOpaque);

static const XylemTarget* const kTargets[] = {
    &kScale,       &kDescribe,     &kKeepPositive,    &kSetTooLarge, &kIncrement,
    &kWriteBeyond, &kFailSilently, &kDoubleAndNegate, &kHalves,      &kCopyOpaque};
static const XylemCustomCallTable kTable = {
    sizeof(XylemCustomCallTable), XYLEM_CUSTOM_CALL_ABI_MAJOR, XYLEM_CUSTOM_CALL_ABI_MINOR,
    sizeof(kTargets) / sizeof(kTargets[0]), kTargets};

XYLEM_EXPORT const XylemCustomCallTable* xylem_custom_calls(void) { return &kTable; }
