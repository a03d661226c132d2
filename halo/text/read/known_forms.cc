// One function per form.
#include "halo/text/read/known_forms.h"

#include <charconv>
#include <string>
#include <vector>

#include "halo/ir/sharding/scanner.h"
#include "halo/ir/sharding/sharding.h"

namespace halo {
namespace {

constexpr int kMaxOriginNesting = 200;

bool TakeNumber(Scanner& scan, std::string_view text) {
  static_cast<void>(scan.Peek());
  const size_t begin = scan.position();
  double value = 0;
  const char* first = text.data() + begin;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return false;
  scan.Rewind(begin + static_cast<size_t>(end - first));
  return true;
}

// {visualizing_index=1,a=0.5,b=2}
bool IsStatistics(Scanner& scan, std::string_view text) {
  if (!scan.Eat('{') || !scan.EatWord("visualizing_index") || !scan.Eat('=') || !scan.Int()) {
    return false;
  }
  while (scan.Eat(',')) {
    if (scan.Word().empty() || !scan.Eat('=') || !TakeNumber(scan, text)) return false;
  }
  return scan.Eat('}');
}

// {mode=highest} or {tolerance={atol=0.1,rtol=0,ulps=2}}
bool IsAccuracy(Scanner& scan, std::string_view text) {
  if (!scan.Eat('{')) return false;
  if (scan.EatWord("mode")) return scan.Eat('=') && !scan.Word().empty() && scan.Eat('}');
  if (!scan.EatWord("tolerance") || !scan.Eat('=') || !scan.Eat('{')) return false;
  while (!scan.Eat('}')) {
    const std::string_view name = scan.Word();
    if (name != "atol" && name != "rtol" && name != "ulps") return false;
    if (!scan.Eat('=') || !TakeNumber(scan, text)) return false;
    scan.Eat(',');
  }
  return scan.Eat('}');
}

// {"a" {0}} or ({"a"}, {})
bool IsOriginNode(Scanner& scan, int depth) {
  if (depth > kMaxOriginNesting) return false;
  if (scan.Eat('(')) {
    if (scan.Eat(')')) return true;
    do {
      if (!IsOriginNode(scan, depth + 1)) return false;
    } while (scan.Eat(','));
    return scan.Eat(')');
  }
  if (!scan.Eat('{')) return false;
  if (scan.Eat('}')) return true;
  std::vector<int64_t> index;
  if (!scan.Quoted()) return false;
  if (scan.Eat('{') && !scan.Eat('}') && (!scan.Ints(index) || !scan.Eat('}'))) return false;
  return scan.Eat('}');
}

bool IsOrigin(Scanner& scan) {
  if (!scan.Eat('{')) return false;
  return (scan.Eat("[synthetic_call]") || IsOriginNode(scan, 0)) && scan.Eat('}');
}

// {lhs={sparsity=2x4 dimension=1 stride=1 idx=0} rhs={...}}
bool IsSparsityConfig(Scanner& scan) {
  if (!scan.Eat('{')) return false;
  while (!scan.Eat('}')) {
    const std::string_view side = scan.Word();
    if ((side != "lhs" && side != "rhs") || !scan.Eat('=') || !scan.Eat('{')) return false;
    while (!scan.Eat('}')) {
      const std::string_view name = scan.Word();
      const bool is_known =
          name == "sparsity" || name == "dimension" || name == "stride" || name == "idx";
      if (!is_known || !scan.Eat('=') || !scan.Int()) return false;
      if (name == "sparsity" && (!scan.Eat('x') || !scan.Int())) return false;
      scan.Eat(',');
    }
    scan.Eat(',');
  }
  return true;
}

// The brackets at the scanner, which the reader found balanced.
std::string_view TakeBrackets(Scanner& scan) {
  static_cast<void>(scan.Peek());
  const size_t begin = scan.position();
  int depth = 0;
  do {
    if (scan.AtEnd()) return {};
    if (scan.Peek() == '"' || scan.Peek() == '\'') {
      if (!scan.Quoted()) return {};
    } else if (scan.Eat('{')) {
      ++depth;
    } else if (scan.Eat('}')) {
      --depth;
    } else {
      scan.Eat(scan.Peek());
    }
  } while (depth > 0);
  return scan.Since(begin);
}

FormFault CheckSide(Scanner& scan, std::string_view name) {
  if (!scan.EatWord(name) || !scan.Eat('=')) return FormFault::kUnknown;
  bool contradicts = false;
  if (ParseSharding(TakeBrackets(scan), nullptr, &contradicts)) return FormFault::kNone;
  return contradicts ? FormFault::kContradiction : FormFault::kUnknown;
}

// {kind="sharding", entry={...}, exit={...}}
FormFault CheckDomain(Scanner& scan) {
  if (!scan.Eat('{') || !scan.EatWord("kind") || !scan.Eat('=') || scan.Quoted() != "sharding" ||
      !scan.Eat(',')) {
    return FormFault::kUnknown;
  }
  const FormFault entry = CheckSide(scan, "entry");
  if (entry != FormFault::kNone) return entry;
  if (!scan.Eat(',')) return FormFault::kUnknown;
  const FormFault exit = CheckSide(scan, "exit");
  if (exit != FormFault::kNone) return exit;
  return scan.Eat('}') && scan.AtEnd() ? FormFault::kNone : FormFault::kUnknown;
}

}  // namespace

FormFault CheckForm(AttrKey key, std::string_view text) {
  Scanner scan(text);
  bool known = true;
  switch (key) {
    case AttrKey::k_statistics: known = IsStatistics(scan, text) && scan.AtEnd(); break;
    case AttrKey::k_result_accuracy: known = IsAccuracy(scan, text) && scan.AtEnd(); break;
    case AttrKey::k_origin:
    case AttrKey::k_original_value: known = IsOrigin(scan) && scan.AtEnd(); break;
    case AttrKey::k_sparsity_config: known = IsSparsityConfig(scan) && scan.AtEnd(); break;
    case AttrKey::k_domain: return CheckDomain(scan);
    default: break;
  }
  return known ? FormFault::kNone : FormFault::kUnknown;
}

}  // namespace halo
