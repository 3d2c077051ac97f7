// SPDX-License-Identifier: Apache-2.0
// Requests to end a run that only the thread that started it can see, such as pending signals of an
// interpreter that runs on it.
#ifndef XLA_RUNTIME_INTERRUPT_H_
#define XLA_RUNTIME_INTERRUPT_H_

namespace xla::runtime {

class Interrupt {
 public:
  virtual ~Interrupt() = default;
  // Whether the run is to end with CANCELLED. Asked wherever a run looks for its cancellation, on
  // all of its threads, without locks held.
  virtual bool IsRequested() = 0;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_INTERRUPT_H_
