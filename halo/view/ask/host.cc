// Opens and pairs documents, and dispatches requests.
#include "halo/view/ask/host.h"

#include <algorithm>
#include <array>
#include <utility>

#include "halo/base/json/json_reader.h"
#include "halo/view/compare/compare_request.h"
#include "halo/view/model/response.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

struct Row {
  std::string_view name;
  void (*handle)(ViewRequest&);
  bool needs_module;
};

constexpr std::array kRows = {
    Row{"info", AskInfo, false},
    Row{"check", AskCheck, false},
    Row{"memory", AskMemory, false},
    Row{"overview", AskOverview, false},
    Row{"inst", AskInst, true},
    Row{"names", AskNames, true},
    Row{"text", AskText, true},
    Row{"text.index", AskTextIndex, true},
    Row{"search", AskSearch, true},
    Row{"table", AskTable, false},
    Row{"memory.map", AskMemoryMap, false},
    Row{"memory.value", AskMemoryValue, false},
    Row{"memory.at", AskMemoryAt, false},
    Row{"memory.groups", AskMemoryGroups, false},
    Row{"memory.range", AskMemoryRange, false},
    Row{"devices", AskDevices, false},
    Row{"time", AskTime, true},
    Row{"time.devices", AskTimeDevices, false},
    Row{"time.ops", AskTimeOps, true},
    Row{"time.groups", AskTimeGroups, true},
    Row{"time.op", AskTimeOp, true},
    Row{"time.timeline", AskTimeline, true},
    Row{"graph", AskGraph, true},
    Row{"around", AskAround, true},
    Row{"counts", AskCounts, true},
};

struct CompareRow {
  std::string_view name;
  void (*handle)(CompareRequest&);
};

constexpr std::array kCompareRows = {
    CompareRow{"diff", AskDiff},
    CompareRow{"diff.insts", AskDiffInsts},
    CompareRow{"diff.text", AskDiffText},
    CompareRow{"diff.memory", AskDiffMemory},
    CompareRow{"diff.graph", AskDiffGraph},
};

std::string Failure(std::string_view error) {
  Response response;
  response.Fail(error);
  return response.TakeBlock();
}

}  // namespace

int64_t ViewRequest::Int(std::string_view key, int64_t fallback, int64_t least,
                         int64_t most) const {
  return std::clamp(parameters[key].AsInt(fallback), least, most);
}

InstId ViewRequest::Instruction(std::string_view key) const {
  const int64_t number = parameters[key].AsInt(-1);
  if (number >= 0 && static_cast<uint64_t>(number) < module->module().insts.size()) {
    return InstId(static_cast<uint32_t>(number));
  }
  response.Fail("`" + std::string(key) + "` is not an instruction's number");
  return {};
}

std::string OpcodeName(const Module& module, const Inst& inst) {
  if ((inst.flags & kInstSugar) == 0) return std::string(module.opcode_text(inst));
  const std::string_view suffix = inst.opcode == Opcode::kAsyncStart    ? "-start"
                                  : inst.opcode == Opcode::kAsyncUpdate ? "-update"
                                                                        : "-done";
  return std::string(TextOf(inst.wrapped)) + std::string(suffix);
}

uint32_t ViewHost::Open(Result<SourceBuffer> source, std::string name) {
  return Open(std::make_shared<const Document>(
      ReadDocument(std::move(source), std::move(name), {.keep_source = true})));
}

uint32_t ViewHost::Open(std::shared_ptr<const Document> document) {
  Opened& opened = opened_[++last_];
  opened.document = std::move(document);
  opened.view = std::make_shared<View>(std::vector{opened.document});
  return last_;
}

void ViewHost::Close(uint32_t document) {
  const auto found = opened_.find(document);
  if (found == opened_.end()) return;
  const std::shared_ptr<View>& view = found->second.view;
  if (view == compared_.before || view == compared_.after) compared_ = {};
  opened_.erase(found);
}

View* ViewHost::ViewOf(uint32_t document) {
  const auto found = opened_.find(document);
  return found == opened_.end() ? nullptr : found->second.view.get();
}

bool ViewHost::Pair(uint32_t document, uint32_t with) {
  const auto one = opened_.find(document);
  const auto other = opened_.find(with);
  if (one == opened_.end() || other == opened_.end()) return false;
  const std::shared_ptr<View> old[] = {one->second.view, other->second.view};
  if (old[0] == old[1]) return true;
  std::vector<std::shared_ptr<const Document>> together = old[0]->documents();
  together.insert(together.end(), old[1]->documents().begin(), old[1]->documents().end());
  const auto view = std::make_shared<View>(std::move(together));
  for (auto& [number, opened] : opened_) {
    if (opened.view == old[0] || opened.view == old[1]) opened.view = view;
  }
  return true;
}

ProgramPair* ViewHost::PairOf(const std::shared_ptr<View>& before,
                              const std::shared_ptr<View>& after, const JsonValue& parameters) {
  ModuleView* first = before->module(parameters["module_against"].AsInt(-1));
  ModuleView* second = after->module(parameters["module"].AsInt(-1));
  if (first == nullptr || second == nullptr) return nullptr;
  const bool is_known = compared_.pair && &compared_.pair->before().module == first &&
                        &compared_.pair->after().module == second;
  if (!is_known) {
    compared_ = {before, after,
                 std::make_unique<ProgramPair>(PairedProgram{*before, *first},
                                               PairedProgram{*after, *second})};
  }
  return compared_.pair.get();
}

std::string ViewHost::Ask(uint32_t document, std::string_view request, uint32_t against) {
  const auto found = opened_.find(document);
  if (found == opened_.end()) return Failure("no such document is open");
  const std::optional<JsonValue> parsed = ParseJson(request);
  if (!parsed || !parsed->is_object()) return Failure("the request is not a JSON object");
  const std::string_view name = (*parsed)["ask"].AsString();
  if (name == "pair") {
    const int64_t with = (*parsed)["with"].AsInt(0);
    if (with < 0 || with > UINT32_MAX || !Pair(document, static_cast<uint32_t>(with))) {
      return Failure("no such document is open to pair with");
    }
    return Response().TakeBlock();
  }
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.name == name; });
  const auto compared = std::find_if(kCompareRows.begin(), kCompareRows.end(),
                                     [&](const CompareRow& each) { return each.name == name; });
  if (compared != kCompareRows.end()) {
    const int64_t given = against != 0 ? against : (*parsed)["against"].AsInt(0);
    const auto other = given < 0 || given > UINT32_MAX ? opened_.end()
                                                       : opened_.find(static_cast<uint32_t>(given));
    if (other == opened_.end()) return Failure("no such document is open to compare with");
    for (const auto& each : {other->second.document, found->second.document}) {
      if (each->errors() != 0)
        return Failure("a program that was read with errors is not compared");
    }
    ProgramPair* pair = PairOf(other->second.view, found->second.view, *parsed);
    if (pair == nullptr) return Failure("only modules can be compared");
    Response response;
    ViewRequest second{*found->second.document, *found->second.view, &pair->after().module, *parsed,
                       response};
    CompareRequest asked{second, *other->second.document, *pair};
    compared->handle(asked);
    return response.TakeBlock();
  }
  if (row == kRows.end()) return Failure("no such request: `" + Shortened(name, 40) + "`");
  View& view = *found->second.view;
  ModuleView* module = view.module((*parsed)["module"].AsInt(-1));
  if (row->needs_module && module == nullptr) {
    return Failure("this document holds no module");
  }
  Response response;
  ViewRequest view_request{*found->second.document, view, module, *parsed, response};
  row->handle(view_request);
  return response.TakeBlock();
}

}  // namespace halo::view
