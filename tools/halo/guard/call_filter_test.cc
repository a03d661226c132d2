// The filter is interpreted here as the kernel would, for both architectures and for every number
// that a call may have, so that calls which no kernel has yet are tested too.
#include "tools/halo/guard/call_filter.h"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace halo::tool {
namespace {

constexpr uint32_t kOwnId = 4711;
constexpr uint32_t kEperm = 1, kEnosys = 38;

// What the kernel passes to a filter.
struct AskedCall {
  uint32_t number = 0;
  uint32_t interface_id = 0;
  uint64_t instruction = 0;
  std::array<uint64_t, 6> arguments{};
};

// The action that the program returns; nothing if it is not valid.
std::optional<uint32_t> Interpret(const std::vector<FilterStep>& program, const AskedCall& call) {
  std::array<uint8_t, sizeof(AskedCall)> bytes{};
  std::memcpy(bytes.data(), &call, sizeof call);
  uint32_t loaded = 0;
  for (size_t at = 0; at < program.size(); ++at) {
    const FilterStep& step = program[at];
    bool holds = false;
    switch (step.code) {
      case 0x20:  // load a word
        if (step.value % 4 != 0 || step.value + 4 > bytes.size()) return std::nullopt;
        std::memcpy(&loaded, bytes.data() + step.value, 4);
        continue;
      case 0x06:  // return
        return step.value;
      case 0x15: holds = loaded == step.value; break;
      case 0x35: holds = loaded >= step.value; break;
      case 0x45: holds = (loaded & step.value) != 0; break;
      default: return std::nullopt;
    }
    at += holds ? step.if_true : step.if_false;
  }
  return std::nullopt;
}

class CallFilterTest : public testing::TestWithParam<CallInterface> {
 protected:
  [[nodiscard]] uint32_t id() const {
    return GetParam() == CallInterface::kX86_64 ? 0xc000003e : 0xc00000b7;
  }
  // 0 if the call is allowed, else its error.
  uint32_t ErrorOf(uint32_t number, std::array<uint64_t, 6> arguments = {}) {
    return ErrorFrom(id(), number, arguments);
  }
  uint32_t ErrorFrom(uint32_t interface_id, uint32_t number, std::array<uint64_t, 6> arguments) {
    const std::optional<uint32_t> action =
        Interpret(program_, {number, interface_id, 0, arguments});
    if (!action) {
      ADD_FAILURE() << "no valid program for call " << number;
      return 0;
    }
    if (*action == 0x7fff0000) return 0;
    EXPECT_EQ(*action & 0xffff0000, 0x00050000U) << "call " << number;
    return *action & 0xffff;
  }
  uint32_t ErrorOfNamed(const std::string& name, std::array<uint64_t, 6> arguments = {}) {
    for (const AllowedCall& call : kAllowedCalls) {
      if (call.name != name) continue;
      const int number = call.number(GetParam());
      return number == kNoNumber ? kEperm : ErrorOf(static_cast<uint32_t>(number), arguments);
    }
    ADD_FAILURE() << name << " is not listed";
    return 0;
  }
  [[nodiscard]] std::map<uint32_t, ArgumentRule> Listed() const {
    std::map<uint32_t, ArgumentRule> listed;
    for (const AllowedCall& call : kAllowedCalls) {
      const int number = call.number(GetParam());
      if (number != kNoNumber) listed[static_cast<uint32_t>(number)] = call.rule;
    }
    return listed;
  }

  std::vector<FilterStep> program_ = CallFilter(GetParam(), kOwnId);
};

INSTANTIATE_TEST_SUITE_P(Interfaces, CallFilterTest,
                         testing::Values(CallInterface::kX86_64, CallInterface::kAarch64));

TEST_P(CallFilterTest, RefusesEveryNumberThatIsNotListed) {
  const std::map<uint32_t, ArgumentRule> listed = Listed();
  std::set<uint32_t> numbers = {0x3fffffff, 0x40000000, 0x7fffffff, 0x80000000, 0xffffffff};
  for (uint32_t number = 0; number < 4096; ++number) numbers.insert(number);
  for (uint32_t bit = 4096; bit < 0x40000000; bit <<= 1U) numbers.insert({bit, bit + 1});
  size_t refused = 0;
  for (const uint32_t number : numbers) {
    const auto found = listed.find(number);
    if (found == listed.end()) {
      const uint32_t error = ErrorOf(number);
      EXPECT_TRUE(error == kEperm || error == kEnosys) << number;
      EXPECT_EQ(error == kEnosys, number >= kFirstNewCall && number < 0x40000000) << number;
      ++refused;
    } else if (found->second == ArgumentRule::kAny) {
      EXPECT_EQ(ErrorOf(number, {~uint64_t{0}, 1, 2, 3, 4, 5}), 0U) << number;
    }
  }
  EXPECT_GE(refused, 4000U);
}

TEST_P(CallFilterTest, RefusesOtherInterfaces) {
  // i386, ARM of 32 bits, big-endian aarch64, the other of the two, none.
  for (const uint32_t other :
       {0x40000003U, 0x40000028U, 0x800000b7U, id() ^ 0xc000003eU ^ 0xc00000b7U, 0U}) {
    for (uint32_t number = 0; number < 600; ++number) {
      EXPECT_EQ(ErrorFrom(other, number, {}), kEperm) << number;
    }
  }
  // x32, whose numbers have an additional bit.
  for (uint32_t number = 0; number < 600; ++number) {
    EXPECT_EQ(ErrorOf(0x40000000 + number), kEperm) << number;
  }
}

TEST_P(CallFilterTest, StartsThreadsAndNothingElse) {
  constexpr uint64_t kGlibc = 0x003d0f00, kMusl = 0x007d0f00;
  EXPECT_EQ(ErrorOfNamed("clone", {kGlibc}), 0U);
  EXPECT_EQ(ErrorOfNamed("clone", {kMusl}), 0U);
  // The namespaces: time, mount, cgroup, UTS, IPC, user, PID, network.
  for (const uint64_t space : {0x80U, 0x20000U, 0x02000000U, 0x04000000U, 0x08000000U, 0x10000000U,
                               0x20000000U, 0x40000000U}) {
    EXPECT_EQ(ErrorOfNamed("clone", {kGlibc | space}), kEperm) << space;
    EXPECT_EQ(ErrorOfNamed("clone", {space | 17}), kEperm) << space;
  }
#ifndef HALO_SANITIZED
  EXPECT_EQ(ErrorOfNamed("clone", {17}), kEperm);      // fork
  EXPECT_EQ(ErrorOfNamed("clone", {0x4111}), kEperm);  // vfork
  EXPECT_EQ(ErrorOfNamed("clone", {kGlibc & ~0x10000U}),
            kEperm);                                                 // another process
  EXPECT_EQ(ErrorOfNamed("clone", {kGlibc | 0x2000}), kEperm);       // traced
  EXPECT_EQ(ErrorOfNamed("clone", {kGlibc | 0x80000000U}), kEperm);  // CLONE_IO
#endif
  EXPECT_EQ(ErrorOf(435),
            kEnosys);  // clone3 hides its flags; C libraries use clone instead
}

TEST_P(CallFilterTest, ReachesOnlyThisProcess) {
  constexpr uint64_t kOther = kOwnId + 1;
  EXPECT_EQ(ErrorOfNamed("tgkill", {kOwnId, kOwnId, 6}), 0U);
  EXPECT_EQ(ErrorOfNamed("tgkill", {kOther, kOther, 6}), kEperm);
  EXPECT_EQ(ErrorOfNamed("tgkill", {~uint64_t{0}, kOther, 6}), kEperm);
  EXPECT_EQ(ErrorOfNamed("prlimit64", {0, 3, 0, 1}), 0U);
  EXPECT_EQ(ErrorOfNamed("prlimit64", {kOther, 3, 0, 1}), kEperm);
  EXPECT_EQ(ErrorOfNamed("prlimit64", {0, 2, 0x1000, 0}), kEperm);
  EXPECT_EQ(ErrorOfNamed("prlimit64", {0, 2, uint64_t{1} << 32U, 0}), kEperm);
  EXPECT_EQ(ErrorOfNamed("sched_getaffinity", {0}), 0U);
  EXPECT_EQ(ErrorOfNamed("sched_getaffinity", {kOwnId}), 0U);
  EXPECT_EQ(ErrorOfNamed("sched_getaffinity", {kOther}), kEnosys);
}

TEST_P(CallFilterTest, AllowsOnlyHarmlessCommands) {
  for (const uint64_t command : {0, 1, 2, 3, 1030}) {
    EXPECT_EQ(ErrorOfNamed("fcntl", {0, command, 0x2000}), 0U) << command;
  }
  // F_SETFL, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ
  for (const uint64_t command : {4, 8, 10, 15, 1024, 1026, 1031}) {
    EXPECT_EQ(ErrorOfNamed("fcntl", {0, command, 0x2000}), kEperm) << command;
  }
  EXPECT_EQ(ErrorOfNamed("ioctl", {0, 0x5401}), 0U);
  // TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOASYNC, FIOSETOWN, FS_IOC_SETFLAGS
  for (const uint64_t request : {0x5412U, 0x541cU, 0x540eU, 0x5452U, 0x8901U, 0x40086602U}) {
    EXPECT_EQ(ErrorOfNamed("ioctl", {0, request}), kEperm) << request;
  }
  EXPECT_EQ(ErrorOfNamed("prctl", {15}), 0U);
  // PDEATHSIG, DUMPABLE, SECCOMP, MM, CHILD_SUBREAPER, SYSCALL_USER_DISPATCH, SCHED_CORE, PTRACER
  for (const uint64_t option : {1, 22, 35, 36, 59, 62}) {
    EXPECT_EQ(ErrorOfNamed("prctl", {option}), kEperm) << option;
  }
  EXPECT_EQ(ErrorOfNamed("madvise", {0, 4096, 4}), 0U);
  // REMOVE, DONTFORK, MERGEABLE, HWPOISON, SOFT_OFFLINE
  for (const uint64_t advice : {9, 10, 12, 100, 101}) {
    EXPECT_EQ(ErrorOfNamed("madvise", {0, 4096, advice}), kEperm) << advice;
  }
}

TEST_P(CallFilterTest, ListsEachNumberOnce) {
  std::set<int> seen;
  for (const AllowedCall& call : kAllowedCalls) {
    const int number = call.number(GetParam());
    if (number == kNoNumber) continue;
    EXPECT_TRUE(seen.insert(number).second) << call.name;
  }
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
TEST(AllowedCalls, HaveTheNumbersOfThisSystem) {
#if defined(__x86_64__)
  constexpr CallInterface kThis = CallInterface::kX86_64;
#else
  constexpr CallInterface kThis = CallInterface::kAarch64;
#endif
  const std::map<std::string, int> numbers = {
#define HALO_CALL(name, x86_64, aarch64, rule) {#name, SYS_##name},
#if defined(__x86_64__)
#define HALO_CALL_OF_X86_64(name, x86_64, rule) {#name, SYS_##name},
#else
#define HALO_CALL_OF_X86_64(name, x86_64, rule)
#endif
#include "tools/halo/guard/allowed_calls.def"
#undef HALO_CALL_OF_X86_64
#undef HALO_CALL
  };
  for (const auto& [name, number] : numbers) {
    for (const AllowedCall& call : kAllowedCalls) {
      if (call.name == name) {
        EXPECT_EQ(call.number(kThis), number) << name;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace halo::tool
