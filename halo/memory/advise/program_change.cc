// Names of values may contain braces and commas: all-gather-start.2{1,1}.
#include "halo/memory/advise/program_change.h"

namespace halo {
namespace {

void AddOption(std::string_view option, const std::vector<std::string>& names, std::string& out) {
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  const bool is_plain = list.find_first_of("{}() '\"$*") == std::string::npos;
  out += out.empty() ? "" : " ";
  out += option;
  out += is_plain ? " " + list : " '" + list + "'";
}

}  // namespace

std::string OptionsOf(const ProgramChange& change) {
  std::vector<std::string> numbers;
  for (const int64_t number : change.donate) numbers.push_back(std::to_string(number));
  std::string out;
  AddOption("--donate", numbers, out);
  AddOption("--recompute", change.recompute, out);
  AddOption("--earlier", change.earlier, out);
  AddOption("--later", change.later, out);
  AddOption("--bf16", change.bf16, out);
  AddOption("--unpad", change.unpad, out);
  return out;
}

}  // namespace halo
