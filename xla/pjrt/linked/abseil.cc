// SPDX-License-Identifier: Apache-2.0
// Functions of Abseil whose objects in distributions' archives are compiled for executables, as
// protobuf_arena.cc says: those that use thread-local variables.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>

#include "absl/base/config.h"
#include "absl/base/internal/raw_logging.h"
#include "absl/base/internal/sysinfo.h"
#include "absl/container/internal/raw_hash_set.h"
#include "absl/strings/internal/cordz_functions.h"

#if !defined(ABSL_LTS_RELEASE_VERSION) || ABSL_LTS_RELEASE_VERSION != 20220623
#error \
    "made for Abseil 20220623: configure with -DXYLEM_PLUGIN_PIC_ARCHIVES=ON if its archives are made with -fPIC"
#endif

namespace absl {
ABSL_NAMESPACE_BEGIN

// --- base/internal/sysinfo.h: what mutexes ask for
// -------------------------------------------------
namespace base_internal {

// Only used with the processor's cycle counter, which Abseil's mutexes read for profilers.
double NominalCPUFrequency() { return 1.0; }

int NumCPUs() {
  static const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return count;
}

pid_t GetTID() { return static_cast<pid_t>(syscall(SYS_gettid)); }

pid_t GetCachedTID() {
  static thread_local const pid_t id = GetTID();
  return id;
}

}  // namespace base_internal

// --- strings/internal/cordz_functions.h: cords are not sampled
// --------------------------------------
namespace cord_internal {

ABSL_CONST_INIT thread_local int64_t cordz_next_sample = std::numeric_limits<int64_t>::max();

// Objects compiled as C++17 check for a function that initializes the variable, by this name, which
// contains Abseil's inline namespace. Without one they would search the whole process.
extern "C" void InitializeNextSampleOfDebian() asm(
    "_ZTHN4absl7debian313cord_internal17cordz_next_sampleE");
extern "C" void InitializeNextSampleOfRelease() asm(
    "_ZTHN4absl12lts_2022062313cord_internal17cordz_next_sampleE");
void InitializeNextSampleOfDebian() {}
void InitializeNextSampleOfRelease() {}

int32_t get_cordz_mean_interval() { return 0; }
void set_cordz_mean_interval(int32_t) {}
void cordz_set_next_sample_for_testing(int64_t next_sample) { cordz_next_sample = next_sample; }

bool cordz_should_profile_slow() {
  cordz_next_sample = std::numeric_limits<int64_t>::max();
  return false;
}

}  // namespace cord_internal

// --- container/internal/raw_hash_set.h: tables
// ------------------------------------------------------
namespace container_internal {

alignas(16) ABSL_CONST_INIT ABSL_DLL const ctrl_t kEmptyGroup[16] = {
    ctrl_t::kSentinel, ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty,
    ctrl_t::kEmpty,    ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty,
    ctrl_t::kEmpty,    ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty,
    ctrl_t::kEmpty,    ctrl_t::kEmpty, ctrl_t::kEmpty, ctrl_t::kEmpty};

template FindInfo find_first_non_full(const ctrl_t*, size_t, size_t);

// Debug builds of users call this to vary the order of tables. Here it does not vary.
bool ShouldInsertBackwards(size_t, const ctrl_t*) { return false; }

void ConvertDeletedToEmptyAndFullToDeleted(ctrl_t* ctrl, size_t capacity) {
  for (ctrl_t* group = ctrl; group < ctrl + capacity; group += Group::kWidth) {
    Group(group).ConvertSpecialToEmptyAndFullToDeleted(group);
  }
  // The first bytes are repeated after the end, so that groups may begin anywhere.
  std::memcpy(ctrl + capacity + 1, ctrl, NumClonedBytes());
  ctrl[capacity] = ctrl_t::kSentinel;
}

void HashTableSizeOverflow() {
  ABSL_RAW_LOG(FATAL, "a hash table cannot hold so many elements");
  std::abort();
}

}  // namespace container_internal
ABSL_NAMESPACE_END
}  // namespace absl
