// SPDX-License-Identifier: Apache-2.0
// Brings together the threads that each run one device of a program.
#include "xla/client/run_gathering.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/runtime/status_copy.h"

namespace xla {

struct RunGathering::Round {
  std::vector<Arguments> arguments;
  std::vector<ShapedBuffer*> given;  // memory for the results, of JoinInto
  std::vector<bool> came;
  absl::Status inputs;  // the first error of those that came
  bool is_done = false;
  absl::Status status;
  std::vector<ScopedShapedBuffer> results;  // of Join
};

absl::StatusOr<std::shared_ptr<RunGathering::Round>> RunGathering::Meet(
    int64_t run, int64_t device, int64_t devices, const absl::Status& inputs, Arguments arguments,
    ShapedBuffer* result, absl::Duration timeout, absl::FunctionRef<absl::Status(Round&)> run_all) {
  const auto at = static_cast<size_t>(device);
  std::unique_lock<std::mutex> lock(mutex_);
  std::shared_ptr<Round>& place = rounds_[run];
  if (place == nullptr) {
    place = std::make_shared<Round>();
    place->arguments.resize(static_cast<size_t>(devices));
    place->given.resize(static_cast<size_t>(devices));
    place->came.resize(static_cast<size_t>(devices));
  }
  const std::shared_ptr<Round> round = place;
  if (round->came[at]) {
    return absl::AlreadyExistsError(
        absl::StrCat("device ", device, " of the program runs twice in run ", run));
  }
  round->came[at] = true;
  round->arguments[at] = arguments;
  round->given[at] = result;
  round->inputs.Update(inputs);
  const auto end = [&] {
    rounds_.erase(run);
    lock.unlock();
    absl::Status status = run_all(*round);
    lock.lock();
    round->status = std::move(status);
    round->is_done = true;
    changed_.notify_all();
  };
  if (std::find(round->came.begin(), round->came.end(), false) == round->came.end()) {
    end();
  } else {
    const auto everyone_came = [&] {
      const auto found = rounds_.find(run);
      return round->is_done || found == rounds_.end() || found->second != round;
    };
    const auto limit = std::chrono::steady_clock::now() +
                       absl::ToChronoNanoseconds(std::min(timeout, absl::Hours(24 * 365)));
    if (!changed_.wait_until(lock, limit, everyone_came)) {
      std::vector<std::string> missing;
      for (size_t i = 0; i < round->came.size(); ++i) {
        if (!round->came[i]) missing.push_back(absl::StrCat(i));
      }
      round->inputs.Update(absl::DeadlineExceededError(
          absl::StrCat("waited ", absl::FormatDuration(timeout), " in run ", run,
                       " for the devices that did not come: ", absl::StrJoin(missing, ", "))));
      end();
    }
    // Arguments of this thread are in use until the run is done.
    changed_.wait(lock, [&] { return round->is_done; });
  }
  if (!round->status.ok()) return runtime::UnsharedCopy(round->status);
  return round;
}

absl::StatusOr<ScopedShapedBuffer> RunGathering::Join(int64_t run, int64_t device, int64_t devices,
                                                      Arguments arguments, absl::Duration timeout,
                                                      RunAll run_all) {
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<Round> round,
                       Meet(run, device, devices, absl::OkStatus(), arguments, nullptr, timeout,
                            [&](Round& all) -> absl::Status {
                              XLA_ASSIGN_OR_RETURN(all.results, run_all(all.inputs, all.arguments));
                              return absl::OkStatus();
                            }));
  return std::move(round->results[static_cast<size_t>(device)]);
}

absl::Status RunGathering::JoinInto(int64_t run, int64_t device, int64_t devices,
                                    const absl::Status& inputs, Arguments arguments,
                                    ShapedBuffer* result, absl::Duration timeout,
                                    RunAllInto run_all) {
  return Meet(run, device, devices, inputs, arguments, result, timeout,
              [&](Round& all) { return run_all(all.inputs, all.arguments, all.given); })
      .status();
}

}  // namespace xla
