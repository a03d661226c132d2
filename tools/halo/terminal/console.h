// Standard output and standard error: colors only for a terminal that wants them; a broken pipe is
// not an error, a full disk is.
#ifndef TOOLS_HALO_TERMINAL_CONSOLE_H_
#define TOOLS_HALO_TERMINAL_CONSOLE_H_

#include <string>
#include <string_view>

namespace halo::tool {

class Console {
 public:
  Console();

  void Out(std::string_view text);
  void Err(std::string_view text);
  // A line that the next one overwrites; printed only on a terminal.
  void Status(std::string_view text);

  [[nodiscard]] bool out_terminal() const { return out_terminal_; }
  [[nodiscard]] bool out_color() const { return out_color_; }
  [[nodiscard]] bool err_color() const { return err_color_; }
  // Flushes the rest. False if output was lost for any reason other than a closed pipe.
  bool Finish();

 private:
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
