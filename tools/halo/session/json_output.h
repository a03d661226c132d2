// One JSON document per process with --json: the command's own, or one about the error that
// prevented it.
#ifndef TOOLS_HALO_SESSION_JSON_OUTPUT_H_
#define TOOLS_HALO_SESSION_JSON_OUTPUT_H_

#include <span>
#include <string>
#include <string_view>

#include "tools/halo/session/session.h"

namespace halo::tool {

inline constexpr DiagCode kWrongUsage{"wrong-usage", Severity::kError, ""};
inline constexpr DiagCode kCannotWrite{"cannot-write", Severity::kError, ""};
inline constexpr DiagCode kCannotListen{"cannot-listen", Severity::kError, ""};
inline constexpr DiagCode kNoProcess{"no-process", Severity::kError, ""};
inline constexpr DiagCode kNoEngine{"no-engine", Severity::kError, ""};
inline constexpr DiagCode kCannotJoin{"cannot-join", Severity::kError, ""};
inline constexpr DiagCode kNoSandbox{"no-sandbox", Severity::kError, ""};

// True if the command line requests JSON; for lines that CLI11 has rejected.
bool WantsJson(std::string_view command, std::span<const std::string> arguments);

// Prints the command's document. The first one counts.
void PrintJson(std::string_view document, Session& session);

// Prints a message about the command line or the output to standard error, and remembers it for the
// document. The process will exit as with wrong usage.
void Refuse(const DiagCode& code, std::string_view message, Session& session);
// The same with a hint for people on the next line.
void RefuseWithHint(const DiagCode& code, std::string_view message, std::string_view hint,
                    Session& session);

// Remembers an error that has been printed.
void Remember(const Diagnostic& why, std::string_view path, Session& session);

// With --json: prints halo.error.v1 if the command has printed no document.
void FinishJson(std::string_view command, Session& session);

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_JSON_OUTPUT_H_
