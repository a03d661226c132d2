// Writes one column for each member of a node and of an edge.
#include "halo/view/graph/scene_columns.h"

#include <algorithm>
#include <vector>

#include "halo/view/graph/categories.h"

namespace halo::view {
namespace {

void NodesJson(const std::vector<SceneNode>& nodes, Response& response) {
  std::vector<uint8_t> kind, category, mark, can_open, is_open, is_output;
  std::vector<uint32_t> inst, comp, count, instructions, unseen;
  std::vector<int32_t> parent;
  std::vector<float> x, y, w, h;
  std::vector<double> bytes;
  StringColumn keys, labels, details;
  for (const SceneNode& node : nodes) {
    keys.Add(node.key);
    kind.push_back(static_cast<uint8_t>(node.kind));
    category.push_back(node.category);
    mark.push_back(node.mark);
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
  response.json().Key("nodes").BeginObject().Field("total", nodes.size());
  response.Strings("key", keys);
  response.Array("kind", kind);
  response.Array("category", category);
  const bool is_marked =
      std::any_of(mark.begin(), mark.end(), [](uint8_t each) { return each != 0; });
  if (is_marked) response.Array("mark", mark);
  response.Array("inst", inst);
  response.Array("comp", comp);
  response.Array("parent", parent);
  response.Array("count", count);
  response.Array("instructions", instructions);
  response.Array("unseen", unseen);
  response.Array("can_open", can_open);
  response.Array("is_open", is_open);
  response.Array("is_output", is_output);
  response.Strings("label", labels);
  response.Strings("detail", details);
  response.Array("bytes", bytes);
  response.Array("x", x);
  response.Array("y", y);
  response.Array("w", w);
  response.Array("h", h);
  response.json().EndObject();
}

void EdgesJson(const std::vector<SceneEdge>& edges, Response& response) {
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
  response.json().Key("edges").BeginObject().Field("total", edges.size());
  response.Array("from", from);
  response.Array("to", to);
  response.Array("far", far);
  response.Array("bytes", bytes);
  response.Array("ends", ends);
  response.Array("points", points);
  response.json().EndObject();
}

}  // namespace

SceneOptions SceneOptionsOf(const ViewRequest& request, int64_t limit) {
  SceneOptions options;
  const std::string_view group = request.Text("group", "layers");
  if (group == "scope") options.group = Grouping::kScope;
  if (group == "none" || !request.parameters["fold"].AsBool(true)) options.group = Grouping::kNone;
  options.limit = static_cast<uint32_t>(request.Int("limit", limit, 1, 20'000));
  options.all = request.parameters["all"].AsBool(false);
  options.opens_itself = request.parameters["open"].is_null();
  for (const JsonValue& each : request.parameters["open"].items) {
    options.open.emplace(each.AsString());
  }
  const int64_t reveal = request.parameters["reveal"].AsInt(-1);
  if (reveal >= 0 && static_cast<uint64_t>(reveal) < request.module->module().insts.size()) {
    options.reveal = InstId(static_cast<uint32_t>(reveal));
  }
  return options;
}

void SceneColumns(const Scene& scene, Response& response) {
  JsonWriter& json = response.json();
  json.Field("width", static_cast<double>(scene.width))
      .Field("height", static_cast<double>(scene.height))
      .Field("gathered", scene.is_gathered)
      .Field("scopes", scene.has_scopes)
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
  NodesJson(scene.nodes, response);
  EdgesJson(scene.edges, response);
}

}  // namespace halo::view
