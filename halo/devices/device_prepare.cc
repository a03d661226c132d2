// Joins the job and sets up everything that must exist before ops run: agreement, memory, groups.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "halo/base/hash.h"
#include "halo/base/round_up.h"
#include "halo/devices/device_service.h"
#include "halo/devices/job/agree.h"
#include "halo/devices/job/leave_mpi.h"
#include "halo/devices/job/mpi_call.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

// How many ops the staging memory can hold: one being worked on, one being filled.
constexpr int64_t kStagedOps = 2;
constexpr unsigned kToEndJob = 3;  // seconds
constexpr double kCrowd = 2;       // processes for each core

int64_t StagedBytes(const CollectiveOp& op) {
  return op.operand_bytes() + op.result_bytes() +
         64 * static_cast<int64_t>(op.operands.size() + op.results.size());
}

// Makes MPI yield the core while it waits. There are usually more devices than cores. Open MPI and
// MPICH each ignore the other's variable.
void AskMpiToYield() {
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  setenv("MPIR_CVAR_POLLS_BEFORE_YIELD", "1", 0);
}

}  // namespace

JoinOptions JoinOptionsFromEnvironment() {
  const char* transport = std::getenv("HALO_DEVICES_TRANSPORT");
  return {.messages_only = transport != nullptr && std::string_view(transport) == "messages"};
}

Result<std::unique_ptr<CollectiveService>> JoinDevices(const JoinOptions& options) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) {
    AskMpiToYield();
    int provided = 0;
    if (auto failed = MpiProblem(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided),
                                 "starting MPI")) {
      return *std::move(failed);
    }
  }
  auto service = std::make_unique<DeviceService>(options, started == 0);
  if (auto failed = service->Open()) return *std::move(failed);
  return std::unique_ptr<CollectiveService>(std::move(service));
}

void EndJob(int exit_code) {
  alarm(kToEndJob);  // in case MPI does not return
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

DeviceService::DeviceService(const JoinOptions& options, bool owns_mpi)
    : options_(options), owns_mpi_(owns_mpi) {}

std::optional<Diagnostic> DeviceService::Open() {
  constexpr const char* kWhat = "joining devices";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (auto failed = MpiProblem(MPI_Comm_dup(MPI_COMM_WORLD, &world_), kWhat)) return failed;
  MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &size_);
  if (auto failed = MpiProblem(
          MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_), kWhat)) {
    return failed;
  }
  MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN);
  if (options_.machines != 0) {
    int of_node = 1;
    int in_node = 0;
    MPI_Comm_size(node_, &of_node);
    MPI_Comm_rank(node_, &in_node);
    const int machines = std::abs(options_.machines);
    const int machine = options_.machines > 0 ? in_node % machines : in_node * machines / of_node;
    MPI_Comm whole = node_;
    const int code = MPI_Comm_split(whole, machine, in_node, &node_);
    MPI_Comm_free(&whole);
    if (auto failed = MpiProblem(code, kWhat)) return failed;
    MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN);
  }
  int processes = 1;
  int self = 0;
  MPI_Comm_size(node_, &processes);
  MPI_Comm_rank(node_, &self);
  std::vector<int> devices(static_cast<size_t>(processes));
  if (auto failed =
          MpiProblem(MPI_Allgather(&rank_, 1, MPI_INT, devices.data(), 1, MPI_INT, node_), kWhat)) {
    return failed;
  }
  for (int process = 0; process < processes; ++process) {
    const int64_t device = devices[static_cast<size_t>(process)];
    local_[device] = process;
    local_devices_.push_back(device);
  }
  if (auto failed = FindMachines()) return failed;
  memory_.emplace(node_);
  const int64_t board_bytes = Board::BytesFor(processes);
  Result<std::optional<int64_t>> segment = memory_->Add(self == 0 ? board_bytes : 0);
  if (!segment) return segment.error();
  if (!segment->has_value()) {
    return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                "the shared memory of the devices cannot be allocated");
  }
  board_.emplace(memory_->Address(0, {**segment, 0}), processes, self);
  board_->SetPid(getpid());
  if (processes < size_) {
    // Where many processes share a core, one may have to wait for seconds until it can send a sign
    // of life.
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    const double crowd = std::max(1.0, processes / (kCrowd * cores));
    Result<std::unique_ptr<HostWatch>> watch = HostWatch::Open(world_,
                                                               {.device = rank_,
                                                                .machine_of = machine_of_,
                                                                .hosts = hosts_,
                                                                .local = local_devices_,
                                                                .process = self,
                                                                .silence = options_.silence * crowd,
                                                                .on_stuck = options_.on_stuck},
                                                               *board_);
    if (!watch) return watch.error();
    watch_ = std::move(*watch);
  }
  shares_ = !options_.messages_only;
  control_.emplace(world_, [this](double waited) { return Trouble(waited); });
  return control_->Barrier();
}

DeviceService::~DeviceService() {
  if (failed_ || !control_) return;
  if (!finished_) Finish();
  transfers_.clear();
  // A failed device does not arrive. In that case nothing is released in order.
  if (Barrier()) return;
  watch_.reset();
  memory_->Free();
  for (auto& [key, group] : message_groups_) MPI_Comm_free(&group->comm);
  for (auto& [key, group] : host_groups_) {
    if (group->comm != MPI_COMM_NULL) MPI_Comm_free(&group->comm);
  }
  MPI_Comm_free(&node_);
  MPI_Comm_free(&world_);
  if (owns_mpi_) LeaveMpi();
}

const DeviceService::Members& DeviceService::GroupIn(const CollectiveOp& op, int64_t device) const {
  for (const Members& group : op.groups) {
    if (std::ranges::find(group, device) != group.end()) return group;
  }
  return op.groups[0];
}

bool DeviceService::IsLocal(const Members& members) const {
  return std::ranges::all_of(members, [&](int64_t device) { return local_.contains(device); });
}

std::optional<Diagnostic> DeviceService::Agree(const std::vector<CollectiveOp>& ops) {
  const std::string lines = CollectiveLines(ops);
  const std::string digest =
      std::to_string(HashBytes(lines.data(), lines.size())) + ":" + std::to_string(lines.size());
  const Result<std::vector<std::string>> digests = Gather(digest);
  if (!digests) return digests.error();
  if (std::ranges::any_of(*digests, [&](const std::string& other) { return other != digest; })) {
    const Result<std::vector<std::string>> all = Gather(lines);
    if (!all) return all.error();
    if (auto differs = CompareCollectives(*all)) return differs;
  }
  return CheckCollectives(ops, size_);
}

Result<uint32_t> DeviceService::Prepare(std::vector<CollectiveOp> ops) {
  if (!transfers_.empty()) {
    return Failed(MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                       "collectives were prepared while others are in flight"));
  }
  if (auto differs = Agree(ops)) return Failed(*std::move(differs));
  const size_t first = ops_.size();
  for (CollectiveOp& op : ops) {
    auto prepared = std::make_unique<Prepared>();
    prepared->op = std::move(op);
    ops_.push_back(std::move(prepared));
  }
  if (auto failed = OpenGroups(first)) return Failed(*std::move(failed));
  return static_cast<uint32_t>(first);
}

std::optional<Diagnostic> DeviceService::OpenGroups(size_t first_op) {
  bool enough = true;
  if (auto failed = OpenStaging(first_op, &enough)) return failed;
  if (enough) {
    if (auto failed = OpenRendezvous(first_op)) return failed;
  }
  bool has_hosts = false;
  if (auto failed = OpenHosts(first_op, enough, &has_hosts)) return failed;
  Members everybody;
  for (int64_t device = 0; device < size_; ++device) everybody.push_back(device);
  for (size_t i = first_op; i < ops_.size(); ++i) {
    Prepared& prepared = *ops_[i];
    const Members& members = GroupIn(prepared.op, rank_);
    prepared.work = std::make_unique<GroupWork>(prepared.op, members, !IsLocal(members));
    const auto shared = shared_groups_.find(members);
    if (enough && !IsTransfer(prepared.op) && IsLocal(members) && shared != shared_groups_.end()) {
      prepared.shared = shared->second.get();
      if (shares_) continue;
    }
    const auto hosts = host_groups_.find(members);
    if (has_hosts && !IsTransfer(prepared.op) && hosts != host_groups_.end() &&
        CanSpan(prepared.op, *prepared.work, *hosts->second)) {
      prepared.hosts = hosts->second.get();
      if (auto failed = OpenHostGroup(members, *prepared.hosts)) return failed;
      continue;
    }
    Result<MessageGroup*> group = IsTransfer(prepared.op)
                                      ? OpenMessages(Traffic::kTransfers, everybody)
                                      : OpenMessages(Traffic::kCollectives, members);
    if (!group) return group.error();
    prepared.messages = *group;
  }
  return std::nullopt;
}

std::optional<Diagnostic> DeviceService::OpenStaging(size_t first_op, bool* enough) {
  if (!shares_) return std::nullopt;
  int64_t bytes = 0;
  for (size_t i = first_op; i < ops_.size(); ++i) {
    const CollectiveOp& op = ops_[i]->op;
    if (IsTransfer(op) || GroupIn(op, rank_).size() < 2) continue;
    bytes = std::max(bytes, kStagedOps * StagedBytes(op));
  }
  int64_t most = 0;
  if (auto failed = MpiProblem(MPI_Allreduce(&bytes, &most, 1, MPI_INT64_T, MPI_MAX, node_),
                               "preparing collectives")) {
    return failed;
  }
  if (most <= staging_.bytes()) return std::nullopt;
  const Result<std::optional<int64_t>> segment = memory_->Add(most);
  if (!segment) return segment.error();
  *enough = segment->has_value();
  if (*enough) staging_.Reset(memory_->Own(**segment), most);
  return std::nullopt;
}

// Every process on the machine creates all of the machine's groups, in the same order.
std::optional<Diagnostic> DeviceService::OpenRendezvous(size_t first_op) {
  struct Opening {
    const Members* members;
    size_t arrays;
    int64_t offset;
  };
  std::map<Members, size_t> arrays;
  for (size_t i = first_op; i < ops_.size(); ++i) {
    const CollectiveOp& op = ops_[i]->op;
    if (IsTransfer(op)) continue;
    for (const Members& members : op.groups) {
      if (!IsLocal(members)) continue;
      size_t& most = arrays[members];
      most = std::max(most, op.operands.size() + op.results.size());
    }
  }
  std::vector<Opening> openings;
  int64_t bytes = 0;
  for (const auto& [members, most] : arrays) {
    const auto known = shared_groups_.find(members);
    if (known != shared_groups_.end() && known->second->rendezvous->arrays() >= most) continue;
    openings.push_back({&members, most, bytes});
    bytes += Rendezvous::BytesFor(members.size(), most);
  }
  if (openings.empty()) return std::nullopt;
  const bool makes = local_.at(rank_) == 0;
  const Result<std::optional<int64_t>> segment = memory_->Add(makes ? bytes : 0);
  if (!segment) return segment.error();
  if (!*segment) return std::nullopt;  // these groups use messages
  for (const Opening& opening : openings) {
    std::unique_ptr<SharedGroup>& group = shared_groups_[*opening.members];
    if (group == nullptr) group = std::make_unique<SharedGroup>();
    group->devices = *opening.members;
    group->processes.clear();
    for (const int64_t device : group->devices) group->processes.push_back(local_.at(device));
    group->me =
        static_cast<size_t>(std::ranges::find(group->devices, rank_) - group->devices.begin());
    group->next_rendezvous = 0;
    group->rendezvous.emplace(memory_->Address(0, {**segment, opening.offset}),
                              group->devices.size(), opening.arrays);
    if (makes) group->rendezvous->Open();
  }
  return MpiProblem(MPI_Barrier(node_), "preparing collectives");
}

Result<MessageGroup*> DeviceService::OpenMessages(Traffic traffic, const Members& members) {
  std::unique_ptr<MessageGroup>& group = message_groups_[{traffic, members}];
  if (group != nullptr) return group.get();
  auto opened = std::make_unique<MessageGroup>();
  opened->devices = members;
  opened->name_of = [this](int64_t op) { return NameOf(op); };
  opened->me = static_cast<size_t>(std::ranges::find(members, rank_) - members.begin());
  const Result<MPI_Comm> comm = OpenComm(members);
  if (!comm) return comm.error();
  opened->comm = *comm;
  group = std::move(opened);
  return group.get();
}

std::string DeviceService::NameOf(int64_t op) const {
  const bool known = op >= 0 && op < static_cast<int64_t>(ops_.size());
  return known ? "%" + ops_[static_cast<size_t>(op)]->op.name : std::string("an unknown op");
}

Result<MPI_Comm> DeviceService::OpenComm(const Members& members) {
  constexpr const char* kWhat = "preparing collectives";
  std::vector<int> ranks(members.begin(), members.end());
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm_group(world_, &all);
  if (auto failed = MpiProblem(
          MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some), kWhat)) {
    return *std::move(failed);
  }
  MPI_Comm comm = MPI_COMM_NULL;
  const int code = MPI_Comm_create_group(world_, some, 1, &comm);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  if (auto failed = MpiProblem(code, kWhat)) return *std::move(failed);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

}  // namespace halo
