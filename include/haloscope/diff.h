// What changed between two programs: `halo diff` as a function.
#ifndef HALOSCOPE_DIFF_H_
#define HALOSCOPE_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/document.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

struct DiffRequest {
  std::string device;
};

template <class V>
void Fields(V& v, DiffRequest& r) {
  v.Group("Assumptions");
  v("device", r.device,
    "Predict times for this device (default: the one the programs were compiled for)",
    Choices{"time_device"});
}

// Distinct values: one that is computed several times counts once.
struct DiffValues {
  int64_t before = 0, after = 0, matched = 0, same = 0, changed = 0, rewired = 0;
  int64_t deleted = 0, inserted = 0, outputs = 0, ambiguous = 0, more_often = 0, less_often = 0;
};

template <class V>
void Fields(V& v, DiffValues& r) {
  v("before", r.before, "values of A");
  v("after", r.after, "values of B");
  v("matched", r.matched, "values of A that have a counterpart in B");
  v("same", r.same, "of these, computed in the same way from the same inputs", FieldFlag::kDetail);
  v("changed", r.changed, "of these, by another op or with other attributes");
  v("rewired", r.rewired, "of these, by the same op from other operands");
  v("deleted", r.deleted, "only in A");
  v("inserted", r.inserted, "only in B");
  v("outputs", r.outputs, "results of the program that come from another value",
    FieldFlag::kDetail);
  v("ambiguous", r.ambiguous, "unmatched because several values fit", FieldFlag::kDetail);
  v("more_often", r.more_often, "computed more often in B", FieldFlag::kDetail);
  v("less_often", r.less_often, "computed less often in B", FieldFlag::kDetail);
}

// Names of instructions, or donations.
struct DiffPlace {
  std::string before, after;
};

template <class V>
void Fields(V& v, DiffPlace& r) {
  v("before", r.before, "in A", FieldFlag::kIfAny);
  v("after", r.after, "in B", FieldFlag::kIfAny);
}

struct DiffCause {
  std::string kind, what;
  int64_t count = 0, bytes = 0;
  std::optional<double> seconds;
  double confidence = 1;
  std::string op_name;
  std::vector<DiffPlace> places;
};

template <class V>
void Fields(V& v, DiffCause& r) {
  v("kind", r.kind, "", Choices{"cause_kind"});
  v("what", r.what, "what changed, the same for all instances");
  v("count", r.count, "of instances");
  v("bytes", r.bytes, "of the results concerned", Unit::kBytes);
  v("seconds", r.seconds,
    "how much longer the kernels concerned take in a step, as `halo time` predicts; a kernel may "
    "belong to several causes",
    Unit::kSeconds);
  v("confidence", r.confidence, "of the least certain match, from 0 to 1");
  v("op_name", r.op_name, "of the first instance", FieldFlag::kIfAny);
  v("places", r.places, "every instruction concerned");
}

// One program's memory.
struct DiffPeakSide {
  int64_t bytes = 0, held_bytes = 0, heap_bytes = 0, live_bytes = 0, position = -1;
  std::string instruction, op_name;
  bool planned_by_halo = false;
};

template <class V>
void Fields(V& v, DiffPeakSide& r) {
  v("bytes", r.bytes, "of all allocations in the device's main memory", Unit::kBytes);
  v("held_bytes", r.held_bytes, "of these, held from start to end", Unit::kBytes);
  v("heap_bytes", r.heap_bytes, "of these, for temporary values", Unit::kBytes);
  v("live_bytes", r.live_bytes, "of the heap, live at the peak", Unit::kBytes);
  v("position", r.position, "of the peak in the schedule", Unit::kPosition);
  v("instruction", r.instruction, "that runs there");
  v("op_name", r.op_name, "of it");
  v("planned_by_halo", r.planned_by_halo, "false: XLA's own assignment");
}

// Names of values.
struct DiffPeakPlace {
  std::string before, after, because;
  int64_t bytes = 0;
};

template <class V>
void Fields(V& v, DiffPeakPlace& r) {
  v("before", r.before, "at A's peak", FieldFlag::kIfAny);
  v("after", r.after, "at B's peak", FieldFlag::kIfAny);
  v("because", r.because, "the value that is live now in the memory this one had",
    FieldFlag::kIfAny);
  v("bytes", r.bytes, "with a sign", Unit::kBytes);
}

// A part of the change of memory.
struct DiffPeakCause {
  std::string kind, what;
  int64_t count = 0, bytes = 0;
  std::optional<int64_t> replayed_bytes;
  std::vector<std::string> moved;
  std::vector<DiffPeakPlace> places;
};

template <class V>
void Fields(V& v, DiffPeakCause& r) {
  v("kind", r.kind, "", Choices{"peak_cause_kind"});
  v("what", r.what, "what changed");
  v("count", r.count, "of values concerned");
  v("bytes", r.bytes, "its part of the change, with a sign", Unit::kBytes);
  v("replayed_bytes", r.replayed_bytes,
    "by how much planning A with this change alone changes its memory", Unit::kBytes,
    When{"absent if the change cannot be replayed"});
  v("moved", r.moved,
    "of a `live range`: instructions of B that run at another time, a few at most");
  v("places", r.places, "the values, largest first");
}

// How the memory that the programs need changed.
struct DiffPeak {
  int64_t bytes = 0;
  DiffPeakSide before, after;
  int64_t only_after = 0, only_before = 0, resized = 0, packing = 0;
  std::vector<DiffPeakCause> causes;
};

template <class V>
void Fields(V& v, DiffPeak& r) {
  v("bytes", r.bytes, "the change: `after.bytes` less `before.bytes`", Unit::kBytes);
  v("before", r.before, "the memory of A");
  v("after", r.after, "the memory of B");
  v("only_after", r.only_after, "of values at B's peak only", Unit::kBytes);
  v("only_before", r.only_before, "of values at A's peak only; negative", Unit::kBytes);
  v("resized", r.resized, "change of values at both peaks", Unit::kBytes);
  v("packing", r.packing,
    "change of what the heap has beyond the live bytes; the four terms add up to `bytes`",
    Unit::kBytes);
  v("causes", r.causes, "the same bytes by cause; what explains most comes first");
}

// Names of kernels; of several for one value, the longest.
struct DiffStepPlace {
  std::string before, after;
  double seconds = 0;
};

template <class V>
void Fields(V& v, DiffStepPlace& r) {
  v("before", r.before, "the kernel of A; of several for one value, the longest",
    FieldFlag::kIfAny);
  v("after", r.after, "the kernel of B", FieldFlag::kIfAny);
  v("seconds", r.seconds, "with a sign", Unit::kSeconds);
}

struct DiffStepCause {
  std::string what;
  int64_t count = 0;
  double seconds = 0;
  std::vector<DiffStepPlace> places;
};

template <class V>
void Fields(V& v, DiffStepCause& r) {
  v("what", r.what, "the kind of kernels, and what changed");
  v("count", r.count, "of values concerned");
  v("seconds", r.seconds, "with a sign", Unit::kSeconds);
  v("places", r.places, "the largest change first");
}

// How the predicted time of a step changed.
struct DiffStep {
  double seconds = 0, before = 0, after = 0;
  std::string device;
  double only_after = 0, only_before = 0, changed = 0, gaps = 0, exposed = 0, stalled = 0;
  std::vector<DiffStepCause> causes;
};

template <class V>
void Fields(V& v, DiffStep& r) {
  v("seconds", r.seconds, "the change: `after` less `before`; the six terms below add up to it",
    Unit::kSeconds);
  v("before", r.before, "the step of A", Unit::kSeconds);
  v("after", r.after, "the step of B", Unit::kSeconds);
  v("device", r.device, "for which times are predicted");
  v("only_after", r.only_after, "kernels of B for values that A has no kernel for", Unit::kSeconds,
    FieldFlag::kDetail);
  v("only_before", r.only_before, "the reverse; negative", Unit::kSeconds, FieldFlag::kDetail);
  v("changed", r.changed, "kernels for the same values", Unit::kSeconds, FieldFlag::kDetail);
  v("gaps", r.gaps, "between kernels", Unit::kSeconds, FieldFlag::kDetail);
  v("exposed", r.exposed, "waiting for collectives", Unit::kSeconds, FieldFlag::kDetail);
  v("stalled", r.stalled, "waiting for copies and other asynchronous work", Unit::kSeconds,
    FieldFlag::kDetail);
  v("causes", r.causes, "the first three terms by cause, the largest first");
}

struct DiffResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.diff.v2";

  bool ok = false;
  std::string refused;
  // If the programs were compared.
  std::optional<bool> same, same_values;
  std::string verdict;
  std::optional<DiffValues> values;
  std::optional<int64_t> cause_count;
  std::optional<std::vector<DiffCause>> causes;
  std::optional<DiffPeak> peak;
  std::optional<DiffStep> step;

  // The output of `halo diff --json` with at most `top` causes.
  [[nodiscard]] HALO_EXPORT std::string ToJson(size_t top = 12) const;
};

template <class V>
void Fields(V& v, DiffResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("ok", r.ok, "the programs were compared", FieldFlag::kDetail);
  v("refused", r.refused, "why not", FieldFlag::kIfAny);
  v("same", r.same, "nothing that is compared differs");
  v("same_values", r.same_values, "both compute the same values from the same inputs");
  v("verdict", r.verdict, "one sentence", FieldFlag::kIfAny, FieldFlag::kDetail);
  v("values", r.values, "counts of values");
  v("cause_count", r.cause_count, "causes found; `--top` limits how many are listed");
  v("causes", r.causes, "changes of values first, then by bytes, then by time", FieldFlag::kTop);
  v("peak", r.peak, "how the memory changed",
    When{"absent if a program is neither scheduled nor has an assignment"}, FieldFlag::kDetail);
  v("step", r.step, "how the predicted time of a step changed",
    When{"absent if a program is not scheduled, is very large, or was compiled for another device "
         "than the other"});
}

HALO_EXPORT DiffResult Diff(const Document& before, const Document& after,
                            const DiffRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DIFF_H_
