// Derived data is computed once and cached.
#include "halo/view/model/view.h"

#include <algorithm>
#include <charconv>

#include "halo/api/document/embedded_assignment.h"
#include "halo/profile/read_profile.h"

namespace halo::view {
namespace {

// For each heap; kept short because a user is waiting.
constexpr double kRepackSeconds = 2;

// Devices that one compares.
constexpr size_t kKeptTimes = 3;

}  // namespace

ModuleView::ModuleView(const Document& document, const DocumentModule& module)
    : document_(document), module_(module) {}

const Users& ModuleView::users() {
  if (!users_) users_ = std::make_unique<Users>(module());
  return *users_;
}

const CallGraph& ModuleView::calls() {
  if (!calls_) calls_ = std::make_unique<CallGraph>(module());
  return *calls_;
}

const TextIndex& ModuleView::text() {
  if (!text_) {
    const bool whole = document_.kind == FileKind::kHloText && document_.source;
    text_ = std::make_unique<TextIndex>(module(),
                                        whole ? document_.source->bytes() : std::string_view());
  }
  return *text_;
}

SearchIndex& ModuleView::search() {
  if (!search_) search_ = std::make_unique<SearchIndex>(module());
  return *search_;
}

const std::vector<RunCount>& ModuleView::runs() {
  if (runs_.empty()) runs_ = CountRuns(module());
  return runs_;
}

const Signatures& ModuleView::signatures() {
  if (!signatures_) signatures_ = std::make_unique<Signatures>(module(), calls());
  return *signatures_;
}

InstId ModuleView::CallerOf(CompId comp) {
  const std::span<const InstId> callers = calls().callers(comp);
  return callers.empty() ? InstId() : callers.front();
}

View::View(std::vector<std::shared_ptr<const Document>> documents)
    : documents_(std::move(documents)) {
  const auto is_profile = [](const auto& each) { return each->kind == FileKind::kXSpace; };
  // Beside a module, a profile tells what was measured, not which programs there are.
  const bool beside = std::any_of(documents_.begin(), documents_.end(), [&](const auto& document) {
    return !is_profile(document) && !document->modules.empty();
  });
  for (const auto& document : documents_) {
    if (beside && is_profile(document)) continue;
    for (const DocumentModule& module : document->modules) modules_.emplace_back(*document, module);
  }
}

bool View::has_assignment() const {
  return std::any_of(documents_.begin(), documents_.end(), [](const auto& document) {
    if (std::any_of(document->modules.begin(), document->modules.end(), HasEmbeddedAssignment)) {
      return true;
    }
    return document->memory && !document->memory->report &&
           document->memory->pieces.has(AssignmentPiece::kAllocations);
  });
}

const Module* View::Program() {
  ModuleView* largest = module(-1);
  return largest == nullptr ? nullptr : &largest->module();
}

std::string_view View::ProgramPath() {
  ModuleView* largest = module(-1);
  return largest == nullptr ? std::string_view() : largest->document().path;
}

const ShownAssignment* View::Shown(AssignmentSource kind, std::string& why) {
  const auto slot = static_cast<size_t>(kind);
  if (!plans_[slot] && no_plan_[slot].empty()) {
    MemoryRequest request;
    request.advice = AdviceDepth::kNone;
    request.plan = kind == AssignmentSource::kPlanned;
    request.repack = kind == AssignmentSource::kPacked;
    request.repack_seconds = kRepackSeconds;
    // Without a program to check, the assignment can still be checked.
    request.check = kind == AssignmentSource::kDumped && Program() == nullptr;
    if (kind == AssignmentSource::kDumped && !has_assignment()) {
      no_plan_[slot] = "these files hold no assignment";
    } else {
      MemoryResult result = AnalyzeMemory(request, Inputs());
      if (result.succeeded) {
        // A module that is not scheduled is planned in an order chosen by halo, with the same
        // names.
        plans_[slot] = std::make_unique<ShownAssignment>(std::move(result), Program());
      } else {
        no_plan_[slot] = WhyNoResult(result);
      }
    }
  }
  why = no_plan_[slot];
  return plans_[slot].get();
}

const ShownAssignment* View::Shown(std::string_view plan, std::string& why) {
  if (const auto kind = AssignmentSourceFromText(plan)) return Shown(*kind, why);
  constexpr std::string_view kAdvised = "advice-";
  size_t entry = 0;
  if (plan.starts_with(kAdvised)) {
    const std::string_view number = plan.substr(kAdvised.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), entry);
    if (error == std::errc() && end == number.data() + number.size()) {
      return ShownAdvised(entry, why);
    }
  }
  why = "no such plan: it is one of dumped, planned, packed, advice-N";
  return nullptr;
}

const ShownAssignment* View::ShownAdvised(size_t entry, std::string& why) {
  if (advised_ && advised_entry_ == entry) return advised_.get();
  if (!advice_) {
    MemoryResult all = AnalyzeMemory({}, Inputs());
    if (!all.succeeded) {
      why = WhyNoResult(all);
      return nullptr;
    }
    advice_ = std::move(all.advice);
  }
  if (entry >= advice_->size()) {
    why = "there is no advice of this number";
    return nullptr;
  }
  MemoryRequest request;
  request.advice = AdviceDepth::kNone;
  request.change = (*advice_)[entry].change;
  MemoryResult result = AnalyzeMemory(request, Inputs());
  if (!result.succeeded) {
    why = WhyNoResult(result);
    return nullptr;
  }
  advised_ = std::make_unique<ShownAssignment>(std::move(result), Program());
  advised_entry_ = entry;
  return advised_.get();
}

TimeInputs View::TimeInputsOf(const ModuleView& module) {
  TimeInputs inputs;
  inputs.module = &module.module();
  inputs.module_path = module.document().path;
  for (const auto& document : documents_) {
    // What is wrong with other files does not matter here.
    if (document.get() == &module.document()) inputs.documents.push_back(DescriptionOf(*document));
    if (document->source) TakeTimeText(document->path, document->source->bytes(), inputs);
  }
  if (inputs.ok()) FindTimeTexts(inputs);
  return inputs;
}

std::vector<OpenProfile> View::Profiles() const {
  std::vector<OpenProfile> profiles;
  for (const auto& document : documents_) {
    const bool other = document->kind != FileKind::kXSpace && !document->modules.empty();
    if (other || document->memory || !document->source) continue;
    const std::string_view bytes = document->source->bytes();
    if (LooksLikeProfile(bytes)) profiles.push_back({document->path, bytes});
  }
  return profiles;
}

TimeRequest TimeSetting::Request() const {
  TimeRequest request;
  request.device = device;
  request.links = links;
  request.network = network;
  request.nodes = nodes;
  request.copies = copies;
  return request;
}

ShownTime* View::Timed(ModuleView& module, const TimeSetting& setting, std::string& why) {
  const auto found = std::find_if(times_.begin(), times_.end(), [&](const TimedModule& each) {
    return each.module == &module && each.setting == setting;
  });
  if (found != times_.end()) {
    std::rotate(times_.begin(), found, found + 1);
    return times_.front().time.get();
  }
  TimeRequest request = setting.Request();
  request.advise = false;
  request.open_profiles = Profiles();
  TimeResult result = AnalyzeTime(request, TimeInputsOf(module));
  std::string profile_problem;
  if (!result.succeeded && !request.open_profiles.empty()) {
    profile_problem = WhyNoTime(result);
    request.open_profiles.clear();
    result = AnalyzeTime(request, TimeInputsOf(module));
  }
  if (!result.succeeded) {
    why = WhyNoTime(result);
    return nullptr;
  }
  if (times_.size() == kKeptTimes) times_.pop_back();
  times_.insert(times_.begin(),
                {&module, setting,
                 std::make_unique<ShownTime>(std::move(result), std::move(profile_problem))});
  return times_.front().time.get();
}

ModuleView* View::module(int64_t number) {
  if (number >= 0) {
    return static_cast<uint64_t>(number) < modules_.size() ? &modules_[static_cast<size_t>(number)]
                                                           : nullptr;
  }
  const auto largest =
      std::max_element(modules_.begin(), modules_.end(), [](const auto& a, const auto& b) {
        return a.module().insts.size() < b.module().insts.size();
      });
  return largest == modules_.end() ? nullptr : &*largest;
}

}  // namespace halo::view
