// The table of file roles.
#include "halo/dump/file_role.h"

#include <array>

namespace halo {
namespace {

struct RoleRow {
  std::string_view text, flag;
};
constexpr std::array kRoles = {
#define HALO_FILE_ROLE(name, text, what, flag) RoleRow{text, flag},
#include "halo/dump/file_roles.def"
};

const RoleRow& RowOf(FileRole file_role) { return kRoles[static_cast<size_t>(file_role)]; }

}  // namespace

std::string_view TextOf(FileRole file_role) { return RowOf(file_role).text; }
std::string_view FlagOf(FileRole file_role) { return RowOf(file_role).flag; }

}  // namespace halo
