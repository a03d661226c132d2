// `graph` and `around`: a scene as columns.
#include <algorithm>

#include "halo/view/graph/categories.h"
#include "halo/view/graph/scene.h"
#include "halo/view/model/question.h"

namespace halo::view {
namespace {

SceneOptions OptionsOf(const Question& question, int64_t limit) {
  SceneOptions options;
  options.fold = question.request["fold"].AsBool(true);
  options.limit = static_cast<uint32_t>(question.Int("limit", limit, 1, 20'000));
  options.all = question.request["all"].AsBool(false);
  options.opens_itself = question.request["open"].is_null();
  for (const JsonValue& each : question.request["open"].items) {
    options.open.emplace(each.AsString());
  }
  const int64_t reveal = question.request["reveal"].AsInt(-1);
  if (reveal >= 0 && static_cast<uint64_t>(reveal) < question.module->module().insts.size()) {
    options.reveal = InstId(static_cast<uint32_t>(reveal));
  }
  return options;
}

void NodesJson(const std::vector<SceneNode>& nodes, Answer& answer) {
  std::vector<uint8_t> kind, category, can_open, is_open, is_output;
  std::vector<uint32_t> inst, comp, count, instructions, unseen;
  std::vector<int32_t> parent;
  std::vector<float> x, y, w, h;
  std::vector<double> bytes;
  StringColumn keys, labels, details;
  for (const SceneNode& node : nodes) {
    keys.Add(node.key);
    kind.push_back(static_cast<uint8_t>(node.kind));
    category.push_back(node.category);
    inst.push_back(node.inst.value);
    comp.push_back(node.comp.value);
    parent.push_back(node.parent);
    count.push_back(node.count);
    instructions.push_back(node.instructions);
    unseen.push_back(node.unseen);
    can_open.push_back(node.can_open ? 1 : 0);
    is_open.push_back(node.is_open ? 1 : 0);
    is_output.push_back(node.is_output ? 1 : 0);
    labels.Add(node.label);
    details.Add(node.detail);
    bytes.push_back(node.bytes);
    x.push_back(node.x);
    y.push_back(node.y);
    w.push_back(node.width);
    h.push_back(node.height);
  }
  answer.json().Key("nodes").BeginObject().Field("total", nodes.size());
  answer.Strings("key", keys);
  answer.Array("kind", kind);
  answer.Array("category", category);
  answer.Array("inst", inst);
  answer.Array("comp", comp);
  answer.Array("parent", parent);
  answer.Array("count", count);
  answer.Array("instructions", instructions);
  answer.Array("unseen", unseen);
  answer.Array("can_open", can_open);
  answer.Array("is_open", is_open);
  answer.Array("is_output", is_output);
  answer.Strings("label", labels);
  answer.Strings("detail", details);
  answer.Array("bytes", bytes);
  answer.Array("x", x);
  answer.Array("y", y);
  answer.Array("w", w);
  answer.Array("h", h);
  answer.json().EndObject();
}

void EdgesJson(const std::vector<SceneEdge>& edges, Answer& answer) {
  std::vector<uint32_t> from, to, ends;
  std::vector<uint8_t> far;
  std::vector<double> bytes;
  std::vector<float> points;
  for (const SceneEdge& edge : edges) {
    from.push_back(edge.from);
    to.push_back(edge.to);
    far.push_back(edge.is_far ? 1 : 0);
    bytes.push_back(edge.bytes);
    for (const LayoutPoint& point : edge.points) {
      points.push_back(point.x);
      points.push_back(point.y);
    }
    ends.push_back(static_cast<uint32_t>(points.size() / 2));
  }
  answer.json().Key("edges").BeginObject().Field("total", edges.size());
  answer.Array("from", from);
  answer.Array("to", to);
  answer.Array("far", far);
  answer.Array("bytes", bytes);
  answer.Array("ends", ends);
  answer.Array("points", points);
  answer.json().EndObject();
}

void SceneJson(const Scene& scene, Answer& answer) {
  JsonWriter& json = answer.json();
  json.Field("width", static_cast<double>(scene.width))
      .Field("height", static_cast<double>(scene.height))
      .Field("gathered", scene.is_gathered)
      .Field("found", scene.found);
  json.Key("kinds").BeginArray();
  for (size_t i = 0; i < kNodeKinds; ++i) json.String(NodeKindText(static_cast<NodeKind>(i)));
  json.EndArray();
  json.Key("categories").BeginArray();
  for (size_t i = 0; i < kCategories; ++i) json.String(CategoryText(static_cast<Category>(i)));
  json.EndArray();
  json.Key("folds").BeginArray();
  for (const SceneFold& fold : scene.folds) {
    json.BeginObject()
        .Field("key", fold.key)
        .Field("first", fold.first.value)
        .Field("count", fold.count)
        .Field("period", fold.period)
        .EndObject();
  }
  json.EndArray();
  NodesJson(scene.nodes, answer);
  EdgesJson(scene.edges, answer);
}

}  // namespace

void AskGraph(Question& question) {
  const Module& module = question.module->module();
  const int64_t entry = module.entry.valid() ? module.entry.value : -1;
  const int64_t comp = question.request["comp"].AsInt(entry);
  if (comp < 0 || static_cast<uint64_t>(comp) >= module.comps.size()) {
    question.answer.Fail("`comp` is not a computation's number");
    return;
  }
  question.json().Field("comp", comp);
  question.json().Field("name",
                        Shortened(module.text(module.comps[static_cast<size_t>(comp)].name), 1000));
  SceneJson(DrawComputation(*question.module, CompId(static_cast<uint32_t>(comp)),
                            OptionsOf(question, 1500)),
            question.answer);
}

void AskAround(Question& question) {
  const InstId inst = question.Instruction("inst");
  if (!inst.valid()) return;
  const auto hops = static_cast<uint32_t>(question.Int("hops", 2, 0, 100));
  SceneOptions options = OptionsOf(question, 60);
  options.opens_itself = false;
  options.reveal = inst;
  SceneJson(DrawAround(*question.module, inst, hops, options), question.answer);
}

}  // namespace halo::view
