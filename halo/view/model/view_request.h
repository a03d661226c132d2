// One request in progress: the request, the program it is about, and the result being written. Each
// function below handles one request of viewer/protocol.md and is in a separate file.
#ifndef HALO_VIEW_MODEL_VIEW_REQUEST_H_
#define HALO_VIEW_MODEL_VIEW_REQUEST_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "halo/api/check/check_document.h"
#include "halo/base/json/json_reader.h"
#include "halo/view/model/response.h"
#include "halo/view/model/view.h"

namespace halo::view {

struct ViewRequest {
  const Document& document;  // the requested one
  View& view;                // it, and what it is paired with
  ModuleView* module;        // null if there is none
  const JsonValue& parameters;
  Response& response;

  [[nodiscard]] JsonWriter& json() const { return response.json(); }
  [[nodiscard]] int64_t Int(std::string_view key, int64_t fallback, int64_t least,
                            int64_t most) const;
  [[nodiscard]] std::string_view Text(std::string_view key, std::string_view fallback = {}) const {
    return parameters[key].AsString(fallback);
  }
  // The instruction given by number in the request. If it is invalid, fails the result and returns
  // none.
  [[nodiscard]] InstId Instruction(std::string_view key) const;
  // The plan that `plan` names. If there is none, fails the result and returns null.
  [[nodiscard]] const ShownAssignment* Shown() const;
  // The device and the scale that the request is about.
  // Nothing, with the reason in the response, if it is not valid.
  [[nodiscard]] std::optional<TimeSetting> Setting() const;
  // The time of the module on them. If it cannot be told, fails the result and returns null.
  [[nodiscard]] ShownTime* Timed() const;
  // Its timeline, with memory over time as the files or halo plan it.
  [[nodiscard]] const TimelineIndex& Timeline(ShownTime& time) const;
};

// What `halo check` reports about the document; for an empty document, that it has no contents.
CheckedFile CheckOf(const Document& document, const CheckOptions& options);

void AskInfo(ViewRequest& request);
void AskCheck(ViewRequest& request);
void AskMemory(ViewRequest& request);
void AskOverview(ViewRequest& request);
void AskInst(ViewRequest& request);
void AskNames(ViewRequest& request);
void AskText(ViewRequest& request);
void AskTextIndex(ViewRequest& request);
void AskSearch(ViewRequest& request);
void AskTable(ViewRequest& request);
void AskMemoryMap(ViewRequest& request);
void AskMemoryValue(ViewRequest& request);
void AskMemoryAt(ViewRequest& request);
void AskMemoryGroups(ViewRequest& request);
void AskMemoryRange(ViewRequest& request);
void AskDevices(ViewRequest& request);
void AskTime(ViewRequest& request);
void AskTimeDevices(ViewRequest& request);
void AskTimeOps(ViewRequest& request);
void AskTimeGroups(ViewRequest& request);
void AskTimeOp(ViewRequest& request);
void AskTimeline(ViewRequest& request);
void AskGraph(ViewRequest& request);
void AskAround(ViewRequest& request);
void AskCounts(ViewRequest& request);

// The lists that columns about time refer to by number.
void TimeWordsJson(JsonWriter& json);

// The displayed opcode of an instruction: "all-gather-start" also where XLA abbreviates an
// async-start.
std::string OpcodeName(const Module& module, const Inst& inst);

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_VIEW_REQUEST_H_
