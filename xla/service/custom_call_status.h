/* SPDX-License-Identifier: Apache-2.0 */
/* The status argument of custom calls of API_VERSION_STATUS_RETURNING, under XLA's names. Plain C,
 * and no symbol to link with. */
#ifndef XLA_SERVICE_CUSTOM_CALL_STATUS_H_
#define XLA_SERVICE_CUSTOM_CALL_STATUS_H_

#include "xla/runtime/custom_call_c.h" /* IWYU pragma: export */

#ifdef __cplusplus
extern "C" {
#endif

/* The call went well: so it is from the start. */
static inline void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status) {
  status->set(status, 0, NULL, 0);
}

/* The call failed. The message, up to its first NUL or message_len bytes, is copied. */
static inline void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message,
                                                 size_t message_len) {
  const char* end = message == NULL ? NULL : (const char*)memchr(message, 0, message_len);
  status->set(status, 1, message, end != NULL ? (size_t)(end - message) : message_len);
}

#ifdef __cplusplus
}
#endif

#endif /* XLA_SERVICE_CUSTOM_CALL_STATUS_H_ */
