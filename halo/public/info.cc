// `halo info` through the public interface.
#include "haloscope/info.h"

#include "halo/api/info/file_info.h"
#include "halo/public/document_state.h"

namespace halo::v0 {
namespace {

std::vector<InfoCount> CountsOf(const std::vector<Tally>& tallies) {
  std::vector<InfoCount> counts;
  for (const Tally& each : tallies) counts.push_back({each.name, each.count, each.bytes});
  return counts;
}

InfoModule InfoModuleOf(const ModuleInfo& from) {
  InfoModule to;
  to.name = from.name;
  to.backend = BackendText(from.backend.backend);
  to.is_scheduled = from.scheduled;
  to.replica_count = from.replica_count;
  to.num_partitions = from.num_partitions;
  to.computations = from.computations;
  to.instructions = from.instructions;
  to.parameter_bytes = from.parameter_bytes;
  to.output_bytes = from.output_bytes;
  to.aliased_bytes = from.aliased_bytes;
  to.constant_bytes = from.constant_bytes;
  to.opcodes = CountsOf(from.opcodes);
  to.dtypes = CountsOf(from.dtypes);
  to.custom_calls = CountsOf(from.custom_calls);
  for (const CollectiveInfo& each : from.collectives) {
    to.collectives.push_back({each.opcode, each.count, each.bytes, each.runs, each.run_bytes});
  }
  for (const BigValue& each : from.largest) {
    to.largest.push_back({each.name, each.opcode, each.shape, each.op_name, each.bytes});
  }
  return to;
}

}  // namespace

struct InfoState {
  FileInfo info;
};

std::string InfoResult::ToJson() const {
  return state == nullptr ? std::string() : InfoJson({&state->info, 1});
}

InfoResult Info(const Document& document, const InfoRequest& request) {
  const auto state = std::make_shared<InfoState>(
      InfoState{DescribeFile(*OpenedFile(document), {.largest = request.largest})});
  InfoResult result;
  for (const ModuleInfo& each : state->info.modules) result.modules.push_back(InfoModuleOf(each));
  result.state = state;
  return result;
}

}  // namespace halo::v0
