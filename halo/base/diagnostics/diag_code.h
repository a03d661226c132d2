// What a diagnostic is about: a code with the text that users see, its severity and its default
// advice. Each layer lists its own codes in a .def file; this file only defines what a code is.
#ifndef HALO_BASE_DIAGNOSTICS_DIAG_CODE_H_
#define HALO_BASE_DIAGNOSTICS_DIAG_CODE_H_

#include <cstdint>
#include <string_view>

namespace halo {

enum class Severity : uint8_t { kWarning, kError };

struct DiagCode {
  std::string_view text;  // "unknown-opcode"
  Severity severity = Severity::kError;
  std::string_view help;

  // The same in every process of a run. Shared memory needs it, because it cannot hold the text's
  // address.
  [[nodiscard]] constexpr uint32_t id() const {
    uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
  }
  friend constexpr bool operator==(const DiagCode& a, const DiagCode& b) {
    return a.text == b.text;
  }
};

}  // namespace halo

#endif  // HALO_BASE_DIAGNOSTICS_DIAG_CODE_H_
