// Determines which generation of XLA's printer wrote a text, with the reason. The evidence is the
// text itself, never dates. Also restyles a module to print as a given generation did. ir/style.h
// defines the generations; the writer defines how each style is spelled.
#ifndef HALO_TEXT_GENERATION_H_
#define HALO_TEXT_GENERATION_H_

#include <string>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

struct GenerationGuess {
  Generation generation = Generation::kUnknown;
  // Later generations up to this one would print the same text.
  Generation latest = Generation::kUnknown;
  std::string why;
};

// For a module that was read from text.
GenerationGuess DetectGeneration(const Module& module);

std::string_view GenerationText(Generation generation);  // "G1"; "unknown"

// Sets the style and rewrites what the generation could not print: stack frames become source files
// and lines, raw backend_configs are quoted. Anything it had no notation for stays unchanged.
void RestyleAs(Generation generation, Module& module);

}  // namespace halo

#endif  // HALO_TEXT_GENERATION_H_
