// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Copies of buffers between the devices of different processes,
// version 6.
#ifndef XLA_PJRT_C_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Cross-host transfers (12)

#define PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION 6

// A pair of calls, one in the sending process and one in the receiving one; a transfer of one is
// that of the other by its key. Lists have num_buffers or num_shapes elements.

typedef struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args
    PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args;
struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_buffers;
  PJRT_Buffer** buffers;
  const int32_t* dst_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Event** send_events;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, send_events);

typedef struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args;
struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;
  const int64_t** num_dims;
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  const int32_t* src_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Buffer** buffers;  // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, buffers);

// An older way, by descriptors that the receiver makes and the caller brings to the sender.

typedef void (*PJRT_Transfers_CrossHostOnCanceledCallback)(PJRT_Error* error, void* user_arg);
typedef void (*PJRT_Transfers_CrossHostSendCancelNotifier)(
    const char* serialized_descriptor, size_t serialized_descriptor_size, PJRT_Error_Code reason,
    const char* error_message, size_t error_message_size,
    PJRT_Transfers_CrossHostOnCanceledCallback on_canceled, void* on_canceled_user_arg,
    void* user_arg);
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(
    PJRT_Error* error, const char** serialized_descriptors, size_t* descriptors_sizes,
    size_t num_descriptors, void* user_arg,
    PJRT_Transfers_CrossHostSendCancelNotifier cancel_notifier, void* cancel_notifier_user_arg);

typedef struct PJRT_Transfers_CrossHostRecvNotifierInfo PJRT_Transfers_CrossHostRecvNotifierInfo;
struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRecvNotifier notifier;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier);

typedef struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args;
struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;
  const int64_t** num_dims;
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;
  PJRT_Buffer** buffers;  // out
  size_t num_buffers;     // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, num_buffers);

typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(PJRT_Error* error,
                                                           bool sends_were_enqueued,
                                                           void* user_arg);

typedef struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo
    PJRT_Transfers_CrossHostRemoteSendCallbackInfo;
struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done);

typedef void (*PJRT_Transfers_DescriptorDestructor)(char** descriptor_data,
                                                    size_t* descriptor_size);

typedef struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args
    PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args;
struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Event* event;  // of the descriptor; freed by the callee
  char** serialized_descriptor;
  size_t* serialized_descriptor_size;
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
                          descriptor_destructor);

typedef struct PJRT_CrossHostTransfers_Extension PJRT_CrossHostTransfers_Extension;
struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*make_cross_host_receive_buffers)(
      PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);
  void (*copy_to_remote_device)(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);
  PJRT_Error* (*cross_host_receive_buffers)(
      PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);
  PJRT_Error* (*cross_host_send_buffers)(
      PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CrossHostTransfers_Extension, cross_host_send_buffers);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
