// Lists of words; a word's index is its number.
#include "halo/proto/wire/enum_names.h"

#include <array>
#include <charconv>

namespace halo {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array kFftTypes = {"FFT"sv, "IFFT"sv, "RFFT"sv, "IRFFT"sv};
constexpr std::array kDistributions = {"rng_invalid"sv, "rng_uniform"sv, "rng_normal"sv};
constexpr std::array kRngAlgorithms = {"rng_default"sv, "rng_three_fry"sv, "rng_philox"sv};
constexpr std::array kPrecisions = {"default"sv, "high"sv, "highest"sv};
constexpr std::array kDotAlgorithms = {"unset"sv,
                                       "dot_any_f8_any_f8_f32"sv,
                                       "dot_any_f8_any_f8_f32_fast_accum"sv,
                                       "dot_f16_f16_f16"sv,
                                       "dot_f16_f16_f32"sv,
                                       "dot_bf16_bf16_bf16"sv,
                                       "dot_bf16_bf16_f32"sv,
                                       "dot_bf16_bf16_f32_x3"sv,
                                       "dot_bf16_bf16_f32_x6"sv,
                                       "dot_tf32_tf32_f32"sv,
                                       "dot_tf32_tf32_f32_x3"sv,
                                       "dot_f32_f32_f32"sv,
                                       "dot_f64_f64_f64"sv,
                                       "dot_bf16_bf16_f32_x9"sv};
constexpr std::array kPaddingTypes = {"PADDING_INVALID"sv, "PADDING_VALID"sv, "PADDING_SAME"sv};
constexpr std::array kSchedules = {"SCHEDULE_NONE"sv, "SCHEDULE_LATEST"sv, "SCHEDULE_EARLIEST"sv};
constexpr std::array kApiVersions = {
    "API_VERSION_UNSPECIFIED"sv, "API_VERSION_ORIGINAL"sv, "API_VERSION_STATUS_RETURNING"sv,
    "API_VERSION_STATUS_RETURNING_UNIFIED"sv, "API_VERSION_TYPED_FFI"sv};
constexpr std::array kTransposes = {"TRANSPOSE_INVALID"sv, "NO_TRANSPOSE"sv, "TRANSPOSE"sv,
                                    "ADJOINT"sv};
constexpr std::array kConvolutionKinds = {"unset"sv, "fprop"sv, "dgrad"sv, "wgrad"sv};
constexpr std::array kTriStates = {"unspecified"sv, "true"sv, "false"sv};
constexpr std::array kAccuracyModes = {"default"sv, "highest"sv};

}  // namespace

EnumNames FftTypeNames() { return kFftTypes; }
EnumNames DistributionNames() { return kDistributions; }
EnumNames RngAlgorithmNames() { return kRngAlgorithms; }
EnumNames PrecisionNames() { return kPrecisions; }
EnumNames DotAlgorithmNames() { return kDotAlgorithms; }
EnumNames PaddingTypeNames() { return kPaddingTypes; }
EnumNames ScheduleNames() { return kSchedules; }
EnumNames ApiVersionNames() { return kApiVersions; }
EnumNames TransposeNames() { return kTransposes; }
EnumNames ConvolutionKindNames() { return kConvolutionKinds; }
EnumNames TriStateNames() { return kTriStates; }
EnumNames AccuracyModeNames() { return kAccuracyModes; }

std::string EnumWord(EnumNames names, int64_t number) {
  if (number >= 0 && static_cast<uint64_t>(number) < names.size()) {
    return std::string(names[static_cast<size_t>(number)]);
  }
  return std::to_string(number);
}

std::optional<int64_t> EnumNumber(EnumNames names, std::string_view word) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == word) return static_cast<int64_t>(i);
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace halo
