// Hides vector extensions of this CPU from the process that preloads it, so that libraries which
// choose their code by CPUID can be measured at a lower level: HALO_CPUID_LEVEL=avx2 or avx512
// (without bf16, f16 and AMX). The kernel is asked to let CPUID fault, and a handler of the fault
// answers in its place with some bits cleared. Without that variable, or where the kernel or the
// CPU cannot do this, nothing is hidden: HaloCpuidLimited says which.
//
// The flag is one of each thread, inherited by those it starts, and ends when the process executes
// another program, which then preloads this again. The dynamic linker looks at the CPU before, so
// the C library's own functions are not limited.
#if !defined(__x86_64__) || !defined(__linux__)
extern "C" int HaloCpuidLimited() { return 0; }
#else

#include <asm/prctl.h>
#include <cpuid.h>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace {

constexpr uint32_t Bit(int number) { return uint32_t{1} << number; }

struct Registers {
  uint32_t a, b, c, d;
};

// What a level lacks of a leaf.
struct Hidden {
  uint32_t leaf, subleaf;
  Registers bits;
};

constexpr uint32_t kAmx = Bit(22) | Bit(24) | Bit(25);  // bf16, tiles, int8
constexpr uint32_t kAmxState = Bit(17) | Bit(18);
constexpr uint32_t kAvx512State = Bit(5) | Bit(6) | Bit(7);

constexpr Hidden kBeyondAvx512[] = {
    {7, 0, {0, 0, 0, kAmx | Bit(23)}},                            // f16
    {7, 1, {Bit(5) | Bit(21), 0, 0, Bit(5) | Bit(8) | Bit(19)}},  // bf16, other AMX, AVX10
    {0xD, 0, {kAmxState, 0, 0, 0}},
    {0x1D, 0, {~0U, ~0U, ~0U, ~0U}},  // tiles
    {0x1E, 0, {~0U, ~0U, ~0U, ~0U}},
    {0x24, 0, {~0U, ~0U, ~0U, ~0U}},  // AVX10
};
constexpr Hidden kBeyondAvx2[] = {
    {7,
     0,
     {0, Bit(16) | Bit(17) | Bit(21) | Bit(26) | Bit(27) | Bit(28) | Bit(30) | Bit(31),
      Bit(1) | Bit(6) | Bit(11) | Bit(12) | Bit(14), Bit(2) | Bit(3) | Bit(8)}},
    {7, 1, {Bit(4) | Bit(23), 0, 0, Bit(4) | Bit(10)}},  // VNNI and IFMA of AVX
    {0xD, 0, {kAvx512State, 0, 0, 0}},
};

bool hides_avx512 = false;
bool is_limited = false;

bool SetCpuid(bool works) {
  return syscall(SYS_arch_prctl, ARCH_SET_CPUID, static_cast<unsigned long>(works)) == 0;
}

template <size_t kCount>
void Hide(const Hidden (&all)[kCount], uint32_t leaf, uint32_t subleaf, Registers& found) {
  for (const Hidden& each : all) {
    if (each.leaf != leaf || each.subleaf != subleaf) continue;
    found.a &= ~each.bits.a;
    found.b &= ~each.bits.b;
    found.c &= ~each.bits.c;
    found.d &= ~each.bits.d;
  }
}

// Any other fault happens again with its ordinary consequences.
void OnFault(int signal_number, siginfo_t* /*info*/, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr unsigned char kCpuid[] = {0x0F, 0xA2};
  constexpr auto kGeneralProtection = 13;  // not a page fault: the instruction can be read
  const auto* at = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (registers[REG_TRAPNO] != kGeneralProtection || std::memcmp(at, kCpuid, 2) != 0) {
    std::signal(signal_number, SIG_DFL);
    return;
  }
  const auto leaf = static_cast<uint32_t>(registers[REG_RAX]);
  const auto subleaf = static_cast<uint32_t>(registers[REG_RCX]);
  Registers found{};
  SetCpuid(true);
  __cpuid_count(leaf, subleaf, found.a, found.b, found.c, found.d);
  SetCpuid(false);
  Hide(kBeyondAvx512, leaf, subleaf, found);
  if (hides_avx512) Hide(kBeyondAvx2, leaf, subleaf, found);
  registers[REG_RAX] = found.a;
  registers[REG_RBX] = found.b;
  registers[REG_RCX] = found.c;
  registers[REG_RDX] = found.d;
  registers[REG_RIP] += 2;
}

__attribute__((constructor)) void Limit() {
  const char* level = std::getenv("HALO_CPUID_LEVEL");
  if (level == nullptr) return;
  hides_avx512 = std::strcmp(level, "avx2") == 0;
  if (!hides_avx512 && std::strcmp(level, "avx512") != 0) return;
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  is_limited = sigaction(SIGSEGV, &action, nullptr) == 0 && SetCpuid(false);
}

}  // namespace

// 1 if this process is limited and CPUID indeed does not report what the level lacks.
extern "C" int HaloCpuidLimited() {
  if (!is_limited) return 0;
  Registers found{};
  __cpuid_count(7, 0, found.a, found.b, found.c, found.d);
  return (found.d & kAmx) == 0 && (!hides_avx512 || (found.b & Bit(16)) == 0) ? 1 : 0;
}

#endif
