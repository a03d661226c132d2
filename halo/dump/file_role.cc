// The table of file roles.
#include "halo/dump/file_role.h"

#include <array>

namespace halo {
namespace {

struct ClassRow {
  std::string_view text, what, flag;
};
constexpr std::array kClasses = {
#define HALO_FILE_ROLE(name, text, what, flag) ClassRow{text, what, flag},
#include "halo/dump/file_roles.def"
};

const ClassRow& Row(FileRole file_role) { return kClasses[static_cast<size_t>(file_role)]; }

}  // namespace

std::string_view TextOf(FileRole file_role) { return Row(file_role).text; }
std::string_view DescribeClass(FileRole file_role) { return Row(file_role).what; }
std::string_view FlagOf(FileRole file_role) { return Row(file_role).flag; }

}  // namespace halo
