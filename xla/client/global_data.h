// SPDX-License-Identifier: Apache-2.0
// GlobalData: a handle to a value that a client keeps.
#ifndef XLA_CLIENT_GLOBAL_DATA_H_
#define XLA_CLIENT_GLOBAL_DATA_H_

#include <memory>
#include <utility>
#include <vector>

#include "xla/xla_data.pb.h"

namespace xla {

class ClientCore;

// Owns the value, which is freed with it; the client may go first.
class GlobalData {
 public:
  GlobalData(std::shared_ptr<ClientCore> client, GlobalDataHandle handle);
  GlobalData(const GlobalData&) = delete;
  GlobalData& operator=(const GlobalData&) = delete;
  ~GlobalData();

  const GlobalDataHandle& handle() const { return handle_; }

  // Frees all values at once.
  static void Release(std::vector<std::unique_ptr<GlobalData>> instances) { instances.clear(); }

 private:
  std::shared_ptr<ClientCore> client_;
  GlobalDataHandle handle_;
};

}  // namespace xla

#endif  // XLA_CLIENT_GLOBAL_DATA_H_
