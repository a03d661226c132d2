// A program of another name is taken only if most of what it executed is in the module.
#include "halo/cost/measured/choose_program.h"

#include <algorithm>
#include <string>
#include <vector>

namespace halo {
namespace {

constexpr size_t kMostListed = 5;
constexpr size_t kMostName = 200;  // characters

}  // namespace

std::string ProgramLabel(const ProfileProgram& program) {
  const std::string name = program.name.substr(0, kMostName);
  return program.id ? name + "(" + std::to_string(*program.id) + ")" : name;
}

ProgramChoice ChooseProgram(const Profile& profile, std::span<const InstId> insts,
                            std::string_view name, std::optional<uint64_t> number) {
  struct Score {
    size_t events = 0, known = 0;
  };
  std::vector<Score> scores(profile.programs.size());
  bool any_attributed = false;
  for (const ProfileEvent& event : profile.events) {
    if (event.program == kNoIndex) continue;
    any_attributed |= !profile.programs[event.program].name.empty();
    Score& score = scores[event.program];
    ++score.events;
    if (insts[event.op].valid()) ++score.known;
  }
  ProgramChoice choice;
  if (!any_attributed) {
    choice.takes_unattributed = true;
    choice.why = "the profile names no program";
    return choice;
  }
  const auto best = [&](auto matches) {
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < scores.size(); ++i) {
      if (scores[i].known == 0 || !matches(i)) continue;
      if (!found || scores[i].known > scores[*found].known) found = i;
    }
    return found;
  };
  const auto is_named = [&](uint32_t i) { return profile.programs[i].name == name; };
  choice.program =
      best([&](uint32_t i) { return is_named(i) && number && profile.programs[i].id == number; });
  choice.why = "by name and program id";
  if (choice.program) return choice;
  choice.program = best(is_named);
  choice.why = "by name";
  if (choice.program) return choice;
  choice.program = best([&](uint32_t i) { return scores[i].known * 2 > scores[i].events; });
  choice.why = "by the names of its ops";
  if (choice.program) return choice;
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < scores.size(); ++i) {
    if (scores[i].events > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return scores[a].events != scores[b].events ? scores[a].events > scores[b].events : a < b;
  });
  choice.why = "the profile has events of ";
  for (size_t i = 0; i < std::min(kMostListed, order.size()); ++i) {
    choice.why += (i == 0 ? "" : ", ") + ProgramLabel(profile.programs[order[i]]);
  }
  if (order.size() > kMostListed) {
    choice.why += " and " + std::to_string(order.size() - kMostListed) + " more";
  }
  return choice;
}

}  // namespace halo
