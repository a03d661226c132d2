// A stand-in must still yield the declared shape: operands of another shape are rejected.
#include "halo/eval/calls/stand_ins.h"

#include <utility>
#include <vector>

#include "halo/eval/calls/call_support.h"

namespace halo {
namespace {

// Consumers of the value rely on its declared shape.
bool HasShape(const OpContext& cx, const Value& value, ShapeId shape, int depth) {
  const ShapeTable& shapes = cx.module.shapes;
  if (shapes.is_tuple(shape)) {
    if (!value.is_tuple() || value.elements().size() != shapes.elements(shape).size()) return false;
    if (depth > 8) return false;
    for (size_t i = 0; i < value.elements().size(); ++i) {
      if (!HasShape(cx, value.elements()[i], shapes.elements(shape)[i], depth + 1)) return false;
    }
    return true;
  }
  if (!shapes.is_array(shape)) return !value.is_array() && !value.is_tuple();
  if (!value.is_array() || value.array().type() != shapes.type(shape)) return false;
  const std::span<const int64_t> dims = shapes.dims(shape);
  if (value.array().rank() != dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (value.array().dim(i) != dims[i] && !shapes.is_dynamic(shape, i)) return false;
  }
  return true;
}

}  // namespace

Result<Value> IdentityCall(OpContext& cx) {
  if (!cx.operands.empty() && HasShape(cx, cx.operand(0), cx.shape(), 0)) {
    return std::move(cx.operand(0));
  }
  if (cx.module.shapes.is_tuple(cx.shape())) {
    Value tuple = Value::Tuple({cx.operands.begin(), cx.operands.end()});
    if (HasShape(cx, tuple, cx.shape(), 0)) return tuple;
  }
  return BadCall(cx,
                 "is replaced by identity, but the shapes of its operands are not the declared " +
                     cx.module.shapes.Text(cx.shape()));
}

Result<Value> ZerosCall(OpContext& cx) { return FinishCall(cx, {}); }

bool RegisterStandIn(std::string_view setting, CustomCallRegistry& registry, std::string* why) {
  const size_t equals = setting.rfind('=');
  const std::string_view meaning =
      equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
  if (equals == 0 || (meaning != "identity" && meaning != "zeros")) {
    *why = "a replacement is written TARGET=identity or TARGET=zeros";
    return false;
  }
  registry.Register(std::string(setting.substr(0, equals)),
                    meaning == "identity" ? IdentityCall : ZerosCall);
  return true;
}

}  // namespace halo
