// JAX counts the arguments of a Python function, XLA the arrays in them. A parameter's op_name
// (state.params['w']) names its argument; without it only XLA's numbers are known.
#include "halo/memory/advise/advice_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "halo/memory/explain/origins.h"

namespace halo {
namespace {

// The words of one frontend. Empty if it has no such call.
struct Calls {
  std::string_view checkpoint, barrier, narrow;
};

constexpr std::array<Calls, 4> kCalls = {
    Calls{}, Calls{"jax.checkpoint", "jax.lax.optimization_barrier", ".astype(jnp.bfloat16)"},
    Calls{"torch_xla.utils.checkpoint.checkpoint", "xm.optimization_barrier_",
          ".to(torch.bfloat16)"},
    Calls{"tf.recompute_grad", "", "tf.cast(..., tf.bfloat16)"}};

const Calls& CallsOf(Frontend frontend) { return kCalls[static_cast<size_t>(frontend)]; }

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The Python argument that a parameter is part of: a name, or a number for a nameless one.
struct Argument {
  std::string name;
  int64_t number = -1;
};

Argument ArgumentOf(std::string_view parameter) {
  Argument argument;
  if (parameter.find('/') != std::string_view::npos) return argument;
  size_t end = 0;
  while (end < parameter.size() && IsNameCharacter(parameter[end])) ++end;
  // Anything else is an HLO name: p0.1, Arg_3.4.
  const std::string_view rest = parameter.substr(end);
  if (end == 0 || (!rest.empty() && rest[0] != '[' &&
                   (rest[0] != '.' || rest.size() < 2 || !IsNameCharacter(rest[1]) ||
                    std::isdigit(static_cast<unsigned char>(rest[1])) != 0))) {
    return argument;
  }
  const std::string_view root = parameter.substr(0, end);
  if (root == "args" && rest.starts_with('[')) {
    argument.number = 0;
    for (const char c : rest.substr(1, std::min<size_t>(rest.find(']') - 1, 6))) {
      if (c < '0' || c > '9') return {};
      argument.number = argument.number * 10 + (c - '0');
    }
  } else if (root == "kwargs" && rest.starts_with("['")) {
    argument.name = rest.substr(2, rest.find('\'', 2) - 2);
  } else {
    argument.name = root;
  }
  return argument;
}

std::string JaxDonation(std::span<const DonationChoice> choices) {
  std::vector<std::string> names;
  std::vector<int64_t> numbers, parameters;
  bool all_known = true;
  for (const DonationChoice& choice : choices) {
    const Argument argument = choice.has_op_name ? ArgumentOf(choice.name) : Argument();
    parameters.push_back(choice.alias.number);
    all_known = all_known && (argument.number >= 0 || !argument.name.empty());
    if (argument.number >= 0) numbers.push_back(argument.number);
    if (!argument.name.empty() &&
        std::find(names.begin(), names.end(), argument.name) == names.end()) {
      names.push_back(argument.name);
    }
  }
  if (!all_known) {
    return "donate_argnums of jax.jit, for the arguments that hold parameters " +
           NumberRanges(std::move(parameters)) + " of the compiled program";
  }
  std::string text;
  if (!numbers.empty()) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const int64_t number : numbers) {
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    text = "donate_argnums=(" + text + (numbers.size() == 1 ? ",)" : ")");
  }
  if (!names.empty()) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "\"" : ", \"") + name + "\"";
    text += (text.empty() ? "" : ", ") + std::string("donate_argnames=(") + list +
            (names.size() == 1 ? ",)" : ")");
  }
  return "jax.jit(..., " + text + ")";
}

}  // namespace

std::string NumberRanges(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end - i > 2) text += "-" + std::to_string(numbers[end - 1]);
    i = end - i > 2 ? end : i + 1;
  }
  return text;
}

std::string HowToDonate(Frontend frontend, std::span<const DonationChoice> choices) {
  switch (frontend) {
    case Frontend::kUnknown: return {};
    case Frontend::kJax: return JaxDonation(choices);
    case Frontend::kTorchXla:
      return "update these tensors in place, under torch.compile after "
             "torch.ops.xla.dynamo_set_buffer_donor_(tensor, True)";
    case Frontend::kTensorFlow: return "keep these in tf.Variables and update them with assign";
  }
  return {};
}

std::string HowToRecompute(Frontend frontend, const LiveEntry& item) {
  const Calls& calls = CallsOf(frontend);
  if (calls.checkpoint.empty()) return {};
  const std::string scope = InnermostScope(item.op_name);
  const bool is_kept_for_backward = IsForward(item.op_name) && IsBackward(item.needed_op_name);
  if (is_kept_for_backward || calls.barrier.empty()) {
    return std::string(calls.checkpoint) + " around " +
           (scope.empty() ? "the function that makes it" : scope);
  }
  return "compute it again where it is needed later" +
         (item.needed_source.empty() ? "" : " (" + item.needed_source + ")") +
         ", its inputs through " + std::string(calls.barrier);
}

std::string HowToReorder(Frontend frontend) {
  const std::string_view barrier = CallsOf(frontend).barrier;
  return barrier.empty() ? std::string() : "order them with " + std::string(barrier);
}

std::string HowToNarrow(Frontend frontend, std::string_view sources) {
  const std::string_view narrow = CallsOf(frontend).narrow;
  if (narrow.empty()) return {};
  return std::string(narrow) + (sources.empty() ? "" : " at " + std::string(sources));
}

}  // namespace halo
