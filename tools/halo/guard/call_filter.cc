// The number is compared with one allowed call after the other. Kernels since 5.11 remember which
// calls are always allowed and do not run the program for these.
#include "tools/halo/guard/call_filter.h"

#include <initializer_list>
#include <utility>

namespace halo::tool {
namespace {

// Classic BPF on struct seccomp_data. The values are Linux's, whatever system compiles this.
enum FilterCode : uint16_t {
  kLoadWord = 0x20,
  kIfEqual = 0x15,
  kIfAtLeast = 0x35,
  kIfAnyBit = 0x45,
  kReturn = 0x06
};
constexpr uint32_t kAllow = 0x7fff0000;
constexpr uint32_t kRefuse = 0x00050000 + 1;    // EPERM
constexpr uint32_t kMissing = 0x00050000 + 38;  // ENOSYS
constexpr uint32_t kNumberAt = 0, kInterfaceAt = 4, kArgumentsAt = 16;
constexpr uint32_t kX86_64Id = 0xc000003e, kAarch64Id = 0xc00000b7;
constexpr uint32_t kX32 = 0x40000000;  // the bit of x32's numbers on x86-64

// What clone may be asked for: VM, SIGHAND and THREAD, and what C libraries set beside these. All
// flags for new namespaces are outside.
#ifndef HALO_SANITIZED
constexpr uint32_t kThreadHas = 0x00010900, kThreadHasAtMost = 0x007d0f00;
#else
// The leak check at exit stops the threads from a process that shares their memory.
constexpr uint32_t kThreadHas = 0x00000100, kThreadHasAtMost = 0x00fd0f00;
#endif

class FilterSteps {
 public:
  void Load(uint32_t offset) { steps_.push_back({kLoadWord, 0, 0, offset}); }
  void Return(uint32_t action) { steps_.push_back({kReturn, 0, 0, action}); }
  // Returns if the comparison holds, else goes on.
  void ReturnIf(FilterCode comparison, uint32_t value, uint32_t action) {
    steps_.push_back({comparison, 0, 1, value});
    Return(action);
  }
  void RefuseUnless(FilterCode comparison, uint32_t value) {
    steps_.push_back({comparison, 1, 0, value});
    Return(kRefuse);
  }
  // Only the low half of an argument is compared: the kernel takes these for 32-bit values.
  void RefuseUnlessOneOf(int argument, std::initializer_list<uint32_t> values,
                         uint32_t refusal = kRefuse) {
    LoadArgument(argument);
    auto left = static_cast<uint8_t>(values.size());
    for (const uint32_t value : values) steps_.push_back({kIfEqual, left--, 0, value});
    Return(refusal);
  }
  void RefuseUnlessNull(int argument) {
    RefuseUnlessOneOf(argument, {0});
    Load(OffsetOf(argument) + 4);
    RefuseUnless(kIfEqual, 0);
  }
  void RefuseUnlessThread(int argument) {
    LoadArgument(argument);
    ReturnIf(kIfAnyBit, ~kThreadHasAtMost, kRefuse);
    for (uint32_t bit = 1; bit != 0; bit <<= 1U) {
      if ((kThreadHas & bit) != 0) RefuseUnless(kIfAnyBit, bit);
    }
  }
  // The steps apply to this call only.
  void AppendFor(uint32_t number, const FilterSteps& steps) {
    steps_.push_back({kIfEqual, 0, static_cast<uint8_t>(steps.steps_.size()), number});
    steps_.insert(steps_.end(), steps.steps_.begin(), steps.steps_.end());
  }
  std::vector<FilterStep> Take() { return std::move(steps_); }

 private:
  static uint32_t OffsetOf(int argument) {
    return kArgumentsAt + (8 * static_cast<uint32_t>(argument));
  }
  void LoadArgument(int argument) { Load(OffsetOf(argument)); }

  std::vector<FilterStep> steps_;
};

FilterSteps StepsOf(ArgumentRule rule, uint32_t own_process) {
  FilterSteps steps;
  switch (rule) {
    case ArgumentRule::kAny: break;
    case ArgumentRule::kStartsThread: steps.RefuseUnlessThread(0); break;
    case ArgumentRule::kSignalsItself: steps.RefuseUnlessOneOf(0, {own_process}); break;
    case ArgumentRule::kReadsOwnLimits:
      steps.RefuseUnlessOneOf(0, {0, own_process});
      steps.RefuseUnlessNull(2);  // new limits
      break;
    case ArgumentRule::kReadsOwnCores:
      // Threads ask by their own numbers, which are unknown here. C libraries do without an answer
      // if the call is missing, but not if it is refused.
      steps.RefuseUnlessOneOf(0, {0, own_process}, kMissing);
      break;
    case ArgumentRule::kUsesDescriptor:
      // F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC
      steps.RefuseUnlessOneOf(1, {0, 1, 2, 3, 1030});
      break;
    case ArgumentRule::kAsksTerminal:
      steps.RefuseUnlessOneOf(
          1, {0x5401 /* TCGETS */, 0x802c542a /* TCGETS2 */, 0x5413 /* TIOCGWINSZ */});
      break;
    case ArgumentRule::kNames:
      steps.RefuseUnlessOneOf(
          0, {15 /* PR_SET_NAME */, 16 /* PR_GET_NAME */, 51 /* PR_SVE_GET_VL */,
#ifdef HALO_SANITIZED
              3 /* PR_GET_DUMPABLE */, 4 /* PR_SET_DUMPABLE */, 0x59616d61 /* PR_SET_PTRACER */,
#endif
              0x53564d41 /* PR_SET_VMA */});
      break;
    case ArgumentRule::kAdvises:
      // NORMAL to DONTNEED, FREE, HUGEPAGE to DODUMP, POPULATE_READ and _WRITE, GUARD_INSTALL and
      // _REMOVE
      steps.RefuseUnlessOneOf(2, {0, 1, 2, 3, 4, 8, 14, 15, 16, 17, 22, 23, 102, 103});
      break;
    case ArgumentRule::kAsksForTiles:
      // ARCH_GET_XCOMP_SUPP, ARCH_GET_XCOMP_PERM, ARCH_REQ_XCOMP_PERM
      steps.RefuseUnlessOneOf(0, {0x1021, 0x1022, 0x1023});
      break;
  }
  steps.Return(kAllow);
  return steps;
}

}  // namespace

std::vector<FilterStep> CallFilter(CallInterface interface, uint32_t own_process) {
  FilterSteps steps;
  steps.Load(kInterfaceAt);
  steps.RefuseUnless(kIfEqual, interface == CallInterface::kX86_64 ? kX86_64Id : kAarch64Id);
  steps.Load(kNumberAt);
  steps.ReturnIf(kIfAtLeast, kX32, kRefuse);
  for (const AllowedCall& call : kAllowedCalls) {
    const int number = call.number(interface);
    if (number == kNoNumber) continue;
    steps.AppendFor(static_cast<uint32_t>(number), StepsOf(call.rule, own_process));
  }
  steps.ReturnIf(kIfAtLeast, kFirstNewCall, kMissing);
  steps.Return(kRefuse);
  return steps.Take();
}

}  // namespace halo::tool
