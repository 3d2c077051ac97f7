// SPDX-License-Identifier: Apache-2.0
// Calls through the C interface: frames, dictionaries and pointer tables made from their C++ forms.
#include <deque>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/primitive_util.h"
#include "xla/runtime/custom_call.h"

namespace xla::internal {
namespace {

// The C form of dictionaries, nested ones included. Deques: addresses stay.
class CDictionaries {
 public:
  // Depth is limited by the parser.
  const XylemDictionary* Make(const AttributeDictionary& dictionary) {
    std::vector<const XylemAttribute*>& list = lists_.emplace_back();
    for (const auto& [name, value] : dictionary.values()) {
      XylemAttribute& attribute = attributes_.emplace_back();
      attribute = {.struct_size = sizeof(XylemAttribute),
                   .name = name.c_str(),
                   .kind = static_cast<int32_t>(value.kind),
                   .element_type = value.element_type,
                   .data = value.data(),
                   .count = value.count,
                   .dictionary = nullptr};
      if (value.kind == AttributeValue::Kind::kString) {
        attribute.data = value.string.c_str();
        attribute.count = static_cast<int64_t>(value.string.size());
      } else if (value.kind == AttributeValue::Kind::kDictionary) {
        attribute.dictionary = Make(*value.dictionary);
        attribute.data = nullptr;
      }
      list.push_back(&attribute);
    }
    dictionaries_.push_back({.struct_size = sizeof(XylemDictionary),
                             .count = static_cast<int64_t>(list.size()),
                             .attributes = list.data()});
    return &dictionaries_.back();
  }

 private:
  std::deque<std::vector<const XylemAttribute*>> lists_;
  std::deque<XylemAttribute> attributes_;
  std::deque<XylemDictionary> dictionaries_;
};
static_assert(static_cast<int>(AttributeValue::Kind::kScalar) == XYLEM_ATTRIBUTE_SCALAR);
static_assert(static_cast<int>(AttributeValue::Kind::kArray) == XYLEM_ATTRIBUTE_ARRAY);
static_assert(static_cast<int>(AttributeValue::Kind::kString) == XYLEM_ATTRIBUTE_STRING);
static_assert(static_cast<int>(AttributeValue::Kind::kDictionary) == XYLEM_ATTRIBUTE_DICTIONARY);

// The C form of a list of buffers.
class CBuffers {
 public:
  explicit CBuffers(std::vector<CustomCallBuffer>& buffers)
      : details_(buffers.size()), buffers_(buffers.size()) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Shape& shape = *buffers[i].shape;
      const auto rank = static_cast<size_t>(shape.rank());
      Details& details = details_[i];
      details.strides.resize(rank);
      int64_t stride = shape.IsArray() ? primitive_util::ByteWidth(shape.element_type()) : 0;
      for (size_t k = 0; k < rank; ++k) {
        const int64_t dimension = shape.has_layout() ? shape.layout().minor_to_major(k)
                                                     : static_cast<int64_t>(rank - 1 - k);
        details.minor_to_major.push_back(dimension);
        details.strides[static_cast<size_t>(dimension)] = stride;
        const int at = static_cast<int>(dimension);
        stride *= shape.has_layout() && shape.layout().has_padding()
                      ? shape.layout().padded_dimensions(at)
                      : shape.dimensions(at);
      }
      buffers_[i] = {.struct_size = sizeof(XylemBuffer),
                     .element_type = shape.element_type(),
                     .rank = static_cast<int32_t>(rank),
                     .dimensions = shape.dimensions().data(),
                     .minor_to_major = details.minor_to_major.data(),
                     .byte_strides = details.strides.data(),
                     .dynamic_sizes = buffers[i].dynamic_sizes.data(),
                     .size_bytes = buffers[i].size_bytes,
                     .data = buffers[i].data};
      pointers_.push_back(&buffers_[i]);
    }
  }

  const XylemBuffer* const* pointers() const { return pointers_.data(); }

 private:
  struct Details {
    absl::InlinedVector<int64_t, 6> minor_to_major, strides;
  };
  std::vector<Details> details_;
  std::vector<XylemBuffer> buffers_;
  std::vector<const XylemBuffer*> pointers_;
};

void SetError(const XylemCallFrame* frame, const char* message, size_t size) {
  if (message != nullptr) static_cast<std::string*>(frame->internal)->assign(message, size);
}

// Pointers to the elements of tuples, as the untyped conventions want them.
class PointerTables {
 public:
  // Depth is limited with that of shapes. `leaf` moves on over the buffers.
  void* Make(const Shape& shape, const std::vector<CustomCallBuffer>& buffers, size_t& leaf) {
    if (!shape.IsTuple()) return buffers[leaf++].data;
    std::vector<void*>& table = tables_.emplace_back();
    // Never empty, so that its address is not null.
    table.reserve(shape.tuple_shapes().size() + 1);
    for (const Shape& element : shape.tuple_shapes()) {
      table.push_back(Make(element, buffers, leaf));
    }
    return table.data();
  }

 private:
  std::deque<std::vector<void*>> tables_;
};

struct StatusArgument {
  XlaCustomCallStatus c;  // first: the handler's pointer is to this
  bool failed = false;
  std::string message;
};

void SetStatus(XlaCustomCallStatus* status, int32_t failed, const char* message, size_t size) {
  auto* argument = reinterpret_cast<StatusArgument*>(status);
  argument->failed = failed != 0;
  argument->message = failed != 0 && message != nullptr ? std::string(message, size) : "";
}

}  // namespace

absl::Status CallTypedC(const XylemTarget& target, const AttributeDictionary& attributes,
                        CustomCallFrame& call) {
  const std::string name(call.target), instruction(call.instruction), opaque(call.opaque);
  CDictionaries dictionaries;
  const CBuffers arguments(call.arguments), results(call.results);
  std::string message;
  const XylemCallFrame frame = {.struct_size = sizeof(XylemCallFrame),
                                .target = name.c_str(),
                                .instruction = instruction.c_str(),
                                .opaque = opaque.c_str(),
                                .opaque_size = opaque.size(),
                                .argument_count = static_cast<int64_t>(call.arguments.size()),
                                .arguments = arguments.pointers(),
                                .result_count = static_cast<int64_t>(call.results.size()),
                                .results = results.pointers(),
                                .attributes = dictionaries.Make(attributes),
                                .replica_id = call.replica_id,
                                .partition_id = call.partition_id,
                                .set_error = SetError,
                                .user_data = target.user_data,
                                .internal = &message};
  const int32_t code = target.function.typed(&frame);
  if (code == XYLEM_OK) return absl::OkStatus();
  if (message.empty()) message = absl::StrCat("the handler returned code ", code);
  const bool known = code > 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return absl::Status(known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      message);
}

absl::Status CallUntyped(const XylemTarget& target, CustomCallFrame& call) {
  const std::string opaque(call.opaque);
  PointerTables tables;
  std::vector<const void*> in;
  size_t leaf = 0;
  for (const Shape* shape : call.operand_shapes) {
    in.push_back(tables.Make(*shape, call.arguments, leaf));
  }
  in.push_back(nullptr);  // never empty; ends the list for those who look
  leaf = 0;
  void* out = tables.Make(*call.result_shape, call.results, leaf);
  StatusArgument status;
  status.c = {.struct_size = sizeof(XlaCustomCallStatus), .set = SetStatus};
  if (target.convention == XYLEM_CALL_ORIGINAL) {
    target.function.original(out, in.data());
  } else if (target.convention == XYLEM_CALL_STATUS_RETURNING) {
    target.function.status_returning(out, in.data(), &status.c);
  } else {
    target.function.unified(out, in.data(), opaque.c_str(), opaque.size(), &status.c);
  }
  if (!status.failed) return absl::OkStatus();
  return absl::InternalError(status.message.empty() ? "the handler failed" : status.message);
}

}  // namespace xla::internal
