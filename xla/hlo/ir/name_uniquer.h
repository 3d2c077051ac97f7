// SPDX-License-Identifier: Apache-2.0
// Names "prefix" and "prefix.N" that are not used yet. Internal to xla/hlo/ir.
#ifndef XLA_HLO_IR_NAME_UNIQUER_H_
#define XLA_HLO_IR_NAME_UNIQUER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// A name is a stem and a number; "add" is number 0 of the stem "add", and so is "add.0". Constant
// time a name.
class HloModule::Uniquer {
 public:
  // The name itself if its number is free, else the stem with the next free number.
  std::string Unique(std::string_view name);
  // Takes the name as it is; false if its number is taken.
  bool Claim(std::string_view name);
  // Marks a name as given out for something that will be added under it.
  void Reserve(const std::string& name) { reserved_.insert(name); }
  // Whether the name was reserved; it no longer is.
  bool TakeReserved(const std::string& name);

 private:
  // Those below `next` are taken, and some beyond.
  struct Numbers {
    int64_t next = 0;
    absl::flat_hash_set<int64_t> beyond;
    bool is_valid = false;  // the stem is a valid name as it is

    bool Take(int64_t number);  // false if it is taken
    int64_t TakeNext();
  };
  absl::flat_hash_map<std::string, Numbers> stems_;
  absl::flat_hash_set<std::string> reserved_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_NAME_UNIQUER_H_
