// One request in progress: the request, the program it is about, and the result being written. Each
// function below handles one request of viewer/protocol.md and is in a separate file.
#ifndef HALO_VIEW_MODEL_QUESTION_H_
#define HALO_VIEW_MODEL_QUESTION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "halo/api/check/check_document.h"
#include "halo/base/json/json_reader.h"
#include "halo/view/model/answer.h"
#include "halo/view/model/view.h"

namespace halo::view {

struct Question {
  const Document& document;  // the requested one
  View& view;                // it, and what it is paired with
  ModuleView* module;        // null if there is none
  const JsonValue& request;
  Answer& answer;

  [[nodiscard]] JsonWriter& json() const { return answer.json(); }
  [[nodiscard]] int64_t Int(std::string_view key, int64_t fallback, int64_t least,
                            int64_t most) const;
  [[nodiscard]] std::string_view Text(std::string_view key, std::string_view fallback = {}) const {
    return request[key].AsString(fallback);
  }
  // The instruction given by number in the request. If it is invalid, fails the result and returns
  // none.
  [[nodiscard]] InstId Instruction(std::string_view key) const;
  // The plan that `plan` names. If there is none, fails the result and returns null.
  [[nodiscard]] const ShownAssignment* Shown() const;
};

// What `halo check` reports about the document; for an empty document, that it has no contents.
CheckedFile CheckOf(const Document& document, const CheckOptions& options);

void AskInfo(Question& question);
void AskCheck(Question& question);
void AskMemory(Question& question);
void AskOverview(Question& question);
void AskInst(Question& question);
void AskNames(Question& question);
void AskText(Question& question);
void AskTextIndex(Question& question);
void AskSearch(Question& question);
void AskTable(Question& question);
void AskMemoryMap(Question& question);
void AskMemoryValue(Question& question);
void AskMemoryAt(Question& question);
void AskMemoryGroups(Question& question);
void AskGraph(Question& question);
void AskAround(Question& question);

// The displayed opcode of an instruction: "all-gather-start" also where XLA abbreviates an
// async-start.
std::string OpcodeName(const Module& module, const Inst& inst);

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_QUESTION_H_
