// SPDX-License-Identifier: Apache-2.0
// Relocatable objects (ELF-64) of data, and archives of objects, written without a linker.
#ifndef XLA_AOT_OBJECT_FILE_H_
#define XLA_AOT_OBJECT_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace xla::aot {

enum class ObjectMachine : uint8_t { kX86, kArm };

// Read-only data with addresses of symbols in it.
//
//   DataObject object(ObjectMachine::kX86);
//   object.Define("table");      // here
//   object.AddNumber(3);
//   object.AddAddress("f");      // defined in this or another object
class DataObject {
 public:
  explicit DataObject(ObjectMachine machine) : machine_(machine) {}

  // Aligns what is added next.
  void Align(int64_t bytes);
  // Defines a symbol for what is added next. It is hidden: visible to objects that are linked to
  // one file, but not exported from that.
  void Define(const std::string& name);
  void AddNumber(int64_t number);
  // Names a symbol, so that the linker takes the member of an archive that defines it.
  void Need(const std::string& symbol) { (void)SymbolOf(symbol); }
  // Adds the address of a symbol. An empty name: a null pointer.
  void AddAddress(const std::string& symbol);
  void AddBytes(absl::Span<const char> bytes);
  void AddText(std::string_view text);  // with a NUL

  std::string Write() const;

 private:
  struct Address {
    int64_t offset;
    int symbol;
  };
  int SymbolOf(const std::string& name);

  const ObjectMachine machine_;
  std::string data_;
  std::vector<std::string> symbols_;
  std::vector<int64_t> places_;  // by symbol: its offset, or -1 if it is undefined
  std::map<std::string, int> numbers_;
  std::vector<Address> addresses_;
};

// Hides the global symbols that an object defines, except those listed. INTERNAL if it is not an
// object.
absl::Status HideSymbols(std::string& object, absl::Span<const std::string> exported);

struct ArchiveMember {
  std::string name;  // at most 15 characters
  std::string object;
};
// An archive in the common format of System V and GNU, with an index of symbols. The same members
// give the same bytes.
std::string WriteArchive(absl::Span<const ArchiveMember> members);

}  // namespace xla::aot

#endif  // XLA_AOT_OBJECT_FILE_H_
