// Which generation of XLA's printer wrote a text, judged by what the text shows and never by dates,
// with the reason; and the way back: a module made to print as a generation did. Generations stand
// in ir/style.h; how each style is spelled is the writer's.
#ifndef HALO_TEXT_GENERATION_H_
#define HALO_TEXT_GENERATION_H_

#include <string>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

struct GenerationGuess {
  Generation generation = Generation::kUnknown;
  // The text would look the same in later ones, up to this.
  Generation latest = Generation::kUnknown;
  std::string why;
};

// Of a module that was read from text.
GenerationGuess DetectGeneration(const Module& module);

std::string_view GenerationText(Generation generation);  // "G1"; "unknown"
// What sets a generation apart, in a few words.
std::string_view DescribeGeneration(Generation generation);

// Sets the style, and rewrites what the generation could not print: stack frames become source
// files and lines, raw backend_configs are quoted. What it had no notation for stays as it is.
void RestyleAs(Generation generation, Module& module);

}  // namespace halo

#endif  // HALO_TEXT_GENERATION_H_
