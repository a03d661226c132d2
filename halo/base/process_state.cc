// Reads the first fields of /proc/PID/stat: the number, the name in parentheses, the state and the
// parent.
#include "halo/base/process_state.h"

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace halo {
namespace {

// What follows the name, beginning with the state; empty if the process no longer exists. A name
// may contain any character, so its end is the last parenthesis.
std::string AfterName(int pid) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
  if (file == nullptr) return "";
  char bytes[512];
  const std::string_view line(bytes, std::fread(bytes, 1, sizeof bytes, file));
  std::fclose(file);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= line.size()) return "";
  return std::string(line.substr(name_end + 2));
}

}  // namespace

char ProcessState(int pid) {
  const std::string fields = AfterName(pid);
  return fields.empty() || fields[0] == 'Z' ? 'X' : fields[0];
}

int ParentOf(int pid) {
  const std::string fields = AfterName(pid);
  int parent = -1;
  if (fields.size() > 2) std::from_chars(fields.data() + 2, fields.data() + fields.size(), parent);
  return parent;
}

}  // namespace halo
