// The only file that turns a description into options of CLI11.
#include "tools/halo/session/option_fields.h"

#include <algorithm>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "halo/api/describe/choice_lists.h"
#include "halo/base/strings/byte_size.h"
#include "halo/base/strings/name_list.h"
#include "tools/halo/session/usage_error.h"

namespace halo::tool {
namespace {

std::string OptionName(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<std::string> ChoicesOf(const v0::FieldInfo& field) {
  const std::vector<std::string_view> choices = ChoicesNamed(field.choices);
  return {choices.begin(), choices.end()};
}

bool NamesDevices(const v0::FieldInfo& field) { return field.choices.ends_with("device"); }

// The help shows other choices as the option's value; devices are too many.
std::string HelpOf(const v0::FieldInfo& field) {
  std::string help(field.meaning);
  if (NamesDevices(field)) help += fmt::format(": {}", fmt::join(ChoicesOf(field), ", "));
  return help;
}

CLI::Validator BytesValidator() {
  return {[](const std::string& text) {
            return BytesFromText(text) ? std::string() : "a size is written as 80GiB, 16GB or 4096";
          },
          "SIZE"};
}

CLI::Validator PowerValidator() {
  return {[](const std::string& text) {
            const auto number = BytesFromText(text);
            const bool is_power = number && *number > 0 && (*number & (*number - 1)) == 0;
            return is_power ? std::string() : "must be a power of two";
          },
          "POWER_OF_2"};
}

// A bound as a number of the option's type, which shows it; one beyond the type bounds nothing.
template <class Number>
Number BoundOf(double bound) {
  constexpr Number kMost = std::numeric_limits<Number>::max();
  return bound >= static_cast<double>(kMost) ? kMost : static_cast<Number>(bound);
}

template <class Number>
void CheckNumber(const v0::FieldInfo& field, CLI::Option& option) {
  if (field.least != field.most) {
    option.check(CLI::Range(BoundOf<Number>(field.least), BoundOf<Number>(field.most)));
  }
  if (field.has(v0::FieldFlag::kPowerOfTwo)) option.check(PowerValidator());
}

// Flags that give the value, of which only one may be given.
void AddFlagWords(CLI::App& command, const v0::FieldInfo& field, std::string& value) {
  CLI::Option* before = nullptr;
  for (const v0::FlagWord& word : field.flags) {
    CLI::Option* flag = command.add_flag_callback(
        "--" + std::string(word.flag), [&value, text = std::string(word.value)] { value = text; },
        std::string(word.help));
    if (before != nullptr) flag->excludes(before);
    before = flag;
  }
}

}  // namespace

void BeginOptionGroup(CLI::App& command, std::string_view name) {
  command.option_defaults()->group(std::string(name));
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, bool& value) {
  // A member that is true by default is turned off by a separate flag.
  for (const v0::FlagWord& word : field.flags) {
    command.add_flag_callback(
        "--" + std::string(word.flag), [&value, text = word.value] { value = text == "true"; },
        std::string(word.help));
  }
  if (field.flags.size() != 0) return;
  command.add_flag(OptionName(field.name), value, HelpOf(field));
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::string& value) {
  if (field.flags.size() != 0) {
    AddFlagWords(command, field, value);
    return;
  }
  CLI::Option* option = command.add_option(OptionName(field.name), value, HelpOf(field));
  if (!value.empty()) option->capture_default_str();
  const std::vector<std::string> choices = ChoicesOf(field);
  if (choices.empty()) return;
  if (NamesDevices(field)) {
    option->check([choices](const std::string& name) { return NoSuchDevice(name, choices); });
  } else {
    option->check(CLI::IsMember(choices));
  }
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, double& value) {
  CLI::Option* option =
      command.add_option(OptionName(field.name), value, HelpOf(field))->capture_default_str();
  CheckNumber<double>(field, *option);
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, int64_t& value) {
  CLI::Option* option =
      command.add_option(OptionName(field.name), value, HelpOf(field))->capture_default_str();
  CheckNumber<int64_t>(field, *option);
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::optional<double>& value) {
  CheckNumber<double>(field, *command.add_option(OptionName(field.name), value, HelpOf(field)));
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field,
                      std::optional<int64_t>& value) {
  if (field.unit != v0::Unit::kBytes) {
    CheckNumber<int64_t>(field, *command.add_option(OptionName(field.name), value, HelpOf(field)));
    return;
  }
  command
      .add_option_function<std::string>(
          OptionName(field.name),
          [&value](const std::string& text) { value = BytesFromText(text); }, HelpOf(field))
      ->check(BytesValidator());
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field,
                      std::optional<uint64_t>& value) {
  command.add_option(OptionName(field.name), value, HelpOf(field));
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field,
                      std::vector<std::string>& value) {
  command.add_option_function<std::string>(
      OptionName(field.name), [&value](const std::string& text) { value = SplitNames(text); },
      HelpOf(field));
}

void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::vector<int64_t>& value) {
  command.add_option(OptionName(field.name), value, HelpOf(field))->delimiter(',');
}

}  // namespace halo::tool
