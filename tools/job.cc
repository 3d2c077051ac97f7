// SPDX-License-Identifier: Apache-2.0
#include "tools/job.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/key_value_store.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int64_t kMostProcesses = 1024;
// Of messages beside runs.
constexpr uint64_t kHeaderKey = 1, kContentsKey = 2, kResultsKey = 3;
constexpr uint64_t kMaxErrorBytes = 1 << 20;

// The number in a variable of the environment; -1 if there is none.
int64_t NumberOf(const char* variable) {
  const char* text = std::getenv(variable);
  int64_t number = 0;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? number : -1;
}

// What mpirun of Open MPI, and the launchers of MPICH and its kin, tell each process.
bool ReadMpiRank(JobRole& role) {
  for (const auto& [rank, size] : {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                   std::pair("PMI_RANK", "PMI_SIZE")}) {
    role.process = NumberOf(rank);
    role.processes = NumberOf(size);
    if (role.process >= 0 && role.processes > 1) return true;
  }
  return false;
}

bool TalksToTheHost(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case HloOpcode::kInfeed:
        case HloOpcode::kOutfeed:
          return true;
        case HloOpcode::kSend:
        case HloOpcode::kRecv:
          if (instruction->attributes<SendRecvAttributes>().is_host_transfer) return true;
          break;
        default:
          break;
      }
    }
  }
  return false;
}

// What a process tells each other one of its devices' results, ahead of them.
struct Header {
  uint64_t code = 0;  // of a status
  uint64_t bytes = 0;
};

void Append(const Literal& literal, std::vector<char>& bytes) {
  for (const auto& leaf : ShapeUtil::GetLeafShapes(literal.shape())) {
    if (!leaf.shape.IsArray()) continue;
    const auto* data = static_cast<const char*>(literal.untyped_data(leaf.index));
    bytes.insert(bytes.end(), data, data + literal.size_bytes(leaf.index));
  }
}

// Takes the arrays of a literal from the front of `bytes`; returns false if they end early.
bool Take(absl::Span<const char>& bytes, Literal& literal) {
  for (const auto& leaf : ShapeUtil::GetLeafShapes(literal.shape())) {
    if (!leaf.shape.IsArray()) continue;
    const auto size = static_cast<size_t>(literal.size_bytes(leaf.index));
    if (size > bytes.size()) return false;
    if (size > 0) std::memcpy(literal.untyped_data(leaf.index), bytes.data(), size);
    bytes.remove_prefix(size);
  }
  return true;
}

absl::Status Tell(distributed::Communicator& connection, int process,
                  const absl::StatusOr<std::vector<Literal>>& own) {
  std::vector<char> contents;
  if (own.ok()) {
    for (const Literal& literal : *own) Append(literal, contents);
  } else {
    const absl::string_view message = own.status().message().substr(0, kMaxErrorBytes);
    contents.assign(message.begin(), message.end());
  }
  const Header header = {static_cast<uint64_t>(own.status().code()), contents.size()};
  XLA_RETURN_IF_ERROR(
      connection.Send(process, kHeaderKey,
                      absl::MakeConstSpan(reinterpret_cast<const char*>(&header), sizeof(header))));
  return contents.empty() ? absl::OkStatus() : connection.Send(process, kContentsKey, contents);
}

absl::Status Hear(distributed::Communicator& connection, int process, const Shape& result,
                  absl::Span<Literal> literals) {
  runtime::WaitLimits limits;
  limits.timeout = absl::InfiniteDuration();  // a process that ends tells, or is found to be gone
  Header header;
  XLA_RETURN_IF_ERROR(
      connection.Receive(process, kHeaderKey,
                         absl::MakeSpan(reinterpret_cast<char*>(&header), sizeof(header)), limits));
  uint64_t expected = 0;
  for (const auto& leaf : ShapeUtil::GetLeafShapes(result)) {
    if (leaf.shape.IsArray()) {
      expected += static_cast<uint64_t>(ShapeUtil::ByteSizeOf(leaf.shape)) * literals.size();
    }
  }
  if (header.code != 0 ? header.bytes > kMaxErrorBytes : header.bytes != expected) {
    return absl::InternalError(absl::StrCat("process ", process, " announces ", header.bytes,
                                            " bytes of results; ", expected, " are expected"));
  }
  std::vector<char> contents(header.bytes);
  if (!contents.empty()) {
    XLA_RETURN_IF_ERROR(
        connection.Receive(process, kContentsKey, absl::MakeSpan(contents), limits));
  }
  if (header.code != 0) {
    return absl::Status(static_cast<absl::StatusCode>(header.code),
                        absl::string_view(contents.data(), contents.size()));
  }
  absl::Span<const char> rest = contents;
  for (Literal& literal : literals) {
    XLA_ASSIGN_OR_RETURN(literal, Literal::Make(result));
    if (!Take(rest, literal)) return absl::InternalError("results end early");
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<OptionSpec> WithProcessOptions(std::vector<OptionSpec> options) {
  const OptionSpec more[] = {
      {"--processes",
       "N",
       "run as so many processes of this machine, among which the devices are divided; with "
       "--process and --job, how many there are",
       {},
       IntegerRange{1, kMostProcesses}},
      {"--process",
       "I",
       "which of the processes this is, where they are started one by one, as by ssh",
       {},
       IntegerRange{0, kMostProcesses - 1}},
      {"--job", "FOLDER",
       "with --process: a folder that all processes see, and that is empty, where they find "
       "each other"},
      {"--address", "ADDRESS",
       "with --process: where the others reach this one: an address, a name or a network "
       "interface"},
      {"--tcp", "", "processes of one machine talk by TCP too, not by memory that they share"}};
  options.insert(options.end(), std::begin(more), std::end(more));
  return options;
}

absl::StatusOr<JobRole> JobRoleOf(const Arguments& arguments) {
  JobRole role;
  role.processes = arguments.GetInt("--processes", 1);
  role.process = arguments.GetInt("--process", 0);
  role.folder = arguments.Get("--job");
  role.address = arguments.Get("--address");
  role.uses_tcp = arguments.Has("--tcp");
  const bool is_one_of_several = arguments.Has("--process");
  if (is_one_of_several != arguments.Has("--job") ||
      (is_one_of_several && !arguments.Has("--processes"))) {
    return absl::InvalidArgumentError(
        "a process that is started by itself needs --processes, --process and --job");
  }
  if (role.process >= role.processes) {
    return absl::InvalidArgumentError(absl::StrCat("--process ", role.process, " of --processes ",
                                                   role.processes, ": they count from 0"));
  }
  if (is_one_of_several) {
    role.kind = role.processes > 1 ? JobRole::kMember : JobRole::kAlone;
  } else if (role.processes > 1) {
    role.kind = JobRole::kStarts;
  } else if (ReadMpiRank(role)) {
    role.kind = JobRole::kMpiRank;
  }
  for (const std::string& operand : arguments.operands()) {
    if (role.kind != JobRole::kAlone && operand == "-") {
      return absl::InvalidArgumentError(
          "several processes cannot read the program from standard input; give its file");
    }
  }
  return role;
}

absl::StatusOr<std::unique_ptr<distributed::Job>> JoinJob(const JobRole& role) {
  if (role.kind != JobRole::kMember && role.kind != JobRole::kMpiRank) return nullptr;
  distributed::ProcessDescription self;
  self.version = XYLEM_VERSION;
  self.platform = "xylem";
  distributed::JobOptions options;
  options.process = role.process;
  options.num_processes = role.processes;
  options.address = role.address;
  std::shared_ptr<distributed::KeyValueStore> store;
  if (role.kind == JobRole::kMpiRank) {
    options.engine = "mpi";
  } else {
    if (role.uses_tcp) options.engine = "tcp";
    XLA_ASSIGN_OR_RETURN(store, distributed::MakeFileStore(role.folder));
  }
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<distributed::Job> job,
                       distributed::Job::Join(options, std::move(self), std::move(store)));
  if (role.process != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) {
    return absl::UnavailableError("cannot open /dev/null");
  }
  return job;
}

int ThreadsOf(const Arguments& arguments, const distributed::Job* job) {
  const auto threads = static_cast<int>(arguments.GetInt("--threads", 0));
  return threads == 0 && job != nullptr ? job->UsableCpus() : threads;
}

absl::Status RunOnDeviceOfEach(distributed::Job* job, const distributed::ProgramIdentity& program,
                               int64_t devices,
                               absl::FunctionRef<absl::Status(runtime::ProcessGroup*)> run) {
  if (job == nullptr) return run(nullptr);
  std::vector<int64_t> ids(static_cast<size_t>(devices));
  std::iota(ids.begin(), ids.end(), 0);
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<runtime::ProcessGroup> processes,
                       job->StartRun(program, ids, std::vector<int32_t>(ids.begin(), ids.end())));
  const absl::Status status = run(processes.get());
  processes->Finish(status);
  return status;
}

absl::StatusOr<std::vector<Literal>> RunInJob(
    distributed::Job& job, const HloModule& module, int64_t num_devices,
    absl::Span<const std::vector<const Literal*>> arguments, const RunDevices& run) {
  if (num_devices == 1) return run(arguments, nullptr);  // the same in each
  if (TalksToTheHost(module)) {
    return absl::UnimplementedError(
        absl::StrCat("program ", module.name(), " exchanges data with the host while it runs, ",
                     "which it cannot on several processes: infeed, outfeed, send or recv with "
                     "is_host_transfer"));
  }
  const Shape& result = module.entry_computation_layout().result();
  for (const auto& leaf : ShapeUtil::GetLeafShapes(result)) {
    if (leaf.shape.IsArray() && !leaf.shape.is_static()) {
      return absl::UnimplementedError(absl::StrCat(
          "program ", module.name(), " has a result of dynamic size, ", leaf.shape.ToString(),
          ", which cannot be collected from several processes"));
    }
  }
  const int64_t members = std::min(job.topology().num_processes(), num_devices);
  const auto first_of = [&](int64_t process) {
    return std::min(process, members) * num_devices / members;
  };
  const int64_t self = job.self(), first = first_of(self), end = first_of(self + 1);
  XLA_ASSIGN_OR_RETURN(const std::shared_ptr<distributed::Communicator> connection,
                       job.Connection());
  absl::StatusOr<std::vector<Literal>> own = std::vector<Literal>();
  if (first < end) {
    std::vector<int64_t> ids;
    std::vector<int32_t> processes;
    for (int64_t process = 0; process < members; ++process) {
      for (int64_t id = first_of(process); id < first_of(process + 1); ++id) {
        ids.push_back(id);
        processes.push_back(static_cast<int32_t>(process));
      }
    }
    XLA_ASSIGN_OR_RETURN(const std::shared_ptr<runtime::ProcessGroup> group,
                         job.StartRun(distributed::IdentifyProgram(module), ids, processes));
    own = run(arguments.subspan(static_cast<size_t>(first), static_cast<size_t>(end - first)),
              group.get());
    group->Finish(own.status());
  }
  // Whatever failed, all messages of this run are sent and taken: those of the next follow them.
  absl::Status error = own.status();
  if (first < end) {
    for (int64_t process = 0; process < job.topology().num_processes(); ++process) {
      if (process != self) error.Update(Tell(*connection, static_cast<int>(process), own));
    }
  }
  std::vector<Literal> results(static_cast<size_t>(num_devices));
  for (int64_t process = 0; process < members; ++process) {
    const int64_t begin = first_of(process);
    const auto of_process = absl::MakeSpan(results).subspan(
        static_cast<size_t>(begin), static_cast<size_t>(first_of(process + 1) - begin));
    if (process != self) {
      error.Update(Hear(*connection, static_cast<int>(process), result, of_process));
    } else if (own.ok()) {
      std::move(own->begin(), own->end(), of_process.begin());
    }
  }
  // A process that ends takes with it what is on the way to others. One that is gone from here on
  // has come this far itself.
  connection->Barrier(kResultsKey, {}).IgnoreError();
  XLA_RETURN_IF_ERROR(error);
  return results;
}

}  // namespace xla
