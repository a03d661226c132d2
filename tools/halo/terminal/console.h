// Standard output and standard error: how wide their terminals are, and colors only where they are
// wanted; a broken pipe is not an error, a full disk is. fit_text.h fits text to a width.
//
// All that a command prints passes one of these functions. None of them lets a control sequence of
// the data act on a terminal (output_filter.h), even if the caller has not made it printable.
#ifndef TOOLS_HALO_TERMINAL_CONSOLE_H_
#define TOOLS_HALO_TERMINAL_CONSOLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/halo/terminal/output_filter.h"

namespace halo::tool {

// --color: kAuto colors what a terminal shows, unless NO_COLOR is set or the terminal is dumb.
enum class ColorMode { kAuto, kAlways, kNever };

class Console {
 public:
  Console();

  // Standard output as it is: documents, modules, data. On a terminal it is made printable.
  void Out(std::string_view text);
  // What a rank of ours printed, in pieces; unlike a document, it may be styled.
  void Relay(std::string_view text);
  // Standard output for people: whole lines, wrapped where they are too long for the terminal.
  void Print(std::string_view text);
  // Standard error, wrapped in the same way.
  void Err(std::string_view text);
  // A line that the next output erases, shortened to one line; printed only on a terminal.
  void Status(std::string_view text);

  // Erases the status that a process with the same terminal left when it was killed.
  void EraseStatus();

  // Columns of standard output: COLUMNS if it is set, otherwise those of the terminal; 0, no limit,
  // if it is no terminal.
  [[nodiscard]] size_t Width() const { return out_width_; }
  // The same for standard error.
  [[nodiscard]] size_t ErrWidth() const { return err_width_; }
  [[nodiscard]] bool out_terminal() const { return out_terminal_; }
  [[nodiscard]] bool out_color() const { return out_color_; }
  [[nodiscard]] bool err_color() const { return err_color_; }
  void SetColor(ColorMode mode);
  // For a rank: mpirun gives it a terminal even if there is none. Whether its streams show colors
  // is what its launcher says; COLUMNS still counts.
  void Detach(bool out_color, bool err_color);
  // Flushes the rest. False if output was lost for any reason other than a closed pipe.
  bool Finish();

 private:
  void Write(std::string_view text);

  OutputFilter out_filter_;
  size_t out_width_ = 0;
  size_t err_width_ = 0;
  bool out_terminal_ = false;
  bool out_color_ = false;
  bool err_color_ = false;
  bool err_terminal_ = false;
  bool status_shown_ = false;
  bool broken_pipe_ = false;
  bool failed_ = false;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_CONSOLE_H_
