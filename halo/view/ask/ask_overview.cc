// `overview`: what the program is, the main questions at a glance, and warnings.
#include <algorithm>
#include <map>
#include <utility>

#include "halo/api/info/collective_info.h"
#include "halo/api/info/file_info.h"
#include "halo/base/strings/human_size.h"
#include "halo/describe/write_json.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

// Planning a larger module takes longer than an overview may.
constexpr size_t kPlanAtOnce = 100'000;
constexpr size_t kWarnings = 50;

void Figure(std::string_view name, int64_t value, std::string_view unit, JsonWriter& json) {
  json.BeginObject().Field("name", name).Field("value", value).Field("unit", unit).EndObject();
}

void Begin(std::string_view name, std::string_view asks, bool answered, std::string_view headline,
           JsonWriter& json) {
  json.BeginObject()
      .Field("name", name)
      .Field("asks", asks)
      .Field("answered", answered)
      .Field("headline", headline);
  json.Key("figures").BeginArray();
}

void End(std::string_view view, std::string_view of, JsonWriter& json) {
  json.EndArray().Key("look").BeginObject().Field("view", view);
  if (!of.empty()) json.Field("of", of);
  json.EndObject().EndObject();
}

void Fits(ViewRequest& request, JsonWriter& json) {
  std::string why = request.module == nullptr
                        ? "needs a module or a buffer assignment"
                        : "the module is large; open the memory view to plan it";
  const ShownAssignment* plan = nullptr;
  if (request.view.has_assignment()) {
    plan = request.view.Shown(AssignmentSource::kDumped, why);
  } else if (request.module != nullptr && request.module->module().insts.size() <= kPlanAtOnce) {
    plan = request.view.Shown(AssignmentSource::kPlanned, why);
  }
  if (plan == nullptr) {
    Begin("fits", "Does it fit?", false, why, json);
    End("memory", {}, json);
    return;
  }
  const MemoryExplanation& all = plan->result.explanation;
  std::string headline = HumanBytes(all.device_bytes) + " of device memory";
  if (plan->result.is_planned) headline += ", as halo plans it";
  if (all.has_times && !all.peak_instruction.empty()) {
    headline += "; peak at " + Shortened(all.peak_instruction, 80);
  }
  Begin("fits", "Does it fit?", true, headline, json);
  Figure("device memory", all.device_bytes, "bytes", json);
  if (all.has_times) Figure("peak", all.peak_bytes, "bytes", json);
  for (size_t kind = 0; kind < kMemoryKinds; ++kind) {
    if (all.by_kind[kind] == 0) continue;
    Figure(MemoryKindText(static_cast<MemoryKind>(kind)), all.by_kind[kind], "bytes", json);
  }
  if (all.donated != 0) Figure("donated", all.donated_bytes, "bytes", json);
  End("memory", {}, json);
}

// Without a module there is no program to check; the assignment is checked on its own.
void RightWithoutModule(ViewRequest& request, JsonWriter& json) {
  std::string why;
  const ShownAssignment* plan =
      request.view.has_assignment() ? request.view.Shown(AssignmentSource::kDumped, why) : nullptr;
  if (plan == nullptr || !plan->result.findings) {
    Begin("right", "Is it right?", false, "only a module can be checked", json);
    End("text", {}, json);
    return;
  }
  const AssignmentFindings& found = *plan->result.findings;
  const CheckCoverage& coverage = found.coverage;
  std::string headline = "no two live values share memory";
  if (!found.ok()) {
    headline = Counted(static_cast<int64_t>(found.total), "error") +
               " in the assignment, such as " + std::string(TextOf(found.findings.front().kind));
  } else if (!coverage.live_ranges) {
    headline = "every value fits its allocation; the file has no live ranges";
  }
  Begin("right", "Is it right?", true, headline + "; the program itself is not in this file", json);
  Figure("errors in the assignment", static_cast<int64_t>(found.total), "", json);
  Figure("values placed", static_cast<int64_t>(coverage.values), "", json);
  Figure("pairs sharing bytes", static_cast<int64_t>(coverage.pairs), "", json);
  if (coverage.unproven_pairs != 0) {
    Figure("pairs not checked", static_cast<int64_t>(coverage.unproven_pairs), "", json);
  }
  End("memory", {}, json);
}

void Right(const CheckedFile& checked, JsonWriter& json) {
  std::string headline = "no errors or warnings";
  if (checked.errors != 0 || checked.warnings != 0) {
    headline = Counted(static_cast<int64_t>(checked.errors), "error") + ", " +
               Counted(static_cast<int64_t>(checked.warnings), "warning");
  }
  Begin("right", "Is it right?", true, headline, json);
  Figure("errors", static_cast<int64_t>(checked.errors), "", json);
  Figure("warnings", static_cast<int64_t>(checked.warnings), "", json);
  End("text", {}, json);
}

std::string ShareOf(double part, double whole) {
  return std::to_string(static_cast<int64_t>(part / whole * 100 + 0.5)) + "%";
}

// The end of a scope, which tells more than its beginning.
std::string LastParts(std::string_view scope) {
  constexpr size_t kMost = 40;
  if (scope.size() <= kMost) return std::string(scope);
  const size_t slash = scope.find('/', scope.size() - kMost);
  return slash == std::string_view::npos ? Shortened(scope, kMost)
                                         : "…" + std::string(scope.substr(slash));
}

// The step as `halo time` predicts it: its length, what limits it, what takes most of it.
void Fast(ViewRequest& request, JsonWriter& json) {
  std::string why = request.module == nullptr
                        ? "needs a module"
                        : "the module is large; open the time view to predict it";
  const bool at_once =
      request.module != nullptr && request.module->module().insts.size() <= kPlanAtOnce;
  const ShownTime* time = at_once ? request.view.Timed(*request.module, {}, why) : nullptr;
  if (time == nullptr || time->result().step.serial <= 0) {
    if (time != nullptr) why = time->result().verdict;
    Begin("fast", "Is it fast?", false, why, json);
    End("time", {}, json);
    return;
  }
  const TimeResult& result = time->result();
  const StepTime& step = result.step;
  std::string headline =
      "about " + HumanSeconds(step.estimate) + " per step on " + result.device.name;
  if (!result.device_is_certain) headline += ", which is assumed";
  const auto bound =
      std::find_if(result.bounds.begin(), result.bounds.end(),
                   [](const TimeGroup& each) { return each.count > 0 && each.name != "nothing"; });
  if (bound != result.bounds.end()) {
    headline += "; " + ShareOf(bound->seconds, step.serial) + " bound by " + bound->name;
  }
  if (!result.scopes.empty() && !result.scopes.front().name.empty()) {
    headline += "; most in " + LastParts(result.scopes.front().name) + ", " +
                ShareOf(result.scopes.front().seconds, step.serial);
  }
  if (result.measured) headline += "; measured " + HumanSeconds(result.measured->join.step_seconds);
  Begin("fast", "Is it fast?", true, headline, json);
  const auto figure = [&](std::string_view name, double seconds) {
    json.BeginObject().Field("name", name).Field("value", seconds).Field("unit", "seconds");
    json.EndObject();
  };
  figure("estimate", step.estimate);
  figure("floor", step.floor);
  figure("nothing overlaps", step.serial);
  if (step.exposed + step.hidden > 0) figure("exposed communication", step.exposed);
  End("time", {}, json);
}

// A list of InfoCount or InfoSize, of limited length.
template <class Tally>
void Tallies(std::string_view key, const std::vector<Tally>& tallies, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (size_t i = 0; i < std::min<size_t>(tallies.size(), 30); ++i) {
    Tally shown = tallies[i];
    shown.name = Shortened(shown.name, 200);
    describe::WriteObject(shown, json);
  }
  json.EndArray();
}

struct NoteShown {
  const CheckNote* note;
  InstId inst;        // what it is about, if the shown module has it
  int64_t bytes = 0;  // of that
};

// Errors first; then what is about the most bytes.
std::vector<NoteShown> SortedNotes(const CheckedFile& checked, const Module* module) {
  std::vector<NoteShown> notes;
  std::multimap<std::pair<std::string_view, std::string_view>, size_t> wanted;
  for (const CheckNote& note : checked.notes) {
    if (!note.instruction.empty()) {
      wanted.emplace(
          std::pair(std::string_view(note.computation), std::string_view(note.instruction)),
          notes.size());
    }
    notes.push_back({&note, {}, 0});
  }
  if (module != nullptr && !wanted.empty()) {
    for (uint32_t i = 0; i < module->insts.size(); ++i) {
      const Inst& inst = module->insts[i];
      const std::string_view comp = module->text(module->comp(inst.parent).name);
      const auto [begin, end] = wanted.equal_range({comp, module->name_of(inst)});
      for (auto at = begin; at != end; ++at) {
        notes[at->second].inst = InstId(i);
        notes[at->second].bytes = module->shapes.ByteSize(ResultShape(*module, inst)).value_or(0);
      }
    }
  }
  std::sort(notes.begin(), notes.end(), [](const NoteShown& a, const NoteShown& b) {
    const bool is_error = a.note->diagnostic.severity == Severity::kError;
    const bool other = b.note->diagnostic.severity == Severity::kError;
    if (is_error != other) return is_error;
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.note < b.note;
  });
  return notes;
}

void Warnings(const CheckedFile& checked, const Module* module, JsonWriter& json) {
  const std::vector<NoteShown> notes = SortedNotes(checked, module);
  json.Key("warnings").BeginArray();
  for (size_t i = 0; i < std::min(notes.size(), kWarnings); ++i) {
    const CheckNote& note = *notes[i].note;
    json.BeginObject()
        .Field("severity", note.diagnostic.severity == Severity::kError ? "error" : "warning")
        .Field("code", note.label())
        .Field("message", Shortened(note.diagnostic.message, 1000))
        .Field("help", note.diagnostic.help)
        .Field("instruction", Shortened(note.instruction, 300))
        .Field("inst", notes[i].inst.value)
        .Field("bytes", notes[i].bytes)
        .Field("line", static_cast<int64_t>(note.diagnostic.location.line) - 1)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace

void AskOverview(ViewRequest& request) {
  JsonWriter& json = request.json();
  const Document& document = request.document;
  json.Field("path", Shortened(document.path, 1000))
      .Field("kind", TextOf(document.kind))
      .Field("kind_in_words", DescribeKind(document.kind))
      .Field("bytes", document.bytes)
      .Field("modules", request.view.module_count())
      .Field("has_assignment", request.view.has_assignment());
  std::optional<v0::InfoModule> info;
  if (request.module != nullptr) {
    info = DescribeModule(request.module->document(), request.module->document_module());
    json.Field("name", Shortened(info->name, 1000))
        .Field("generation", info->generation.is)
        .Field("generation_why", info->generation.why)
        .Field("backend", info->backend.is)
        .Field("backend_why", info->backend.why)
        .Field("scheduled", info->scheduled)
        .Field("replicas", info->replica_count)
        .Field("partitions", info->num_partitions);
    json.Key("counts")
        .BeginObject()
        .Field("computations", info->computations)
        .Field("instructions", info->instructions)
        .Field("entry_instructions", info->entry_instructions)
        .Field("fused_instructions", info->fused_instructions)
        .Field("parameters", info->parameters.size())
        .Field("outputs", info->outputs.size())
        .Field("parameter_bytes", info->parameter_bytes)
        .Field("output_bytes", info->output_bytes)
        .Field("constant_bytes", info->constant_bytes)
        .EndObject();
    Tallies("opcodes", info->opcodes, json);
    Tallies("dtypes", info->dtypes, json);
    Tallies("custom_calls", info->custom_calls, json);
    json.Field("entry", request.module->module().entry.value);
  }
  const CheckedFile checked = CheckOf(document, CheckOptions());
  json.Key("questions").BeginArray();
  Fits(request, json);
  if (checked.modules != 0) {
    Right(checked, json);
  } else {
    RightWithoutModule(request, json);
  }
  Fast(request, json);
  json.EndArray();
  Warnings(checked, request.module == nullptr ? nullptr : &request.module->module(), json);
}

}  // namespace halo::view
