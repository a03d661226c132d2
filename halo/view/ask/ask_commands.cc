// `info`, `check` and `memory`: exactly the results of the commands, from files that are already
// open.
#include "halo/api/info/file_info.h"
#include "halo/api/memory/memory.h"
#include "halo/memory/backend/device.h"
#include "halo/view/model/question.h"

namespace halo::view {
namespace {

MemoryQuestion MemoryQuestionOf(const JsonValue& request) {
  MemoryQuestion question;
  question.plan = request["plan"].AsBool(false);
  question.drop_alias = request["drop_alias"].AsBool(false);
  question.donate = request["donate"].AsInts();
  question.device = request["device"].AsString();
  if (!request["backend"].is_null()) {
    question.backend = BackendFromName(std::string(request["backend"].AsString()));
  }
  if (!request["alignment"].is_null()) question.alignment = request["alignment"].AsInt(1);
  if (!request["capacity"].is_null()) question.capacity = request["capacity"].AsInt(0);
  if (!request["at"].is_null()) question.explain.at = request["at"].AsInt(0);
  question.explain.around = request["around"].AsString();
  question.explain.by = GroupByFromText(request["by"].AsString("scope")).value_or(GroupBy::kScope);
  question.check = request["check"].AsBool(false);
  question.repack = request["repack"].AsBool(false);
  question.repack_seconds = request["seconds"].AsDouble(10);
  const std::string_view advice = request["advice"].AsString("quick");
  if (advice == "thorough") question.advice = AdviceDepth::kThorough;
  if (advice == "none" || question.repack) question.advice = AdviceDepth::kNone;
  return question;
}

}  // namespace

CheckedFile CheckOf(const Document& document, const CheckOptions& options) {
  if (!document.modules.empty() || document.memory) return CheckDocument(document, options);
  Document empty = DescriptionOf(document);
  RequireContents(empty);
  return CheckDocument(empty, options);
}

void AskInfo(Question& question) {
  const FileInfo info = DescribeFile(
      question.document, {.largest = static_cast<size_t>(question.Int("largest", 10, 0, 1000))});
  question.json().Key("answer").Raw(InfoJson({&info, 1}));
}

void AskCheck(Question& question) {
  CheckOptions options;
  options.warnings = question.request["warnings"].AsBool(true);
  options.rules = question.request["rules"].AsBool(true);
  const CheckedFile checked = CheckOf(question.document, options);
  question.json().Key("answer").Raw(CheckJson({&checked, 1}));
}

void AskMemory(Question& question) {
  const MemoryQuestion asked = MemoryQuestionOf(question.request);
  if (asked.alignment && (*asked.alignment <= 0 || (*asked.alignment & (*asked.alignment - 1)))) {
    question.answer.Fail("an alignment must be a power of two");
    return;
  }
  if (!asked.device.empty() && FindMemoryDevice(asked.device) == nullptr) {
    question.answer.Fail("no such device");
    return;
  }
  if (question.view.module_count() > 1 && question.request["module"].is_null()) {
    question.answer.Fail("one program at a time: these files hold several modules");
    return;
  }
  const MemoryAnswer answer = AnswerMemory(asked, question.view.Inputs());
  if (!answer.has_answer) {
    question.answer.Fail(WhyNoAnswer(answer));
    return;
  }
  const auto top = static_cast<size_t>(question.Int("top", 10, 1, 100'000));
  question.json().Key("answer").Raw(MemoryJson(answer, top));
}

}  // namespace halo::view
