// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the files of the printer. Internal to this folder.
#ifndef XLA_HLO_TEXT_PRINTER_INTERNAL_H_
#define XLA_HLO_TEXT_PRINTER_INTERNAL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/printer.h"

namespace xla::text {

// The state of printing.
struct PrintContext {
  const HloPrintOptions& options;
  std::string* out;
  // tmp_N of the computation being printed; null unless names are canonical.
  absl::flat_hash_map<const HloInstruction*, int64_t>* canonical_names = nullptr;
  bool print_names = true;  // of the instruction and its operands
  // Frame ids as they are to be printed; null: as they are stored.
  const absl::flat_hash_map<int64_t, int64_t>* frame_ids = nullptr;
  int indent = 0;
  int depth = 0;          // of computations printed in place
  bool overflow = false;  // text printed in place grew past every bound
};

void AppendInt(std::string* out, int64_t value);
// "{1,2,3}"
void AppendBracedInts(std::string* out, absl::Span<const int64_t> values);
// The text in double quotes, C-escaped.
void AppendQuoted(std::string* out, std::string_view text);
// Whether the text reads back as one JSON-like dictionary token: "{" to its matching "}" and
// nothing after.
bool IsDictionaryToken(std::string_view text);

// printer_attributes.cc: ", name=value" for each attribute of the operation itself, as text that
// begins with a comma.
void AppendOwnAttributes(const HloInstruction& instruction, PrintContext& context);
// These instead of those of the instruction.
void AppendAsyncAttributes(const HloInstruction& instruction, const AsyncAttributes& attributes,
                           PrintContext& context);
// ", to_apply=%c" and the like.
void AppendCallees(const HloInstruction& instruction, PrintContext& context);
// Sharding to result accuracy; then metadata, origin and backend config.
void AppendExtras(const HloInstruction& instruction, bool frontend_attributes,
                  PrintContext& context);
void AppendMetadataAndConfig(const HloInstruction& instruction, PrintContext& context);
void AppendMetadata(const InstructionMetadata& metadata, const PrintContext& context);
void AppendOriginalValue(const OriginalValueTree& value, std::string* out);
void AppendOriginalValueNode(const OriginalValueNode& node, std::string* out);
void AppendFrontendAttributes(const std::map<std::string, std::string>& attributes,
                              std::string* out);

// printer.cc
// Whether the opcode table has "NAME-start" or "NAME-done": these are then operations of their own,
// not ways to write async-start and async-done.
bool HasAsyncOpcodes(std::string_view operation);
void AppendInstruction(const HloInstruction& instruction, PrintContext& context);
void AppendComputation(const HloComputation& computation, PrintContext& context, bool nested);

// printer_header.cc: the "HloModule" line and the stack-frame block.
void AppendModuleHeader(const HloModule& module, PrintContext& context);
// Fills `ids` with the printed id of each frame that the metadata in `order` uses; appends the
// table to *out.
void AppendStackFrames(const HloModule& module, absl::flat_hash_map<int64_t, int64_t>* ids,
                       std::string* out);

// The instruction that an async-start / -update / -done wraps when it can be printed as sugar
// ("add-start"), else null.
const HloInstruction* WrappedInstruction(const HloInstruction& async);
// Whether the computation is a single instruction on its parameters.
bool IsSingleInstruction(const HloComputation& computation);

}  // namespace xla::text

#endif  // XLA_HLO_TEXT_PRINTER_INTERNAL_H_
