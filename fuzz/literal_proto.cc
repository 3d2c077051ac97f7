// SPDX-License-Identifier: Apache-2.0
// Any bytes read as a LiteralProto give a literal or an error; a literal comes back from its own
// proto and prints.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/base/check.h"
#include "xla/literal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<xla::Literal> literal = xla::Literal::DeserializeFromString(bytes);
  if (!literal.ok()) return 0;
  const absl::StatusOr<std::string> written = literal->SerializeAsString();
  XLA_CHECK_OK(written.status());
  const absl::StatusOr<xla::Literal> back = xla::Literal::DeserializeFromString(*written);
  XLA_CHECK_OK(back.status());
  XLA_CHECK(back->Equal(*literal, /*layout_sensitive=*/true))
      << *literal << " came back as " << *back;
  XLA_CHECK(back->HashValue() == literal->HashValue());
  XLA_CHECK(!literal->ToString().empty());
  return 0;
}
