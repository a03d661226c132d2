// Run under mpirun with one device per process. Compares collectives with the evaluator's results,
// through shared memory and through messages, and tests what happens when devices do not reach the
// same ones.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mpi.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/devices/job/join.h"
#include "halo/devices/test/random_collectives.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/inputs/random_inputs.h"
#include "halo/runtime/make_collective.h"
#include "halo/runtime/stored_array.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

int Devices() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

std::unique_ptr<CollectiveService> JoinAs(const JoinOptions& options) {
  Result<std::unique_ptr<CollectiveService>> joined = JoinDevices(options);
  EXPECT_TRUE(joined.ok()) << joined.error().message;
  return std::move(*joined);
}

std::unique_ptr<CollectiveService> Join(bool messages_only = false) {
  return JoinAs({.messages_only = messages_only});
}

// A module, every device's arguments and the expected results.
struct Program {
  Module module;
  EvalOptions options;
  std::vector<std::vector<Value>> arguments;  // by device
  std::vector<Value> expected;                // by device
};

void MakeProgram(const std::string& text, uint64_t seed, Program* program) {
  TextReadResult read = ReadHloText(text);
  ASSERT_TRUE(read.diagnostics.ok()) << read.diagnostics.all()[0].message << "\n" << text;
  program->module = std::move(read.module);
  const Module& module = program->module;
  for (int device = 0; device < Devices(); ++device) {
    std::vector<Value> values;
    for (size_t i = 0; i < module.insts.size(); ++i) {
      const Inst& inst = module.inst(InstId(i));
      if (inst.opcode != Opcode::kParameter || inst.parent != module.entry) continue;
      const RandomInput input = {
          .seed = seed, .parameter = inst.extra, .leaf = 0, .part = device, .use = {}};
      values.emplace_back(
          MakeRandomInput(module.shapes.type(inst.shape), module.shapes.dims(inst.shape), input));
    }
    program->arguments.push_back(std::move(values));
  }
  Result<EvalOutput> output = Evaluate(module, program->arguments, program->options);
  ASSERT_TRUE(output.ok()) << output.error().message << "\n" << text;
  program->expected = std::move(output->results);
}

// One collective of a program and this device's memory for it.
struct Running {
  MadeCollective made;
  std::vector<std::vector<uint8_t>> own;  // memory that is not shared
  std::vector<const void*> operands;
  std::vector<void*> results;
  std::vector<ShapeId> result_shapes;
  CollectiveHandle handle{};
};

// Runs all collectives, with several in flight at once, and compares the results with the expected
// ones.
class ProgramRunner {
 public:
  ProgramRunner(CollectiveService& service, const Program& program, unsigned seed)
      : service_(service), program_(program), random_(seed) {}

  void Run() {
    Collect();
    std::vector<CollectiveOp> ops;
    for (const Running& running : running_) ops.push_back(running.made.op);
    const Result<uint32_t> first = service_.Prepare(std::move(ops));
    ASSERT_TRUE(first.ok()) << first.error().message;
    Result<std::shared_ptr<SharedBlock>> block = service_.Allocate(int64_t{4} << 20);
    ASSERT_TRUE(block.ok()) << block.error().message;
    shared_ = (*block)->data();
    for (Running& running : running_) Place(running);
    for (int round = 0; round < 2; ++round) RunOnce(*first);
  }

 private:
  const Module& module() const { return program_.module; }

  void Collect() {
    const Inst& root = module().inst(module().comp(module().entry).root);
    for (const InstId part : module().operands_of(root)) {
      InstId id = part;
      if (!IsCollectiveStart(module(), id)) id = module().operands_of(module().inst(id))[0];
      Result<MadeCollective> made = MakeCollective(module(), id, program_.options);
      ASSERT_TRUE(made.ok()) << made.error().message;
      Running running;
      running.made = *std::move(made);
      insts_.push_back(id);
      ArrayLeaves(module().shapes, module().inst(part).shape, running.result_shapes);
      ASSERT_EQ(running.result_shapes.size(), running.made.op.results.size());
      running_.push_back(std::move(running));
    }
  }

  uint8_t* Memory(Running& running, int64_t bytes) {
    if (std::uniform_int_distribution<int>(0, 1)(random_) == 1) {
      uint8_t* taken = shared_;
      shared_ += (bytes + 63) / 64 * 64;
      return taken;
    }
    running.own.emplace_back(static_cast<size_t>(bytes));
    return running.own.back().data();
  }

  void Place(Running& running) {
    const Inst& inst = module().inst(insts_[&running - running_.data()]);
    const auto device = static_cast<size_t>(service_.device());
    for (size_t i = 0; i < running.made.op.operands.size(); ++i) {
      const Inst& parameter = module().inst(module().operands_of(inst)[i]);
      uint8_t* memory = Memory(running, running.made.op.operands[i].bytes());
      StoreArray(module().shapes, parameter.shape,
                 program_.arguments[device][parameter.extra].array().bytes(), memory);
      running.operands.push_back(memory);
    }
    for (const CollectiveArray& array : running.made.op.results) {
      running.results.push_back(Memory(running, array.bytes()));
    }
  }

  void RunOnce(uint32_t first) {
    size_t waited = 0;
    for (size_t i = 0; i < running_.size(); ++i) {
      const Result<CollectiveHandle> handle = service_.Start(
          first + static_cast<uint32_t>(i), running_[i].operands, running_[i].results);
      ASSERT_TRUE(handle.ok()) << handle.error().message;
      running_[i].handle = *handle;
      // Devices wait at different times, but in the same order.
      while (waited < i && std::uniform_int_distribution<int>(0, 3)(random_) == 0) Await(waited++);
      ASSERT_FALSE(service_.Progress());
    }
    while (waited < running_.size()) Await(waited++);
  }

  void Await(size_t at) {
    Running& running = running_[at];
    const auto failed = service_.Wait(running.handle);
    ASSERT_FALSE(failed) << failed->message;
    std::vector<Array> expected;
    ForEachArray(program_.expected[static_cast<size_t>(service_.device())].elements()[at],
                 [&](const Array& array) { expected.push_back(array); });
    for (size_t i = 0; i < running.results.size(); ++i) {
      const Array got = LoadArray(module().shapes, running.result_shapes[i],
                                  static_cast<const uint8_t*>(running.results[i]));
      ASSERT_EQ(got.byte_count(), expected[i].byte_count());
      ASSERT_EQ(std::memcmp(got.bytes(), expected[i].bytes(), got.byte_count()), 0)
          << "device " << service_.device() << ": " << CollectiveText(running.made.op);
      std::memset(running.results[i], 0xEE, got.byte_count());
    }
  }

  CollectiveService& service_;
  const Program& program_;
  std::mt19937 random_;
  std::vector<InstId> insts_;
  std::vector<Running> running_;
  uint8_t* shared_ = nullptr;
};

// Set HALO_SEED to test other programs.
void RunRandom(const JoinOptions& options, unsigned seed) {
  if (const char* moved = std::getenv("HALO_SEED")) seed += static_cast<unsigned>(std::atoi(moved));
  const std::unique_ptr<CollectiveService> service = JoinAs(options);
  service->SetTimeout(60);
  for (unsigned i = 0; i < 3; ++i) {
    Program program;
    MakeProgram(test::RandomCollectives(seed + i, Devices()).Module(25), seed + i, &program);
    if (testing::Test::HasFatalFailure()) return;
    ProgramRunner(*service, program, seed + i + static_cast<unsigned>(service->device())).Run();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Ranks, SharedMemoryGivesTheEvaluatorsBits) { RunRandom({}, 100); }
TEST(Ranks, MessagesGiveTheEvaluatorsBits) { RunRandom({.messages_only = true}, 200); }
TEST(Ranks, TwoMachinesGiveTheEvaluatorsBits) { RunRandom({.machines = -2}, 300); }
TEST(Ranks, ThreeMachinesGiveTheEvaluatorsBits) { RunRandom({.machines = -3}, 400); }
TEST(Ranks, MachinesWithAlternatingDevicesGiveTheEvaluatorsBits) {
  RunRandom({.machines = 2}, 500);
}

// An all-reduce of `count` floats within each group.
CollectiveOp Sum(const std::string& name, std::vector<std::vector<int64_t>> groups, int64_t count) {
  CollectiveOp op;
  op.kind = CollectiveKind::kAllReduce;
  op.name = name;
  op.groups = std::move(groups);
  op.operands = {{ElementType::kF32, 1, count, 1}};
  op.results = op.operands;
  op.reduce = ReduceKind::kSum;
  return op;
}

std::vector<std::vector<int64_t>> Everybody() {
  std::vector<int64_t> all;
  for (int i = 0; i < Devices(); ++i) all.push_back(i);
  return {all};
}

// Runs one op with floats that depend on the device, and returns this device's result. In place if
// the op allows it.
std::vector<float> RunLarge(const JoinOptions& options, const CollectiveOp& op, bool in_place,
                            int64_t* by_messages) {
  const std::unique_ptr<CollectiveService> service = JoinAs(options);
  service->SetTimeout(60);
  const Result<uint32_t> number = service->Prepare({op});
  EXPECT_TRUE(number.ok());
  const int64_t brought = op.operand_bytes() / 4;
  const int64_t gotten = op.result_bytes() / 4;
  const auto block = service->Allocate((brought + gotten) * 4);
  EXPECT_TRUE(block.ok());
  auto* data = reinterpret_cast<float*>((*block)->data());
  for (int64_t i = 0; i < brought; ++i) {
    data[i] = 1.0F / static_cast<float>(i % 1000 + service->device() + 1);
  }
  const void* operand = data;
  float* to = in_place ? data : data + brought;
  void* result = to;
  // Several times, so that one op begins while another machine still ends the one before.
  for (int round = 0; round < (in_place ? 1 : 3); ++round) {
    const Result<CollectiveHandle> handle = service->Start(*number, {&operand, 1}, {&result, 1});
    EXPECT_TRUE(handle.ok());
    const auto failed = service->Wait(*handle);
    EXPECT_FALSE(failed) << failed->message;
  }
  *by_messages = service->by_messages();
  return {to, to + gotten};
}

TEST(Ranks, LargeSumsAreTheSameInPlaceAndByMessages) {
  const CollectiveOp op = Sum("sum", Everybody(), 700'001);
  int64_t by_messages = 0;
  const std::vector<float> expected = RunLarge({}, op, true, &by_messages);
  EXPECT_EQ(by_messages, 0);
  for (const JoinOptions& options :
       {JoinOptions{.messages_only = true}, JoinOptions{.machines = -2}, JoinOptions{.machines = 3},
        JoinOptions{.machines = -3}}) {
    EXPECT_EQ(RunLarge(options, op, true, &by_messages), expected);
    EXPECT_EQ(by_messages, 1);
  }
  double sum = 0;
  for (int device = 0; device < Devices(); ++device) sum += 1.0F / static_cast<float>(device + 1);
  EXPECT_EQ(expected[0], static_cast<float>(sum));
}

TEST(Ranks, LargeOpsOfSeveralMachinesAreTheSame) {
  const auto devices = static_cast<int64_t>(Devices());
  const auto make = [&](CollectiveKind kind, int64_t outer, int64_t in, int64_t out) {
    CollectiveOp op = Sum("large", Everybody(), 1);
    op.kind = kind;
    op.operands = {{ElementType::kF32, outer, in, 3}};
    op.results = {{ElementType::kF32, outer, out, 3}};
    return op;
  };
  std::vector<CollectiveOp> ops;
  for (const int64_t outer : {1, 5}) {
    const int64_t part = 30'011 / outer;
    ops.push_back(make(CollectiveKind::kReduceScatter, outer, part * devices, part));
    ops.push_back(make(CollectiveKind::kAllGather, outer, part, part * devices));
    ops.push_back(make(CollectiveKind::kAllToAll, outer, part * devices, part * devices));
  }
  for (const CollectiveOp& op : ops) {
    int64_t by_messages = 0;
    const std::vector<float> expected = RunLarge({}, op, false, &by_messages);
    for (const int machines : {-2, -3, 2}) {
      EXPECT_EQ(RunLarge({.machines = machines}, op, false, &by_messages), expected)
          << CollectiveText(op) << " on " << machines;
      EXPECT_EQ(by_messages, 3);
    }
  }
}

TEST(Ranks, TransfersGoAlongTheirPairs) {
  const std::unique_ptr<CollectiveService> service = Join();
  CollectiveOp send;
  send.kind = CollectiveKind::kSend;
  send.name = "send";
  send.channel = 7;
  send.groups = Everybody();
  send.operands = {{ElementType::kS32, 1, 4, 1}};
  for (int i = 0; i + 1 < Devices(); ++i) send.pairs.emplace_back(i, i + 1);
  CollectiveOp recv = send;
  recv.kind = CollectiveKind::kRecv;
  recv.name = "recv";
  std::swap(recv.operands, recv.results);
  const Result<uint32_t> first = service->Prepare({send, recv});
  ASSERT_TRUE(first.ok()) << first.error().message;
  const std::vector<int32_t> given(4, static_cast<int32_t>(service->device()) + 10);
  std::vector<int32_t> taken(4, -1);
  const void* operand = given.data();
  void* result = taken.data();
  const auto received = service->Start(*first + 1, {}, {&result, 1});
  const auto sent = service->Start(*first, {&operand, 1}, {});
  ASSERT_TRUE(received.ok() && sent.ok());
  ASSERT_FALSE(service->Wait(*sent));
  ASSERT_FALSE(service->Wait(*received));
  const int32_t want = service->device() == 0 ? 0 : static_cast<int32_t>(service->device()) + 9;
  EXPECT_EQ(taken, std::vector<int32_t>(4, want));
}

// The tag of a transfer is its channel. A collective that all devices are in uses messages with the
// same numbers, which must not be taken for the transfer's.
TEST(Ranks, TransfersAndCollectivesDoNotMixTheirMessages) {
  const std::unique_ptr<CollectiveService> service = Join(/*messages_only=*/true);
  service->SetTimeout(60);
  CollectiveOp send;
  send.kind = CollectiveKind::kSend;
  send.name = "send";
  send.groups = Everybody();
  send.operands = {{ElementType::kF32, 1, 4, 1}};
  for (int i = 0; i + 1 < Devices(); ++i) send.pairs.emplace_back(i, i + 1);
  std::vector<CollectiveOp> ops = {Sum("sum", Everybody(), 4 * Devices())};
  constexpr int kChannels = 8;
  for (int channel = 1; channel <= kChannels; ++channel) {
    send.channel = channel;
    CollectiveOp recv = send;
    recv.kind = CollectiveKind::kRecv;
    recv.name = "recv";
    std::swap(recv.operands, recv.results);
    ops.push_back(recv);
    ops.push_back(send);
  }
  const Result<uint32_t> first = service->Prepare(ops);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto device = static_cast<float>(service->device());
  const std::vector<float> given(4, device + 10);
  std::vector<std::vector<float>> taken(kChannels, std::vector<float>(4, -1));
  std::vector<CollectiveHandle> handles;
  const auto start = [&](uint32_t op, const void* operand, void* result) {
    const auto handle = service->Start(*first + op, {&operand, operand != nullptr ? 1U : 0U},
                                       {&result, result != nullptr ? 1U : 0U});
    ASSERT_TRUE(handle.ok()) << handle.error().message;
    handles.push_back(*handle);
  };
  for (uint32_t i = 0; i < kChannels; ++i) start(1 + 2 * i, nullptr, taken[i].data());
  std::vector<float> sums(static_cast<size_t>(4 * Devices()), 1);
  for (int round = 0; round < 3; ++round) {
    start(0, sums.data(), sums.data());
    ASSERT_FALSE(service->Wait(handles.back()));
    handles.pop_back();
  }
  for (uint32_t i = 0; i < kChannels; ++i) start(2 + 2 * i, given.data(), nullptr);
  for (const CollectiveHandle handle : handles) ASSERT_FALSE(service->Wait(handle));
  const auto devices = static_cast<float>(Devices());
  EXPECT_EQ(sums, std::vector<float>(sums.size(), devices * devices * devices));
  for (const std::vector<float>& each : taken) {
    EXPECT_EQ(each, std::vector<float>(4, service->device() == 0 ? 0 : device + 9));
  }
}

TEST(Ranks, DevicesTalk) {
  const std::unique_ptr<CollectiveService> service = Join();
  const std::string mine(static_cast<size_t>(service->device()), 'x');
  const Result<std::vector<std::string>> all = service->Gather(mine);
  ASSERT_TRUE(all.ok());
  for (size_t i = 0; i < all->size(); ++i) EXPECT_EQ((*all)[i].size(), i);
  const Result<std::string> said = service->Broadcast(service->device() == 1 ? "hello" : "", 1);
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(*said, "hello");
  service->Publish(5 + service->device());
  ASSERT_FALSE(service->Barrier());
  EXPECT_EQ(service->Positions()[1], 6);
}

// Both through shared memory and by messages.
class Wrong : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Transports, Wrong, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Messages" : "SharedMemory");
});

TEST_P(Wrong, DifferentCollectivesAreFoundBeforeTheyRun) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  const int64_t count = service->device() == 1 ? 8 : 16;
  const Result<uint32_t> op =
      service->Prepare({Sum("same", Everybody(), 4), Sum("other", Everybody(), count)});
  ASSERT_FALSE(op.ok());
  EXPECT_EQ(op.error().code, diag::kCollectiveMismatch);
  EXPECT_THAT(op.error().message,
              HasSubstr("collective number 2: device 0 has `all-reduce %other"));
  EXPECT_THAT(op.error().message, HasSubstr("device 1 has `all-reduce %other"));
}

TEST_P(Wrong, GroupsThatLeaveADeviceOut) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  const Result<uint32_t> op = service->Prepare({Sum("sum", {{0, 1}, {1}}, 4)});
  ASSERT_FALSE(op.ok());
  EXPECT_THAT(op.error().message, HasSubstr("%sum: its groups name device 1 twice"));
}

// The exchange that a device gives up stays open in MPI, which must not find its buffers freed when
// it completes later.
TEST_P(Wrong, AnExchangeThatIsGivenUpKeepsItsBuffers) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  service->SetTimeout(service->device() == 0 ? 60 : 0.2);
  // The first device comes late, when the others have given up.
  if (service->device() == 0) usleep(1'500'000);
  const Result<std::vector<std::string>> all = service->Gather(std::string(100, 'x'));
  if (service->device() != 0) EXPECT_FALSE(all.ok());
  const auto buffer = std::make_unique<std::string>(100 * static_cast<size_t>(Devices()), 'y');
  MPI_Barrier(MPI_COMM_WORLD);  // lets MPI finish what it can
  EXPECT_EQ(*buffer, std::string(buffer->size(), 'y'));
}

// Starts and awaits the ops in the given order.
std::optional<Diagnostic> RunInOrder(CollectiveService& service,
                                     const std::vector<uint32_t>& order) {
  std::vector<float> data(4);
  for (const uint32_t op : order) {
    const void* operand = data.data();
    void* result = data.data();
    const Result<CollectiveHandle> handle = service.Start(op, {&operand, 1}, {&result, 1});
    if (!handle) return handle.error();
    if (auto failed = service.Wait(*handle)) return failed;
  }
  service.Finish();
  return service.Barrier();
}

TEST_P(Wrong, OneDeviceSkipsACollective) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  ASSERT_TRUE(service->Prepare({Sum("a", Everybody(), 4), Sum("b", Everybody(), 4)}).ok());
  const auto failed = RunInOrder(
      *service, service->device() == 1 ? std::vector<uint32_t>{1} : std::vector<uint32_t>{0, 1});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->code, diag::kCollectiveMismatch);
  EXPECT_THAT(failed->message, HasSubstr("device 1"));
  EXPECT_THAT(failed->message, HasSubstr("at %a"));
  EXPECT_THAT(failed->message, HasSubstr("at %b"));
}

TEST_P(Wrong, OneDeviceEndsEarly) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  ASSERT_TRUE(service->Prepare({Sum("a", Everybody(), 4)}).ok());
  const auto failed = RunInOrder(
      *service, service->device() == 1 ? std::vector<uint32_t>{} : std::vector<uint32_t>{0});
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->message,
              AnyOf(HasSubstr("device 1 has ended"), HasSubstr("device 1 waits for all devices")));
  EXPECT_THAT(failed->message, HasSubstr("device 0 at %a"));
}

TEST_P(Wrong, DevicesWaitForEachOther) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  std::vector<std::vector<int64_t>> pair = {{0, 1}};
  for (int i = 2; i < Devices(); ++i) pair.push_back({i});
  ASSERT_TRUE(service->Prepare({Sum("all", Everybody(), 4), Sum("pair", pair, 4)}).ok());
  const auto failed = RunInOrder(
      *service, service->device() == 0 ? std::vector<uint32_t>{1, 0} : std::vector<uint32_t>{0, 1});
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->message, HasSubstr("devices wait for each other"));
  EXPECT_THAT(failed->message, HasSubstr("device 0 at %pair"));
  EXPECT_THAT(failed->message, HasSubstr("device 1 at %all"));
}

TEST_P(Wrong, OneDeviceTakesTooLong) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  ASSERT_TRUE(service->Prepare({Sum("a", Everybody(), 4)}).ok());
  service->SetTimeout(0.3);
  if (service->device() == 1) usleep(1'000'000);
  const auto failed = RunInOrder(*service, {0});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->code, diag::kCollectiveMismatch);
  EXPECT_THAT(failed->message, HasSubstr("at %a waits for "));
  EXPECT_THAT(failed->message, HasSubstr("missing: device 1 has not reached a collective"));
}

// Only through shared memory do devices do each other's work.
TEST(WrongInSharedMemory, OneDeviceStopsAmidItsWork) {
  const std::unique_ptr<CollectiveService> service = Join();
  CollectiveOp op = Sum("a", Everybody(), 4);
  op.kind = CollectiveKind::kDefinition;
  const bool stops = service->device() == 1;
  op.define = [stops](auto, auto, size_t, auto) {
    if (stops) usleep(1'000'000);
    return std::optional<Diagnostic>();
  };
  ASSERT_TRUE(service->Prepare({op}).ok());
  service->SetTimeout(0.3);
  const auto failed = RunInOrder(*service, {0});
  ASSERT_TRUE(failed);
  EXPECT_THAT(failed->message, HasSubstr("missing: the work claimed by device 1 "));
}

TEST_P(Wrong, AFailureEndsTheOthersWait) {
  const std::unique_ptr<CollectiveService> service = Join(GetParam());
  ASSERT_TRUE(service->Prepare({Sum("a", Everybody(), 4)}).ok());
  if (service->device() == 1) {
    service->Fail(MakeBinaryDiagnostic(diag::kCannotEvaluate, 0, "device 1 gave up"));
    return;
  }
  const auto failed = RunInOrder(*service, {0});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->message, "device 1 gave up");
}

}  // namespace
}  // namespace halo

// On all devices but the first, prints failures only.
class FailuresOnly : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (part.failed())
      std::cerr << part.file_name() << ':' << part.line_number() << ": " << part.message() << '\n';
  }
};

int main(int argc, char** argv) {
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  const int failed = RUN_ALL_TESTS();
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
