// Counts are compared by opcode: an instruction that is replaced by one of the same opcode shows
// only in the hash of the text.
#include "halo/view/ask/pass_counts.h"

#include <algorithm>
#include <vector>

#include "halo/api/info/collective_info.h"
#include "halo/base/capped.h"
#include "halo/base/strings/hex.h"
#include "halo/describe/write_json.h"
#include "halo/text/write/write_text.h"
#include "halo/view/model/storage.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

constexpr size_t kMostOpcodes = 2000;  // in a request
constexpr size_t kNameLength = 100;    // of an opcode

// Stable across processes, unlike the hashes of tables: callers keep it between requests.
std::string HashOfText(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return HexText(hash);
}

}  // namespace

PassCounts CountModule(ModuleView& view) {
  const Module& module = view.module();
  PassCounts counts;
  static_cast<ModuleCounts&>(counts) = CountsOf(module);
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const Inst& inst = module.insts[i];
    if (StorageOf(view, InstId(i)) != Storage::kBuffer) continue;
    const int64_t bytes = module.shapes.ByteSize(ResultShape(module, inst)).value_or(0);
    counts.buffer_bytes = AddCapped(counts.buffer_bytes, bytes);
    if (bytes <= counts.largest_bytes) continue;
    counts.largest_bytes = bytes;
    counts.largest = Shortened(module.name_of(inst), 200);
  }
  counts.text = HashOfText(HloText(module));
  return counts;
}

void CountsJson(const PassCounts& counts, JsonWriter& json) {
  json.Field("instructions", counts.instructions)
      .Field("computations", counts.computations)
      .Field("fusions", counts.fusions)
      .Field("buffer_bytes", counts.buffer_bytes)
      .Field("largest_bytes", counts.largest_bytes)
      .Field("largest", counts.largest)
      .Field("text", counts.text);
  json.Key("opcodes").BeginObject();
  for (const auto& [name, count] : counts.opcodes) json.Field(Shortened(name, kNameLength), count);
  json.EndObject();
}

PassCounts CountsFromJson(const JsonValue& json) {
  PassCounts counts;
  const auto number = [](const JsonValue& value) { return std::max<int64_t>(value.AsInt(0), 0); };
  counts.instructions = number(json["instructions"]);
  counts.computations = number(json["computations"]);
  counts.fusions = number(json["fusions"]);
  counts.buffer_bytes = number(json["buffer_bytes"]);
  counts.largest_bytes = number(json["largest_bytes"]);
  counts.largest = json["largest"].AsString();
  counts.text = json["text"].AsString();
  const JsonValue& opcodes = json["opcodes"];
  for (size_t i = 0; i < std::min(opcodes.keys.size(), kMostOpcodes); ++i) {
    counts.opcodes[opcodes.keys[i]] = number(opcodes.items[i]);
  }
  return counts;
}

void ChangeJson(const PassCounts& before, const PassCounts& after, JsonWriter& json) {
  const std::vector<OpcodeDelta> changes = OpcodeDeltas(before, after);
  int64_t added = 0, removed = 0;
  for (const OpcodeDelta& each : changes) {
    added += std::max<int64_t>(each.after - each.before, 0);
    removed += std::max<int64_t>(each.before - each.after, 0);
  }
  json.Field("same_text", before.text == after.text)
      .Field("instructions", after.instructions - before.instructions)
      .Field("added", added)
      .Field("removed", removed)
      .Field("computations", after.computations - before.computations)
      .Field("fusions", after.fusions - before.fusions)
      .Field("buffer_bytes", after.buffer_bytes - before.buffer_bytes)
      .Field("largest_bytes", after.largest_bytes - before.largest_bytes);
  json.Key("opcodes").BeginArray();
  for (const OpcodeDelta& each : changes) {
    const OpcodeDelta shown = {Shortened(each.opcode, kNameLength), each.before, each.after};
    describe::WriteObject(shown, json);
  }
  json.EndArray();
}

}  // namespace halo::view
