// Writes a timeline as the XSpace of a profile (.xplane.pb), as xprof and TensorBoard open it: one
// device whose tracks are lines, and the module embedded beside it. Lines and stats are named as
// XLA's profilers name them on this kind of device.
#ifndef HALO_PROTO_TRACE_XPLANE_WRITER_H_
#define HALO_PROTO_TRACE_XPLANE_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "halo/proto/trace/trace_slice.h"
#include "halo/proto/wire/wire.h"

namespace halo {

class XPlaneWriter {
 public:
  static constexpr double kUnitsPerSecond = 1e12;  // of times

  struct Options {
    bool is_tpu = false;      // otherwise lines are the streams of a GPU
    std::string module_name;  // "jit_step"
    uint64_t program_id = 1;
    std::string title;   // of the device
    std::string vendor;  // "Nvidia", "AMD"; may be empty
    std::string proto;   // the module's HloProto; may be empty
    // What the device can do, for rooflines; 0: unknown.
    double peak_flops = 0, bandwidth = 0;
  };
  explicit XPlaneWriter(Options options);

  // Tracks are numbered by the caller; the first below a program's is that of kernels. A track with
  // parent 0 is a program's and has no slices.
  void AddTrack(uint64_t track, std::string_view name, uint64_t parent);
  void AddCounter(uint64_t /*track*/, std::string_view /*name*/, uint64_t /*parent*/) {}

  // Slices of a track must nest; times are picoseconds.
  void Begin(uint64_t track, int64_t time, const TraceSlice& slice);
  void End(uint64_t track, int64_t time);
  void Count(uint64_t /*track*/, int64_t /*time*/, int64_t /*value*/) {}

  [[nodiscard]] std::string Take();

 private:
  struct Open {
    size_t event = 0;
    int64_t begin = 0;
  };
  struct Line {
    std::string name;
    WireWriter events;
    std::vector<Open> open;
  };

  // The number of an entry of a table of names; new ones are added to it.
  int64_t Stat(std::string_view name);
  size_t Event(const TraceSlice& slice);
  void AddStats(uint32_t field, std::string_view op, WireWriter& out);
  void AddText(uint32_t field, std::string_view stat, std::string_view text, WireWriter& out);
  void AddCount(uint32_t field, std::string_view stat, double count, WireWriter& out);
  void WriteEvent(size_t event, int64_t begin, int64_t duration, WireWriter& out);
  void WriteLine(int64_t id, std::string_view name, std::string_view events, WireWriter& out) const;
  void WriteDevice(WireWriter& out);
  void WriteProgram(WireWriter& out) const;

  Options options_;
  std::map<uint64_t, Line> lines_;                                       // by track
  std::map<std::string, int64_t, std::less<>> stats_;                    // names and texts
  std::map<std::string, size_t, std::less<>> op_events_, other_events_;  // by name
  std::vector<std::string> stats_of_event_;                              // encoded, by event
  WireWriter event_table_;  // entries of the plane's table of events
  int64_t end_ = 0;         // of the last slice
};

}  // namespace halo

#endif  // HALO_PROTO_TRACE_XPLANE_WRITER_H_
