// The words that HLO text uses for enum values of the protos, by number.
#ifndef HALO_PROTO_WIRE_ENUM_NAMES_H_
#define HALO_PROTO_WIRE_ENUM_NAMES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace halo {

using EnumNames = std::span<const std::string_view>;

EnumNames FftTypeNames();
EnumNames DistributionNames();
EnumNames RngAlgorithmNames();
EnumNames PrecisionNames();
EnumNames DotAlgorithmNames();
EnumNames PaddingTypeNames();
EnumNames ScheduleNames();
EnumNames ApiVersionNames();
EnumNames TransposeNames();
EnumNames ConvolutionKindNames();
EnumNames TriStateNames();
EnumNames AccuracyModeNames();

// The word, or the number itself if it is newer than this list.
std::string EnumWord(EnumNames names, int64_t number);
// The inverse of EnumWord.
std::optional<int64_t> EnumNumber(EnumNames names, std::string_view word);

}  // namespace halo

#endif  // HALO_PROTO_WIRE_ENUM_NAMES_H_
