// SPDX-License-Identifier: Apache-2.0
// Results of runs: collected, checked, written, printed.
#include "tools/named_outputs.h"

#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/npz.h"
#include "tools/sharded.h"
#include "xla/base/status_macros.h"
#include "xla/literal_print.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Larger results are abbreviated on the terminal.
constexpr int64_t kMostPrinted = 64;

// Moves the arrays of a literal to the end of `arrays`, in order.
void TakeArrays(Literal literal, std::vector<Literal>& arrays) {
  if (literal.shape().IsArray()) {
    arrays.push_back(std::move(literal));
  } else if (literal.shape().IsTuple()) {
    for (Literal& element : literal.DecomposeTuple()) TakeArrays(std::move(element), arrays);
  }
}

}  // namespace

std::string AbbreviatedText(const LiteralSlice& array) {
  const Shape& shape = array.shape();
  if (!shape.IsArray()) return shape.ToString();
  if (ShapeUtil::ElementsIn(shape) <= kMostPrinted) return array.ToString();
  std::string out = absl::StrCat(shape.ToString(), " {");
  std::vector<int64_t> index(shape.rank(), 0);
  for (int i = 0; i < 8; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", array.GetAsString(index));
    for (int64_t d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape.dimensions(d)) break;
      index[d] = 0;
    }
  }
  return absl::StrCat(out, ", ... ", ShapeUtil::ElementsIn(shape) - 8, " more}");
}

absl::Status CheckOutputFile(const std::string& path, const Arguments& arguments) {
  if (FormatOfName(path) != "npy") XLA_RETURN_IF_ERROR(CheckOutputName(path, "npz"));
  return CheckBinaryTarget(path, "an archive of the results", arguments);
}

absl::Status CheckOneResult(const HloModule& module, const DeviceGrid& grid,
                            const std::string& path) {
  size_t arrays = 0;
  for (const auto& leaf : ShapeUtil::GetLeafShapes(module.entry_computation_layout().result())) {
    if (leaf.shape.IsArray()) ++arrays;
  }
  const int64_t results = IsSharded(module, grid.partitions) ? grid.replicas : grid.count();
  if (arrays == 1 && results == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": a .npy file holds one array; ",
                   results > 1 ? absl::StrCat(results, " devices return ") : "the program returns ",
                   arrays, results > 1 ? " each" : "", "; give the name of a .npz archive"));
}

absl::Status WriteOutputs(const std::string& path, const std::vector<NamedLiteral>& outputs) {
  // Outfeeds and what is sent to the host are known after the run only.
  if (FormatOfName(path) == "npy") {
    if (outputs.size() == 1) return WriteNpy(path, outputs[0].value);
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": a .npy file holds one array; there are ", outputs.size(),
                     " with what the program wrote to the host; give the name of a .npz archive"));
  }
  std::vector<std::pair<std::string, LiteralSlice>> members;
  for (const NamedLiteral& output : outputs)
    members.emplace_back(output.name, LiteralSlice(output.value));
  return WriteNpz(path, members);
}

absl::StatusOr<std::vector<NamedLiteral>> CollectOutputs(const DeviceGrid& grid,
                                                         std::vector<Literal> results,
                                                         runtime::Feeds& feeds,
                                                         runtime::HostChannels& channels) {
  std::vector<NamedLiteral> outputs;
  // The arrays of a literal, named by `stem` or, in a tuple, stem.0, stem.1, ..
  const auto append = [&](const std::string& stem, Literal literal) {
    const bool is_tuple = literal.shape().IsTuple();
    std::vector<Literal> arrays;
    TakeArrays(std::move(literal), arrays);
    for (size_t i = 0; i < arrays.size(); ++i)
      outputs.push_back({is_tuple ? absl::StrCat(stem, ".", i) : stem, std::move(arrays[i])});
  };
  const bool is_for_devices = results.size() == static_cast<size_t>(grid.count());
  const auto of_replicas = [&](int64_t replica) {
    return results.size() > 1 ? absl::StrCat("replica", replica, "/") : std::string();
  };
  for (int64_t device = 0; device < grid.count(); ++device) {
    const std::string prefix = grid.count() > 1 ? absl::StrCat("device", device, "/") : "";
    if (static_cast<size_t>(device) < results.size()) {
      std::vector<Literal> arrays;
      TakeArrays(std::move(results[static_cast<size_t>(device)]), arrays);
      const std::string of_device = is_for_devices ? prefix : of_replicas(device);
      for (size_t i = 0; i < arrays.size(); ++i)
        outputs.push_back({absl::StrFormat("%sout%02d", of_device, i), std::move(arrays[i])});
    }
    for (int i = 0; feeds.OutfeedSize(device) > 0; ++i) {
      XLA_ASSIGN_OR_RETURN(Literal literal, feeds.TransferFromOutfeed(device));
      append(absl::StrFormat("%soutfeed%02d", prefix, i), std::move(literal));
    }
    std::map<int64_t, int> sent;
    for (std::vector<int64_t> ready; !(ready = channels.Sent(device)).empty();) {
      XLA_ASSIGN_OR_RETURN(Literal literal, channels.FromDevice(device, ready[0]));
      append(absl::StrFormat("%schannel%d_%02d", prefix, ready[0], sent[ready[0]]++),
             std::move(literal));
    }
  }
  return outputs;
}

}  // namespace xla
