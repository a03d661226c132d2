// A path is split at the last part that exists; only a regular file may be followed by more.
#include "halo/mcp/files/roots.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo::mcp {
namespace {

namespace fs = std::filesystem;

bool IsBelow(const std::string& path, const std::string& folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool HasDots(const fs::path& path) {
  return std::any_of(path.begin(), path.end(),
                     [](const fs::path& part) { return part == ".." || part == "."; });
}

Diagnostic Refusal(std::string message, std::string help) {
  Diagnostic why = MakeBinaryDiagnostic(diag::kCannotOpen, 0, std::move(message));
  why.help = std::move(help);
  return why;
}

Diagnostic Outside(std::string_view given) {
  return Refusal(std::string(given) + " is not below the folders that this server may read",
                 "ask `list` without a path for what may be read; a folder is added by starting "
                 "the server with --root FOLDER");
}

// The resolved path; empty if nothing of that name exists below the folder, `outside` if it leads
// out.
std::string ResolveBelow(const std::string& folder, const fs::path& path, bool& outside) {
  std::error_code failed;
  fs::path existing = path;
  fs::path member;
  while (!fs::exists(existing, failed)) {
    if (failed && failed != std::errc::no_such_file_or_directory &&
        failed != std::errc::not_a_directory) {
      return {};
    }
    const fs::path parent = existing.parent_path();
    if (parent == existing || parent.empty()) return {};
    member = member.empty() ? existing.filename() : existing.filename() / member;
    existing = parent;
  }
  const std::string real = fs::canonical(existing, failed).string();
  if (failed) return {};
  if (!IsBelow(real, folder)) {
    outside = true;
    return {};
  }
  if (member.empty()) return real;
  if (!fs::is_regular_file(real, failed) || HasDots(member)) return {};
  return real + "/" + member.string();
}

}  // namespace

Result<Roots> Roots::Make(std::span<const std::string> folders) {
  Roots roots;
  for (const std::string& folder : folders) {
    std::error_code failed;
    const std::string real = fs::canonical(folder, failed).string();
    if (failed || !fs::is_directory(real, failed)) {
      return Refusal(folder + " is not a folder", "name a folder that exists");
    }
    if (std::find(roots.folders_.begin(), roots.folders_.end(), real) == roots.folders_.end()) {
      roots.folders_.push_back(real);
    }
  }
  if (roots.folders_.empty()) return Refusal("no folder is named", "name one with --root");
  return roots;
}

Result<std::string> Roots::Resolve(std::string_view given) const {
  if (given.find('\0') != std::string_view::npos || given.size() > 4096) {
    return Refusal("this is not a path", "ask `list` for the paths of programs");
  }
  if (given.empty()) return folders_.front();
  const fs::path path = fs::path(given).lexically_normal();
  bool outside = false;
  for (const std::string& folder : folders_) {
    const fs::path below = path.is_absolute() ? path : (fs::path(folder) / path).lexically_normal();
    bool leads_out = !IsBelow(below.string(), folder);
    if (leads_out && !path.is_absolute()) {
      outside = true;
      continue;
    }
    // An absolute path may reach the folder through a link.
    std::string found = ResolveBelow(folder, below, leads_out);
    if (!found.empty()) return found;
    outside |= leads_out;
  }
  const bool all_outside =
      path.is_absolute() && std::none_of(folders_.begin(), folders_.end(), [&](const auto& folder) {
        return IsBelow(path.string(), folder);
      });
  if (outside || all_outside) return Outside(given);
  return Refusal("there is no file " + std::string(given),
                 "ask `list` for the programs that can be opened");
}

bool Roots::Contains(const std::string& path) const {
  for (const std::string& folder : folders_) {
    bool ignored = false;
    if (!ResolveBelow(folder, fs::path(path).lexically_normal(), ignored).empty()) return true;
  }
  return false;
}

std::string Roots::Shown(std::string_view path) const {
  if (folders_.size() != 1) return std::string(path);
  const std::string& folder = folders_.front();
  if (path == folder) return ".";
  if (IsBelow(std::string(path), folder)) path.remove_prefix(folder == "/" ? 1 : folder.size() + 1);
  return std::string(path);
}

}  // namespace halo::mcp
