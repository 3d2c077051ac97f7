// SPDX-License-Identifier: Apache-2.0
// Meeting of the threads that each run one device of a program.
#include "xla/client/run_gathering.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {

struct RunGathering::Round {
  std::vector<Arguments> arguments;
  std::vector<bool> came;
  bool is_done = false;
  absl::Status status;
  std::vector<ScopedShapedBuffer> results;
};

absl::StatusOr<ScopedShapedBuffer> RunGathering::Join(int64_t run, int64_t device, int64_t devices,
                                                      Arguments arguments, absl::Duration timeout,
                                                      RunAll run_all) {
  const auto at = static_cast<size_t>(device);
  std::unique_lock<std::mutex> lock(mutex_);
  std::shared_ptr<Round>& place = rounds_[run];
  if (place == nullptr) {
    place = std::make_shared<Round>();
    place->arguments.resize(static_cast<size_t>(devices));
    place->came.resize(static_cast<size_t>(devices));
  }
  const std::shared_ptr<Round> round = place;
  if (round->came[at]) {
    return absl::AlreadyExistsError(
        absl::StrCat("device ", device, " of the program runs twice in run ", run));
  }
  round->came[at] = true;
  round->arguments[at] = std::move(arguments);
  if (std::find(round->came.begin(), round->came.end(), false) == round->came.end()) {
    rounds_.erase(run);
    lock.unlock();
    auto results = run_all(round->arguments);
    lock.lock();
    round->status = results.status();
    if (results.ok()) round->results = *std::move(results);
    round->is_done = true;
    changed_.notify_all();
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
      round->status = absl::DeadlineExceededError(
          absl::StrCat("waited ", absl::FormatDuration(timeout), " in run ", run,
                       " for the devices that did not come: ", absl::StrJoin(missing, ", ")));
      round->is_done = true;
      rounds_.erase(run);
      changed_.notify_all();
    }
    // Arguments of this thread are in use until the run is done.
    changed_.wait(lock, [&] { return round->is_done; });
  }
  if (!round->status.ok()) return round->status;
  return std::move(round->results[at]);
}

}  // namespace xla
