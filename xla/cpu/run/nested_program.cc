// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/run/nested_program.h"

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/runtime/host_memory.h"

namespace xla::cpu {

NestedProgram::NestedProgram(ProgramSchedule schedule, int32_t arguments)
    : schedule_(std::move(schedule)), arguments_(arguments) {}

void NestedProgram::FreeMemory::operator()(char* memory) const { runtime::FreeHostMemory(memory); }

int64_t NestedProgram::FrameBytes() const {
  int64_t library = 0;
  for (const kernels::Kernel* kernel : prepared)
    library = std::max(library, kernel->ScratchBytes(/*workers=*/1));
  return schedule_.scratch_bytes + library;
}

absl::StatusOr<NestedProgram::Frame> NestedProgram::TakeFrame() const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!frames_.empty()) {
      Frame frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  Frame frame;
  if (const int64_t bytes = FrameBytes(); bytes > 0) {
    frame.memory.reset(static_cast<char*>(runtime::AllocateHostMemory(static_cast<size_t>(bytes))));
    if (frame.memory == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for ", bytes, " bytes of scratch memory"));
    }
  }
  frame.bases = {frame.memory.get()};
  frame.bases.resize(static_cast<size_t>(1 + arguments() + results()));
  frame.bases.insert(frame.bases.end(), constants.begin(), constants.end());
  return frame;
}

// Exceptions must not propagate through generated code.
void NestedProgram::Run(RunState& caller, char* cells) const {
  if (!caller.Poll().ok()) return;
  absl::Status status;
  try {
    absl::StatusOr<Frame> frame = TakeFrame();
    status = frame.status();
    if (status.ok()) {
      for (int32_t i = 0; i < arguments() + results(); ++i)
        frame->bases[static_cast<size_t>(1 + i)] = cells + i * kCellBytes;
      RunState state(caller, frame->bases.data());
      status = RunThunks(thunks, state);
      const std::lock_guard<std::mutex> lock(mutex_);
      frames_.push_back(*std::move(frame));
    }
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("the system has no memory for a thunk");
  }
  if (!status.ok()) caller.set_failure(std::move(status));
}

}  // namespace xla::cpu
