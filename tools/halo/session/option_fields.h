// Options of a command from the description of its request: one for each member, under the heading
// of its group. What the options may be is checked here as well, so that the message names the
// option as the user wrote it.
#ifndef TOOLS_HALO_SESSION_OPTION_FIELDS_H_
#define TOOLS_HALO_SESSION_OPTION_FIELDS_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/describe/traits.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
}

namespace halo::tool {

// Each takes where the value goes, which must outlive the command.
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, bool& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::string& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, double& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, int64_t& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::optional<double>& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::optional<int64_t>& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field,
                      std::optional<uint64_t>& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field,
                      std::vector<std::string>& value);
void AddRequestOption(CLI::App& command, const v0::FieldInfo& field, std::vector<int64_t>& value);
// The heading of the options that follow.
void BeginOptionGroup(CLI::App& command, std::string_view name);

class OptionFields : public v0::FieldVisitor<OptionFields> {
 public:
  // `left_out`: members that this command does not take as options.
  OptionFields(CLI::App& command, std::initializer_list<std::string_view> left_out)
      : command_(command), left_out_(left_out) {}

  void Group(std::string_view name) { BeginOptionGroup(command_, name); }

  template <class T>
  void Field(const v0::FieldInfo& field, T& value) {
    for (const std::string_view each : left_out_) {
      if (each == field.name) return;
    }
    // No command takes an index in a file.
    if constexpr (!std::same_as<T, uint32_t>) AddRequestOption(command_, field, value);
  }

 private:
  CLI::App& command_;
  std::vector<std::string_view> left_out_;
};

class FindMeaning : public v0::FieldVisitor<FindMeaning> {
 public:
  explicit FindMeaning(std::string_view name) : name_(name) {}
  template <class T>
  void Field(const v0::FieldInfo& field, T& /*value*/) {
    if (field.name == name_) meaning = field.meaning;
  }
  std::string meaning;

 private:
  std::string_view name_;
};

// The help of a member whose option a command defines itself, because it may be given several
// times.
template <describe::Described T>
std::string MeaningOf(std::string_view name) {
  T example;
  FindMeaning find(name);
  Fields(find, example);
  return find.meaning;
}

// Adds the options of a request, which must outlive the command.
template <describe::Described T>
void AddRequestOptions(CLI::App& command, T& request,
                       std::initializer_list<std::string_view> left_out = {}) {
  OptionFields options(command, left_out);
  Fields(options, request);
}

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_OPTION_FIELDS_H_
