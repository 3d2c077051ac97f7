// SPDX-License-Identifier: Apache-2.0
// The verifier's rules for each opcode beyond its shape, by family; the table is in instruction.cc.
// Internal to this folder.
#ifndef XLA_HLO_VERIFIER_RULES_H_
#define XLA_HLO_VERIFIER_RULES_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/shape.h"

namespace xla::verifier {

// Facts about the whole module, used while its instructions are checked.
struct Context {
  HloVerifierOptions options;
  int64_t replica_count = 0, num_partitions = 0;
  // The number of devices that shardings refer to, if the module specifies it.
  std::optional<int64_t> num_devices;
  // Computations wrapped by an async-start.
  absl::flat_hash_set<const HloComputation*> async_computations;
  // Signatures of computations, computed on first use.
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<ProgramShape>> signatures;

  explicit Context(const HloVerifierOptions& verifier_options) : options(verifier_options) {}
  const ProgramShape& SignatureOf(const HloComputation& computation);
};

using Rule = absl::Status (*)(const HloInstruction&, const Context&);

// Checks an instruction whose operands and callees are valid: shape, attributes, and the rules of
// its opcode. The error names the instruction.
absl::Status CheckInstruction(const HloInstruction& instruction, Context& context);
// Checks its operand and users if it starts or ends an asynchronous operation (CheckAsyncPair).
absl::Status CheckPair(const HloInstruction& instruction, const Context& context);

// structure.cc: parents, operands, users, roots, parameters, control dependencies, callees, names,
// cycles, schedules. Once it passes, the graph can be traversed safely.
absl::Status CheckStructure(const HloModule& module);
// The checks for a single instruction outside a module: operands and callees are not null.
absl::Status CheckLinks(const HloInstruction& instruction);

// entry.cc: checks the entry computation against its layout, aliasing and donation.
absl::Status CheckEntry(const HloModule& module, const HloVerifierOptions& options);

// channels.cc: checks that transfers with the host on one channel are alike, and that all
// all-reduces of a module are layout-constrained or none is.
absl::Status CheckChannels(const HloModule& module);

// buffers.cc: checks that every array of a buffer type (b(f32[2])) is written once at most and
// passes only through operations that know buffers. Source: XLA's VerifyBuffers.
absl::Status CheckBuffers(const HloModule& module, const HloVerifierOptions& options);

// deadlocks.cc: checks that sends and receives between devices of a scheduled module match in
// order, with no other collective between.
absl::Status CheckCollectiveDeadlocks(const HloModule& module);

// names.cc: checks that instructions still have the names that their metadata states, and that
// origins have the structure of their instruction's shape.
absl::Status CheckNamesUnchanged(const HloModule& module);
absl::Status CheckOriginalValues(const HloModule& module);

// The default thread is called "main" in text; the name may be omitted.
bool SameThread(const std::string& a, const std::string& b);
std::string ThreadName(const std::string& thread);

// Whether two shapes are the same up to what the options leave open.
bool SameShape(const Shape& a, const Shape& b, const HloVerifierOptions& options,
               Shape::Equal equal = Shape::Equal());
// "Expected instruction to have shape equal to .., actual shape is .."
absl::Status WrongShape(const HloInstruction& instruction, const Shape& expected,
                        const HloVerifierOptions& options);

// layouts.cc: what holds before and after the rules of an opcode about layouts and dynamic sizes.
absl::Status CheckOwnLayout(const HloInstruction& instruction, const HloVerifierOptions& options);
absl::Status CheckLayoutKept(const HloInstruction& instruction, const HloVerifierOptions& options);
// Whether a copy may have this shape for an operand of that shape: copies between host and device
// keep type and order.
bool IsValidCopy(const Shape& copy, const Shape& operand, const HloVerifierOptions& options);

// Rules by opcode before shapes are inferred: their errors say more.
absl::Status CheckCallSignature(const HloInstruction& instruction, const Context& context);
absl::Status CheckWhileSignature(const HloInstruction& instruction, const Context& context);
absl::Status CheckConditionalSignature(const HloInstruction& instruction, const Context& context);
absl::Status CheckFusionSignature(const HloInstruction& instruction, const Context& context);
absl::Status CheckScan(const HloInstruction& instruction, const Context& context);

// Rules by opcode.
absl::Status NoMoreRules(const HloInstruction& instruction, const Context& context);
// elementwise.cc
absl::Status CheckCompare(const HloInstruction& instruction, const Context& context);
// leaf.cc
absl::Status CheckParameter(const HloInstruction& instruction, const Context& context);
absl::Status CheckConstant(const HloInstruction& instruction, const Context& context);
// reshape.cc
absl::Status CheckBitcast(const HloInstruction& instruction, const Context& context);
absl::Status CheckReshape(const HloInstruction& instruction, const Context& context);
absl::Status CheckBroadcast(const HloInstruction& instruction, const Context& context);
// control.cc
absl::Status CheckCall(const HloInstruction& instruction, const Context& context);
absl::Status CheckWhile(const HloInstruction& instruction, const Context& context);
absl::Status CheckConditional(const HloInstruction& instruction, const Context& context);
absl::Status CheckFusion(const HloInstruction& instruction, const Context& context);
absl::Status CheckCustomCall(const HloInstruction& instruction, const Context& context);
// async.cc
absl::Status CheckAsyncStart(const HloInstruction& instruction, const Context& context);
// A start has one user, its done; a done has its start as operand (the pairs of opcodes.def).
absl::Status CheckAsyncPair(const HloInstruction& instruction, const Context& context);
// effect.cc
absl::Status CheckSend(const HloInstruction& instruction, const Context& context);
absl::Status CheckRecv(const HloInstruction& instruction, const Context& context);

// For starts and dones: checks that the only user, or the operand, has one of these opcodes.
absl::Status ExpectOnlyUser(const HloInstruction& instruction, absl::Span<const HloOpcode> opcodes);
absl::Status ExpectOperand(const HloInstruction& instruction, absl::Span<const HloOpcode> opcodes);

}  // namespace xla::verifier

#endif  // XLA_HLO_VERIFIER_RULES_H_
