// Reads the first fields of /proc/PID/stat: the number, the name in parentheses and the state.
#include "halo/base/process_state.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace halo {

char ProcessState(int pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
  if (file == nullptr) return 'X';
  char bytes[512];
  const std::string_view line(bytes, std::fread(bytes, 1, sizeof bytes, file));
  std::fclose(file);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= line.size()) return 'X';
  return line[name_end + 2] == 'Z' ? 'X' : line[name_end + 2];
}

}  // namespace halo
