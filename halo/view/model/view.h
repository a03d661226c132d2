// One program as the viewer sees it: the files that describe it (a module, the pieces of its
// assignment), and data derived from them on first use. Results never depend on earlier requests.
#ifndef HALO_VIEW_MODEL_VIEW_H_
#define HALO_VIEW_MODEL_VIEW_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/run_counts.h"
#include "halo/analysis/graph/users.h"
#include "halo/api/document/document.h"
#include "halo/memory/advise/advise.h"
#include "halo/view/model/search_index.h"
#include "halo/view/model/shown_assignment.h"
#include "halo/view/model/shown_time.h"
#include "halo/view/model/signatures.h"
#include "halo/view/model/text_index.h"

namespace halo::view {

// One module with its derived tables.
class ModuleView {
 public:
  // Both must outlive this object.
  ModuleView(const Document& document, const DocumentModule& module);

  [[nodiscard]] const Module& module() const { return module_.module; }
  [[nodiscard]] const Document& document() const { return document_; }
  [[nodiscard]] const DocumentModule& document_module() const { return module_; }

  const Users& users();
  const CallGraph& calls();
  const TextIndex& text();
  SearchIndex& search();
  const std::vector<RunCount>& runs();
  const Signatures& signatures();
  // The instruction that calls a computation: the first of several; none for the entry.
  InstId CallerOf(CompId comp);

 private:
  const Document& document_;
  const DocumentModule& module_;
  std::unique_ptr<Users> users_;
  std::unique_ptr<CallGraph> calls_;
  std::unique_ptr<TextIndex> text_;
  std::unique_ptr<SearchIndex> search_;
  std::unique_ptr<Signatures> signatures_;
  std::vector<RunCount> runs_;
};

// What a time is predicted for; the options of `halo time`.
struct TimeSetting {
  std::string device;             // the one that the module was compiled for if empty
  double links = 0, network = 0;  // bytes per second of a device; the device's own if 0
  int64_t nodes = 0, copies = 0;  // as the program is if 0
  bool operator==(const TimeSetting&) const = default;

  [[nodiscard]] TimeRequest Request() const;
};

class View {
 public:
  explicit View(std::vector<std::shared_ptr<const Document>> documents);

  [[nodiscard]] const std::vector<std::shared_ptr<const Document>>& documents() const {
    return documents_;
  }
  [[nodiscard]] size_t module_count() const { return modules_.size(); }
  // The module of that number; the one with the most instructions for -1. Null if there is none.
  ModuleView* module(int64_t number);
  // Returns true if the files contain an assignment.
  [[nodiscard]] bool has_assignment() const;
  [[nodiscard]] MemoryInputs Inputs() { return InputsOf(documents_, Program(), ProgramPath()); }
  // Returns null, and sets `why`, if there is no such plan.
  const ShownAssignment* Shown(AssignmentSource kind, std::string& why);
  // The same by its name in a request; "advice-N" is the plan that follows entry N of the advice.
  const ShownAssignment* Shown(std::string_view plan, std::string& why);
  // The inputs of a request about the time of a module, profiles included.
  TimeInputs TimeInputsOf(const ModuleView& module);
  [[nodiscard]] std::vector<OpenProfile> Profiles() const;
  // How long a module takes. Returns null, and sets `why`, if that cannot be told.
  ShownTime* Timed(ModuleView& module, const TimeSetting& setting, std::string& why);

 private:
  const ShownAssignment* ShownAdvised(size_t entry, std::string& why);
  // The module that a plan is about; null if there is none.
  const Module* Program();
  std::string_view ProgramPath();

  std::vector<std::shared_ptr<const Document>> documents_;
  std::vector<ModuleView> modules_;
  std::array<std::unique_ptr<ShownAssignment>, 3> plans_;
  std::array<std::string, 3> no_plan_;  // why
  // Computed when first requested: finding advice plans the program many times.
  std::optional<std::vector<Advice>> advice_;
  // The last one that was requested.
  std::unique_ptr<ShownAssignment> advised_;
  size_t advised_entry_ = 0;
  // The last ones that were requested, the latest first.
  struct TimedModule {
    const ModuleView* module;
    TimeSetting setting;
    std::unique_ptr<ShownTime> time;
  };
  std::vector<TimedModule> times_;
};

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_VIEW_H_
