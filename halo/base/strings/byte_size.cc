// A decimal number, with a fraction or not, and a unit.
#include "halo/base/strings/byte_size.h"

#include <array>

namespace halo {
namespace {

struct SizeUnit {
  std::string_view text;
  double bytes;
};
constexpr std::array kUnits = {SizeUnit{"", 1},
                               SizeUnit{"B", 1},
                               SizeUnit{"K", 1024},
                               SizeUnit{"KiB", 1024},
                               SizeUnit{"KB", 1e3},
                               SizeUnit{"M", 1048576},
                               SizeUnit{"MiB", 1048576},
                               SizeUnit{"MB", 1e6},
                               SizeUnit{"G", 1073741824},
                               SizeUnit{"GiB", 1073741824},
                               SizeUnit{"GB", 1e9},
                               SizeUnit{"T", 1099511627776},
                               SizeUnit{"TiB", 1099511627776},
                               SizeUnit{"TB", 1e12}};

}  // namespace

std::optional<int64_t> BytesFromText(std::string_view text) {
  double number = 0, scale = 1;
  size_t at = 0;
  bool has_point = false;
  for (; at < text.size() && at < 24; ++at) {
    const char c = text[at];
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
      if (has_point) scale *= 10;
    } else {
      break;
    }
  }
  if (at == 0) return std::nullopt;
  for (const SizeUnit& unit : kUnits) {
    if (unit.text != text.substr(at)) continue;
    const double bytes = number / scale * unit.bytes;
    if (bytes > 9e18) return std::nullopt;
    return static_cast<int64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace halo
