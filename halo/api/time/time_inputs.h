// The files behind a request about time: one module, and what a dump says next to it about the
// device and about measured products.
#ifndef HALO_API_TIME_TIME_INPUTS_H_
#define HALO_API_TIME_TIME_INPUTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/document/document.h"

namespace halo {

// A text that belongs to the module, such as autotune_results.pbtxt.
struct TimeText {
  std::string path;
  std::string text;
};

struct TimeInputs {
  std::vector<Document> documents;
  const Module* module = nullptr;  // owned by one of the documents, or by one that outlives this
  std::string module_path;
  std::optional<TimeText> autotune, target_config;
  Diagnostics diagnostics;  // about the files together

  [[nodiscard]] bool ok() const;
};

// Takes a text by its file's name; false if it is none of these.
bool TakeTimeText(const std::string& path, std::string_view bytes, TimeInputs& inputs);

// Names that XLA gives the texts of a module, next to its file, whether they exist or not; empty if
// the file is not named as in a dump.
std::vector<std::string> TimeTextNames(std::string_view path);

// Looks for the texts next to the module's file, unless they are known already.
void FindTimeTexts(TimeInputs& inputs);

// `paths` may name the texts as well; otherwise they are looked for next to the module.
TimeInputs OpenTimeInputs(const std::vector<std::string>& paths, const OpenOptions& options);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_INPUTS_H_
