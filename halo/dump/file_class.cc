// The table of classes.
#include "halo/dump/file_class.h"

#include <array>

namespace halo {
namespace {

struct ClassRow {
  std::string_view text, what, flag;
};
constexpr std::array kClasses = {
#define HALO_FILE_CLASS(name, text, what, flag) ClassRow{text, what, flag},
#include "halo/dump/file_classes.def"
};

const ClassRow& Row(FileClass file_class) { return kClasses[static_cast<size_t>(file_class)]; }

}  // namespace

std::string_view TextOf(FileClass file_class) { return Row(file_class).text; }
std::string_view DescribeClass(FileClass file_class) { return Row(file_class).what; }
std::string_view FlagOf(FileClass file_class) { return Row(file_class).flag; }

}  // namespace halo
