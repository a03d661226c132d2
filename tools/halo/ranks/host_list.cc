// Accepts only names that mpirun and a remote shell pass on unchanged.
#include "tools/halo/ranks/host_list.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unistd.h>

#include <fmt/format.h>

namespace halo::tool {
namespace {

constexpr int64_t kMostRanksOfHost = 4096;
constexpr size_t kLongestName = 253;  // of a domain name

bool IsHostName(std::string_view name) {
  const auto is_allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kLongestName && name[0] != '-' && name[0] != '.' &&
         std::ranges::all_of(name, is_allowed);
}

}  // namespace

int64_t HostList::ranks() const {
  int64_t sum = 0;
  for (const RankHost& host : hosts) sum += host.ranks;
  return sum;
}

std::string HostList::Text() const {
  std::string text;
  for (const RankHost& host : hosts) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", host.name, host.ranks);
  }
  return text;
}

HostList ParseHosts(std::string_view text) {
  HostList list;
  while (true) {
    const std::string_view entry = text.substr(0, text.find(','));
    const size_t colon = entry.find(':');
    RankHost host{.name = std::string(entry.substr(0, colon))};
    if (!IsHostName(host.name)) {
      list.problem = fmt::format("'{}' is not the name of a host", host.name);
      return list;
    }
    if (colon != std::string_view::npos) {
      const std::string_view number = entry.substr(colon + 1);
      const char* end = number.data() + number.size();
      const auto [stop, failed] = std::from_chars(number.data(), end, host.ranks);
      if (failed != std::errc() || stop != end || host.ranks < 1 || host.ranks > kMostRanksOfHost) {
        list.problem =
            fmt::format("'{}' is not a number of ranks from 1 to {}", number, kMostRanksOfHost);
        return list;
      }
    }
    if (std::ranges::find(list.hosts, host.name, &RankHost::name) != list.hosts.end()) {
      list.problem = fmt::format("'{}' is specified more than once", host.name);
      return list;
    }
    list.hosts.push_back(std::move(host));
    if (entry.size() == text.size()) return list;
    text.remove_prefix(entry.size() + 1);
  }
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace halo::tool
