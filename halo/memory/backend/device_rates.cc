// The table of rates, and which peak counts for which element type.
#include "halo/memory/backend/device_rates.h"

#include <array>
#include <initializer_list>

namespace halo {
namespace {

struct RatesRow {
  std::string_view name;
  DeviceRates rates;
};

constexpr double kMiB = 1048576;

// One function for each source, so that rows read as `XlaSpec(3.35e12)`.
#define HALO_FIGURE_SOURCE(name, text) \
  [[maybe_unused]] constexpr Figure name(double value) { return {value, FigureSource::k##name}; }
#include "halo/memory/backend/figure_sources.def"

constexpr std::array kDeviceRates = {
#define HALO_RATES(name, ...) RatesRow{name, DeviceRates{__VA_ARGS__}},
#include "halo/memory/backend/device_rates.def"
};

constexpr auto kSourceTexts = std::to_array<std::string_view>({
    "unknown",
#define HALO_FIGURE_SOURCE(name, text) text,
#include "halo/memory/backend/figure_sources.def"
});

Figure FirstKnown(std::initializer_list<Figure> figures) {
  for (const Figure& each : figures) {
    if (each.value > 0) return each;
  }
  return {};
}

}  // namespace

std::string_view FigureSourceText(FigureSource source) {
  return kSourceTexts[static_cast<size_t>(source)];
}

const DeviceRates* FindDeviceRates(std::string_view name) {
  for (const RatesRow& row : kDeviceRates) {
    if (row.name == name) return &row.rates;
  }
  return nullptr;
}

Figure ProductPeak(const DeviceRates& rates, ElementType type, bool full_precision) {
  const ElementTypeInfo& info = InfoOf(type);
  if (info.klass == ElementClass::kSigned || info.klass == ElementClass::kUnsigned ||
      info.klass == ElementClass::kPred) {
    return info.bits <= 8 ? FirstKnown({rates.s8, rates.bf16, rates.f16, rates.f32})
                          : FirstKnown({rates.f32, rates.bf16});
  }
  const bool is_double = info.bits >= 64 && type != ElementType::kC64;
  if (is_double) return FirstKnown({rates.f64, rates.f32, rates.bf16});
  if (info.bits >= 32) {
    if (full_precision) return FirstKnown({rates.f32, rates.tf32, rates.bf16});
    // TPUs multiply f32 as bf16 by default.
    return FirstKnown({rates.tf32, rates.bf16, rates.f32});
  }
  if (type == ElementType::kF16) return FirstKnown({rates.f16, rates.bf16, rates.f32});
  if (info.bits == 16) return FirstKnown({rates.bf16, rates.f16, rates.f32});
  if (info.bits <= 4) return FirstKnown({rates.f4, rates.f8, rates.bf16, rates.f32});
  return FirstKnown({rates.f8, rates.bf16, rates.f16, rates.f32});
}

}  // namespace halo
