// Writes traces for Perfetto: tracks, slices, counters and flows as protobuf TrackEvents in one
// packet sequence. Texts are written once and referred to by number.
#ifndef HALO_PROTO_TRACE_PERFETTO_WRITER_H_
#define HALO_PROTO_TRACE_PERFETTO_WRITER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "halo/proto/trace/trace_slice.h"
#include "halo/proto/wire/wire.h"

namespace halo {

class PerfettoWriter {
 public:
  // A text with a meaning: numbers of names, categories and annotations are counted apart.
  enum class TextKind : uint8_t { kCategory, kName, kKey, kValue };

  static constexpr double kUnitsPerSecond = 1e9;  // of times

  // Tracks are numbered by the caller, from 1 on; `parent` is 0 or a track that was added.
  void AddTrack(uint64_t track, std::string_view name, uint64_t parent);
  void AddCounter(uint64_t track, std::string_view name, uint64_t parent);  // of bytes

  // Slices of a track must nest; times are nanoseconds.
  void Begin(uint64_t track, int64_t time, const TraceSlice& slice);
  void End(uint64_t track, int64_t time);
  void Count(uint64_t track, int64_t time, int64_t value);

  [[nodiscard]] std::string Take() { return out_.Take(); }

 private:
  // The number of a text; new ones are added to what the packet must introduce.
  uint64_t Number(TextKind kind, std::string_view text);
  void Introduce();

  WireWriter out_, fresh_;
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Numbers = std::unordered_map<std::string, uint64_t, TextHash, std::equal_to<>>;
  std::array<Numbers, 4> numbers_;  // by kind
  bool is_first_ = true;
};

}  // namespace halo

#endif  // HALO_PROTO_TRACE_PERFETTO_WRITER_H_
