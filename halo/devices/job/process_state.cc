// Reads /proc.
#include "halo/devices/job/process_state.h"

#include <fstream>
#include <string>

namespace halo {

char ProcessState(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return 'X';
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= line.size()) return 'X';
  return line[name_end + 2] == 'Z' ? 'X' : line[name_end + 2];
}

}  // namespace halo
