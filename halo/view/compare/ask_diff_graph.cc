// `diff.graph`: both programs as one graph, around what changed or around what a cause names.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "halo/view/compare/compare_request.h"
#include "halo/view/graph/scene.h"
#include "halo/view/graph/scene_columns.h"

namespace halo::view {
namespace {

// Marks of nodes: the states of instructions, except that the last one is told apart by program.
enum class NodeMark : uint8_t { kGone = static_cast<uint8_t>(InstState::kOnly), kNew };
constexpr std::array<std::string_view, 8> kMarkTexts = {"aside",   "same",    "placed", "inside",
                                                        "rewired", "changed", "gone",   "new"};
constexpr size_t kMostOpened = 4;  // kernels that open by themselves
constexpr int kDeepestCall = 64;

std::vector<uint8_t> MarksOf(const MergedModule& merged) {
  std::vector<uint8_t> marks;
  marks.reserve(merged.states.size());
  for (size_t i = 0; i < merged.states.size(); ++i) {
    const bool is_new = merged.states[i] == InstState::kOnly && merged.after[i].valid();
    marks.push_back(static_cast<uint8_t>(is_new ? static_cast<uint8_t>(NodeMark::kNew)
                                                : static_cast<uint8_t>(merged.states[i])));
  }
  return marks;
}

// What the graph is about: everything that differs by itself, or what a cause names.
std::vector<InstId> SubjectsOf(CompareRequest& asked, const MergedModule& merged) {
  std::vector<InstId> subjects;
  const int64_t cause = asked.request.Int("cause", -1, -1, INT32_MAX);
  const auto add = [&](const std::vector<InstId>& insts, const std::vector<InstId>& shown_as) {
    for (const InstId inst : insts) {
      if (shown_as[inst.index()].valid()) subjects.push_back(shown_as[inst.index()]);
    }
  };
  const std::vector<CauseInsts>& causes = asked.pair.cause_insts();
  if (cause >= 0 && static_cast<size_t>(cause) < causes.size()) {
    add(causes[static_cast<size_t>(cause)][0], merged.of_before);
    add(causes[static_cast<size_t>(cause)][1], merged.of_after);
    std::sort(subjects.begin(), subjects.end());
    subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
    return subjects;
  }
  for (uint32_t i = 0; i < merged.states.size(); ++i) {
    const InstState state = merged.states[i];
    if (state > InstState::kSame && state != InstState::kInside) subjects.emplace_back(i);
  }
  return subjects;
}

// The instruction around it that runs in the program's sequence: the kernel it is in, or itself.
InstId KernelOf(ModuleView& view, InstId inst) {
  for (int step = 0; step < kDeepestCall; ++step) {
    const CompId comp = view.module().inst(inst).parent;
    const CallGraph::Context context = view.calls().context(comp);
    if (context == CallGraph::Context::kControlFlow || context == CallGraph::Context::kBoth) break;
    const InstId caller = view.CallerOf(comp);
    if (!caller.valid()) break;
    inst = caller;
  }
  return inst;
}

struct Subjects {
  std::map<CompId, std::set<InstId>> kernels;  // by computation
  std::set<InstId> opened;                     // kernels that contain a subject
};

void CompsJson(const Module& module, const Subjects& subjects, JsonWriter& json) {
  json.Key("comps").BeginArray();
  for (const auto& [comp, kernels] : subjects.kernels) {
    json.BeginObject()
        .Field("comp", comp.value)
        .Field("name", Shortened(module.text(module.comp(comp).name), 300))
        .Field("subjects", kernels.size())
        .EndObject();
  }
  json.EndArray();
}

void Columns(const Scene& scene, const MergedModule& merged, Response& response) {
  std::vector<uint32_t> before, after;
  for (const SceneNode& node : scene.nodes) {
    const bool known = node.inst.valid();
    before.push_back(known ? merged.before[node.inst.index()].value : InstId::kNoneValue);
    after.push_back(known ? merged.after[node.inst.index()].value : InstId::kNoneValue);
  }
  response.Array("node_before", before);
  response.Array("node_after", after);
}

}  // namespace

void AskDiffGraph(CompareRequest& asked) {
  Response& response = asked.request.response;
  if (!asked.pair.diff().refused.empty()) return response.Fail(asked.pair.diff().refused);
  const MergedModule& merged = asked.pair.merged();
  ModuleView& view = asked.pair.merged_view();
  const Module& module = view.module();
  Subjects subjects;
  for (const InstId inst : SubjectsOf(asked, merged)) {
    const InstId kernel = KernelOf(view, inst);
    subjects.kernels[module.inst(kernel).parent].insert(kernel);
    if (kernel != inst) subjects.opened.insert(kernel);
  }
  // The computation with the most to show.
  CompId comp = module.entry;
  size_t most = 0;
  for (const auto& [each, kernels] : subjects.kernels) {
    if (kernels.size() > most) comp = each;
    most = std::max(most, kernels.size());
  }
  const int64_t given = asked.request.parameters["comp"].AsInt(-1);
  if (given >= 0 && static_cast<uint64_t>(given) < module.comps.size()) {
    comp = CompId(static_cast<uint32_t>(given));
  }
  if (!comp.valid()) return response.Fail("the program has no entry computation");
  SceneOptions options = SceneOptionsOf(asked.request, 300);
  options.group = Grouping::kNone;
  options.reveal = InstId();
  options.marks = MarksOf(merged);
  options.mixed_mark = static_cast<uint8_t>(InstState::kInside);
  const std::set<InstId>& kernels = subjects.kernels[comp];
  std::vector<InstId> opened;
  std::set_intersection(kernels.begin(), kernels.end(), subjects.opened.begin(),
                        subjects.opened.end(), std::back_inserter(opened));
  if (options.opens_itself && opened.size() <= kMostOpened) {
    for (const InstId kernel : opened) options.open.insert("i" + std::to_string(kernel.value));
  }
  options.opens_itself = false;
  const bool whole = asked.request.parameters["whole"].AsBool(false);
  const auto hops = static_cast<uint32_t>(asked.request.Int("hops", 1, 0, 10));
  const std::vector<InstId> centers(kernels.begin(), kernels.end());
  const Scene scene = whole || centers.empty() ? DrawComputation(view, comp, options)
                                               : DrawAround(view, centers, hops, options);
  JsonWriter& json = response.json();
  json.Field("comp", comp.value).Field("name", Shortened(module.text(module.comp(comp).name), 300));
  json.Field("subjects", centers.size());
  json.Field("whole", whole || centers.empty());
  CompsJson(module, subjects, json);
  json.Key("marks").BeginArray();
  for (const std::string_view text : kMarkTexts) json.String(text);
  json.EndArray();
  SceneColumns(scene, response);
  Columns(scene, merged, response);
}

}  // namespace halo::view
