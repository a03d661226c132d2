// The style of a module's text: the switches in which generations of XLA's printer differ. A Style
// is detected while a text is read, or chosen to convert one. It does not affect the meaning.
#ifndef HALO_IR_STYLE_H_
#define HALO_IR_STYLE_H_

#include <cstdint>

namespace halo {

struct Style {
  bool percent = true;           // %name rather than name
  bool operand_shapes = false;   // add(f32[2] %a, ...) rather than add(%a, ...)
  bool program_shapes = true;    // (p: f32[]) -> f32[] after a computation's name
  bool operand_comments = true;  // /*index=5*/ in operand lists
  bool closing_names = false;    // "} // name" after longer computations
  bool compact_gte = false;      // %x#0 instead of get-tuple-element instructions
  bool header = true;            // a HloModule line comes first
  bool stack_tables = true;      // print FileNames ... StackFrames when the module has them
  bool metadata = true;
  bool backend_config = true;
  bool large_constants = true;  // false: constants of more than ten elements become {...}
  bool thread_name = false;     // print a computation's thread as thread_name=, as briefly in 2022
  uint8_t final_newlines = 2;   // line breaks after the last computation
  friend bool operator==(const Style&, const Style&) = default;
};

// The generations of HLO dump text since 2020, by their visible features.
enum class Generation : uint8_t { kUnknown, kG1, kG2, kG3, kG4, kG5, kG6 };

}  // namespace halo

#endif  // HALO_IR_STYLE_H_
