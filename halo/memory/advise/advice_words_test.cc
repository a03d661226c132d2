// Changes in the user's words: options to repeat them, and the calls of each framework.
#include "halo/memory/advise/advice_words.h"

#include <gtest/gtest.h>

#include "halo/memory/advise/program_change.h"
#include "halo/text/read/read_text.h"

namespace halo {
namespace {

std::vector<DonationChoice> Choices(const std::vector<std::string>& names) {
  std::vector<DonationChoice> choices;
  for (size_t i = 0; i < names.size(); ++i) {
    DonationChoice& choice = choices.emplace_back();
    choice.alias.number = static_cast<int64_t>(i);
    choice.name = names[i];
    choice.has_op_name = true;
  }
  return choices;
}

Frontend FrontendOf(const std::string& metadata) {
  return DetectFrontend(
      ReadHloText(
          SourceBuffer::Copy(
              "HloModule m\nENTRY e { ROOT x = f32[] parameter(0), metadata={" + metadata + "} }\n",
              "m"))
          .module);
}

TEST(AdviceWords, JaxNamesPythonArguments) {
  EXPECT_EQ(HowToDonate(Frontend::kJax, Choices({"state.params['w']", "state.opt[0]", "batch"})),
            "jax.jit(..., donate_argnames=(\"state\", \"batch\"))");
  EXPECT_EQ(HowToDonate(Frontend::kJax, Choices({"args[1]['w']", "args[0]"})),
            "jax.jit(..., donate_argnums=(0, 1))");
  EXPECT_EQ(HowToDonate(Frontend::kJax, Choices({"kwargs['cache']"})),
            "jax.jit(..., donate_argnames=(\"cache\",))");
  // Names that only the compiler uses say nothing about arguments.
  EXPECT_EQ(
      HowToDonate(Frontend::kJax, Choices({"jit(f)/x", "p0.1"})),
      "donate_argnums of jax.jit, for the arguments that hold parameters 0, 1 of the compiled "
      "program");
}

TEST(AdviceWords, FrontendsAreRecognized) {
  EXPECT_EQ(FrontendOf("op_name=\"jit(f)/mul\""), Frontend::kJax);
  EXPECT_EQ(FrontendOf("op_type=\"aten__mm\" op_name=\"aten__mm\""), Frontend::kTorchXla);
  EXPECT_EQ(FrontendOf("op_type=\"MatMul\" op_name=\"dense/MatMul\""), Frontend::kTensorFlow);
  EXPECT_EQ(FrontendOf("op_name=\"x\""), Frontend::kUnknown);
}

TEST(AdviceWords, Checkpoints) {
  LiveEntry item;
  item.op_name = "jit(f)/jvp(Model)/block_1/exp";
  item.needed_op_name = "jit(f)/transpose(jvp(Model))/block_1/mul";
  EXPECT_EQ(HowToRecompute(Frontend::kJax, item), "jax.checkpoint around block_1");
  EXPECT_EQ(HowToRecompute(Frontend::kUnknown, item), "");
}

TEST(AdviceWords, Ranges) {
  EXPECT_EQ(NumberRanges({5, 3, 4, 9, 0, 1}), "0, 1, 3-5, 9");
  EXPECT_EQ(NumberRanges({}), "");
}

TEST(ProgramChangeTest, Options) {
  ProgramChange change;
  EXPECT_TRUE(change.only_donates());
  change.donate = {0, 2};
  change.unpad = {"gather.2{1,1}", "b"};
  EXPECT_FALSE(change.only_donates());
  EXPECT_EQ(OptionsOf(change), "--donate 0,2 --unpad 'gather.2{1,1},b'");
}

}  // namespace
}  // namespace halo
