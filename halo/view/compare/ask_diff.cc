// `diff`: the command's result, with the instructions and stored values that causes are about;
// `diff.insts`, `diff.text` and `diff.memory`: what corresponds, as columns.
#include <algorithm>
#include <span>

#include "halo/api/diff/diff_document.h"
#include "halo/diff/peak/peak_change.h"
#include "halo/view/compare/compare_request.h"
#include "halo/view/compare/value_match.h"

namespace halo::view {
namespace {

template <class Tag>
std::vector<uint32_t> NumbersOf(std::span<const Id<Tag>> ids) {
  std::vector<uint32_t> out;
  out.reserve(ids.size());
  for (const Id<Tag> id : ids) out.push_back(id.value);
  return out;
}

template <class State>
std::vector<uint8_t> StatesOf(const std::vector<State>& states) {
  std::vector<uint8_t> out;
  out.reserve(states.size());
  for (const State state : states) out.push_back(static_cast<uint8_t>(state));
  return out;
}

template <class State>
void StateNames(size_t count, JsonWriter& json) {
  json.Key("states").BeginArray();
  for (size_t i = 0; i < count; ++i) json.String(TextOf(static_cast<State>(i)));
  json.EndArray();
}

void PeakValues(const PeakChange& change, Response& response) {
  response.json().Key("peak_causes").BeginArray();
  for (const PeakCause& cause : change.causes) {
    std::vector<uint32_t> before, after;
    for (const PeakPlace& place : cause.places) {
      if (place.value_before.valid()) before.push_back(place.value_before.value);
      if (place.value_after.valid()) after.push_back(place.value_after.value);
    }
    response.json().BeginObject();
    response.Array("before", before);
    response.Array("after", after);
    response.json().EndObject();
  }
  response.json().EndArray();
}

void SideColumns(std::string_view key, const InstSide& side, Response& response) {
  response.json().Key(key).BeginObject();
  response.Array("state", StatesOf(side.states));
  response.Array("partner", NumbersOf(std::span(side.partners)));
  response.json().EndObject();
}

void SideColumns(std::string_view key, const ValueSide& side, Response& response) {
  JsonWriter& json = response.json();
  json.Key(key).BeginObject();
  response.Array("state", StatesOf(side.states));
  response.Array("partner", NumbersOf(std::span(side.partners)));
  json.Key("totals").BeginArray();
  for (size_t i = 0; i < kValueStates; ++i) {
    json.BeginObject()
        .Field("state", TextOf(static_cast<ValueState>(i)))
        .Field("values", side.count[i])
        .Field("bytes", side.bytes[i])
        .EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

void AskDiff(CompareRequest& asked) {
  const ProgramDiff& diff = asked.pair.diff();
  const auto top = static_cast<size_t>(asked.request.Int("top", 200, 0, 100'000));
  Response& response = asked.request.response;
  response.json().Key("answer").Raw(DiffJson(asked.against, asked.request.document, diff, top));
  response.json().Key("causes").BeginArray();
  const std::vector<CauseInsts>& insts = asked.pair.cause_insts();
  for (size_t i = 0; i < std::min(top, insts.size()); ++i) {
    response.json().BeginObject();
    response.Array("before", NumbersOf(std::span(std::as_const(insts[i][0]))));
    response.Array("after", NumbersOf(std::span(std::as_const(insts[i][1]))));
    response.json().EndObject();
  }
  response.json().EndArray();
  if (diff.peak != nullptr) PeakValues(*diff.peak, response);
}

void AskDiffInsts(CompareRequest& asked) {
  Response& response = asked.request.response;
  StateNames<InstState>(kInstStates, response.json());
  SideColumns("before", asked.pair.insts().before, response);
  SideColumns("after", asked.pair.insts().after, response);
}

void AskDiffText(CompareRequest& asked) {
  const LineMatch& lines = asked.pair.lines();
  Response& response = asked.request.response;
  StateNames<InstState>(kInstStates, response.json());
  response.json().Field("rows", lines.before.size());
  response.Array("before", lines.before);
  response.Array("after", lines.after);
  response.Array("before_state", StatesOf(lines.before_states));
  response.Array("after_state", StatesOf(lines.after_states));
  response.Array("before_links", lines.before_links);
  response.Array("after_links", lines.after_links);
}

void AskDiffMemory(CompareRequest& asked) {
  Response& response = asked.request.response;
  const auto plan_of = [&](PairedProgram program, std::string_view key) -> const ShownAssignment* {
    std::string why;
    const std::string_view own = program.view.has_assignment() ? "dumped" : "planned";
    const ShownAssignment* plan = program.view.Shown(asked.request.Text(key, own), why);
    if (plan != nullptr && plan->bound.module() != &program.module.module()) {
      why = "the buffer assignment is of another program";
      plan = nullptr;
    }
    if (plan == nullptr) response.Fail(why);
    return plan;
  };
  if (!asked.pair.diff().refused.empty()) return response.Fail(asked.pair.diff().refused);
  const ShownAssignment* before = plan_of(asked.pair.before(), "plan_before");
  const ShownAssignment* after = before == nullptr ? nullptr : plan_of(asked.pair.after(), "plan");
  if (after == nullptr) return;
  const ValueMatch match = MatchStored(asked.pair.programs(), *before, *after);
  StateNames<ValueState>(kValueStates, response.json());
  SideColumns("before", match.before, response);
  SideColumns("after", match.after, response);
}

}  // namespace halo::view
