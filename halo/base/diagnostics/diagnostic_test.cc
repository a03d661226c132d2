// The location of a diagnostic, the excerpt it shows, and how many are kept.
#include "halo/base/diagnostics/diagnostic.h"

#include <string>

#include <gtest/gtest.h>

namespace halo {
namespace {

namespace diag {
constexpr DiagCode kUnexpectedText{"unexpected-text", Severity::kError, ""};
constexpr DiagCode kMissingShape{"missing-shape", Severity::kError, "write the result's shape"};
constexpr DiagCode kUnknownOpcode{"unknown-opcode", Severity::kWarning, ""};
}  // namespace diag

TEST(Diagnostic, Locations) {
  const std::string text = "one\ntwo\n\nfour";
  const auto at = [&](uint64_t offset) {
    const SourceLocation location =
        MakeDiagnostic(diag::kUnexpectedText, text, offset, "m").location;
    return std::to_string(location.line) + ":" + std::to_string(location.column);
  };
  EXPECT_EQ(at(0), "1:1");
  EXPECT_EQ(at(3), "1:4");
  EXPECT_EQ(at(4), "2:1");
  EXPECT_EQ(at(8), "3:1");
  EXPECT_EQ(at(12), "4:4");
  EXPECT_EQ(at(13), "4:5");
  // A location past the end counts as the end.
  EXPECT_EQ(at(99), "4:5");
}

TEST(Diagnostic, Renders) {
  const std::string text = "a\n  bad line\n";
  const Diagnostic diagnostic = MakeDiagnostic(diag::kMissingShape, text, 4, "what is wrong");
  EXPECT_EQ(RenderDiagnostic(diagnostic, "f.hlo", false),
            "f.hlo:2:3: error: what is wrong [missing-shape]\n"
            "    bad line\n"
            "    ^\n"
            "  help: write the result's shape\n");
  EXPECT_NE(RenderDiagnostic(diagnostic, "f.hlo", true).find("\033[1;31m"), std::string::npos);
  const Diagnostic binary = MakeBinaryDiagnostic(diag::kUnknownOpcode, 77, "odd");
  EXPECT_TRUE(RenderDiagnostic(binary, "f.pb", false)
                  .starts_with("f.pb:byte 77: warning: odd [unknown-opcode]\n"));
}

// A name or a quoted input cannot end the line, forge a style or act on the terminal.
TEST(Diagnostic, RendersHostileText) {
  Diagnostic diagnostic =
      MakeBinaryDiagnostic(diag::kUnknownOpcode, 0, "no\033[1;31m op\nb: error:");
  diagnostic.help =
      "try \x9B"
      "1m";
  diagnostic.excerpt = "a\u202Eb";
  EXPECT_EQ(RenderDiagnostic(diagnostic, "code\r", "f\n\033]0;t\007.txt", false),
            "f\\x0a\\x1b]0;t\\x07.txt: warning: no\\x1b[1;31m op\\x0ab: error: [code\\x0d]\n"
            "  a\\xe2\\x80\\xaeb\n  ^\n"
            "  help: try \\x9b1m\n");
}

TEST(Diagnostic, LongAndOddLines) {
  const std::string text = std::string(500, 'x') + "\t\xFFhere" + std::string(500, 'y');
  const Diagnostic diagnostic = MakeDiagnostic(diag::kUnexpectedText, text, 502, "m");
  EXPECT_EQ(diagnostic.location.column, 503u);
  EXPECT_LT(diagnostic.excerpt.size(), 140u);
  EXPECT_TRUE(diagnostic.excerpt.starts_with("...xxx"));
  EXPECT_TRUE(diagnostic.excerpt.ends_with("yyy..."));
  // The caret is below the location, and no byte can affect the terminal.
  EXPECT_EQ(diagnostic.excerpt.substr(diagnostic.excerpt_column, 4), "here");
  EXPECT_EQ(diagnostic.excerpt.substr(diagnostic.excerpt_column - 2, 2), "  ");
}

TEST(Diagnostics, KeepsTheFirstThousandAndCountsAll) {
  Diagnostics diagnostics;
  for (uint64_t i = 0; i < 1500; ++i) {
    diagnostics.Add(MakeBinaryDiagnostic(diag::kUnexpectedText, i, "m"));
  }
  diagnostics.Add(MakeBinaryDiagnostic(diag::kUnknownOpcode, 0, "m"));
  EXPECT_EQ(diagnostics.all().size(), Diagnostics::kMaxKept);
  EXPECT_EQ(diagnostics.errors(), 1500u);
  EXPECT_EQ(diagnostics.warnings(), 1u);
  EXPECT_FALSE(diagnostics.ok());
  Diagnostics sum;
  sum.Append(diagnostics);
  sum.Append(diagnostics);
  EXPECT_EQ(sum.errors(), 3000u);
  EXPECT_EQ(sum.all().size(), Diagnostics::kMaxKept);
}

TEST(Diagnostics, ShiftAndSort) {
  Diagnostics diagnostics;
  const std::string text = "a\nb\nc\n";
  diagnostics.Add(MakeDiagnostic(diag::kUnexpectedText, text, 4, "second"));
  diagnostics.Add(MakeDiagnostic(diag::kUnexpectedText, text, 2, "first"));
  diagnostics.Add(MakeDiagnostic(diag::kUnknownOpcode, text, 2, "first too"));
  diagnostics.Shift(100, 7);
  diagnostics.Sort();
  EXPECT_EQ(diagnostics.all()[0].message, "first");
  EXPECT_EQ(diagnostics.all()[1].message, "first too");
  EXPECT_EQ(diagnostics.all()[2].message, "second");
  EXPECT_EQ(diagnostics.all()[2].location.line, 10u);
  EXPECT_EQ(diagnostics.all()[2].location.offset, 104u);
}

TEST(DiagnosticTest, LinesAreCountedFromTheLastLocation) {
  const std::string text = "a\nb\n\nc\nd";
  const auto locate = [&](size_t offset, LineCounter& lines) {
    return MakeDiagnostic(diag::kUnexpectedText, text, offset, "m", lines).location;
  };
  for (size_t from = 0; from <= text.size(); ++from) {
    for (size_t to = 0; to <= text.size(); ++to) {
      LineCounter lines, fresh;
      locate(from, lines);
      const SourceLocation on = locate(to, lines);
      const SourceLocation once = locate(to, fresh);
      EXPECT_EQ(once.line, on.line) << from << " " << to;
      EXPECT_EQ(once.column, on.column) << from << " " << to;
    }
  }
}

TEST(DiagnosticTest, BeyondTheLimitOnlyTheNumberGrows) {
  Diagnostics diagnostics;
  while (!diagnostics.full()) {
    diagnostics.Add(MakeDiagnostic(diag::kUnexpectedText, "x", 0, "m"));
  }
  const size_t kept = diagnostics.errors();
  diagnostics.Count(diag::kUnexpectedText);
  EXPECT_EQ(diagnostics.errors(), kept + 1);
}

}  // namespace
}  // namespace halo
