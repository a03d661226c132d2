// Tests command lines with mistakes, and how they are interpreted.
#include "tools/halo/session/usage_error.h"

#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace halo::tool {
namespace {

const std::vector<std::string> kNames = {"memory", "compare", "compile", "run"};

TEST(Nearest, FindsWhatIsMisspeltOrShortened) {
  EXPECT_EQ(Nearest("mem", kNames), "memory");
  EXPECT_EQ(Nearest("memroy", kNames), "memory");
  EXPECT_EQ(Nearest("memor", kNames), "memory");
  EXPECT_EQ(Nearest("menory", kNames), "memory");
  EXPECT_EQ(Nearest("rum", kNames), "run");
}

TEST(Nearest, DoesNotGuessWildly) {
  EXPECT_EQ(Nearest("comp", kNames), "");
  EXPECT_EQ(Nearest("viewer", kNames), "");
}

TEST(NoSuchDevice, NamesWhatWasMeant) {
  const std::vector<std::string> known = {"a100", "h100", "v5p"};
  EXPECT_EQ(NoSuchDevice("H100", known), "");
  EXPECT_EQ(NoSuchDevice("h10O", known),
            "there is no device h10O; did you mean h100?; known are a100, h100, v5p");
  EXPECT_EQ(NoSuchDevice("TPUv5p", known),
            "there is no device TPUv5p; did you mean v5p?; known are a100, h100, v5p");
  EXPECT_EQ(NoSuchDevice("abacus", known), "there is no device abacus; known are a100, h100, v5p");
}

std::string Problem(const std::vector<std::string>& arguments) {
  CLI::App app{"", "halo"};
  app.require_subcommand(1);
  CLI::App* run = app.add_subcommand("run", "");
  for (const char* name : {"memory", "lsp", "mcp"}) app.add_subcommand(name, "");
  CLI::App* compare = app.add_subcommand("compare", "");
  std::vector<std::string> files;
  std::string file;
  int seed = 0;
  compare->add_option("FILE", files)->expected(0, 1);
  run->add_option("FILE", file)->required();
  run->add_option("-s,--seed", seed);
  std::vector<const char*> words = {"halo"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return UsageError(app, arguments, error.what());
  }
  return "";
}

TEST(UsageError, NamesWhatDoesNotExist) {
  EXPECT_EQ(Problem({}), "a command is missing");
  EXPECT_EQ(Problem({"mem", "x"}), "there is no command mem; did you mean memory?");
  EXPECT_EQ(Problem({"x.hlo"}), "there is no command x.hlo");
  EXPECT_EQ(Problem({"--foo"}), "there is no option --foo");
  EXPECT_EQ(Problem({"run", "--sead", "1", "x"}),
            "there is no option --sead; did you mean --seed?");
  EXPECT_EQ(Problem({"run", "--sead=1", "x"}), "there is no option --sead; did you mean --seed?");
  EXPECT_EQ(Problem({"run", "x", "--quite-another"}), "there is no option --quite-another");
}

TEST(UsageError, ServersTakeNoFiles) {
  EXPECT_EQ(
      Problem({"lsp", "x.hlo"}),
      "takes no files: editors start it and send it the texts that are open; docs/lsp.md has "
      "the settings for VS Code, Neovim, Emacs and Helix. To see the problems of a file here, "
      "run: halo check x.hlo");
  EXPECT_EQ(Problem({"mcp", "dumps"}),
            "takes no files, only folders that it may read; try: halo mcp --root dumps");
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "mcp_usage";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "x.hlo") << "HloModule x\n";
  EXPECT_EQ(
      Problem({"mcp", (folder / "x.hlo").string()}),
      "takes no files, only folders that it may read; try: halo mcp --root " + folder.string());
  std::filesystem::remove_all(folder);
  EXPECT_NE(Problem({"memory", "x.hlo"}).find("x.hlo"), std::string::npos);
}

TEST(UsageError, CountsArguments) {
  EXPECT_EQ(Problem({"compare", "a.hlo", "b.hlo"}),
            "takes one FILE, not 2; to compare two programs, run: halo diff a.hlo b.hlo");
  EXPECT_EQ(Problem({"compare", "a.hlo", "b.hlo", "c.hlo"}), "takes one FILE, not 3");
}

TEST(UsageError, TellsAForgottenCommand) {
  const std::string folder = HALO_SOURCE_DIR;
  const std::string file = folder + "/README.md";
  EXPECT_EQ(Problem({folder}), "a command is missing; try: halo ls " + folder);
  EXPECT_EQ(Problem({file, "--json"}), "a command is missing; try: halo info " + file);
}

TEST(UsageError, SaysWhatAnOptionTakes) {
  EXPECT_EQ(Problem({"run", "x", "--seed", "many"}), "--seed takes a whole number, not many");
}

TEST(UsageError, LeavesOtherMistakesToTheParser) {
  EXPECT_EQ(Problem({"run"}), "FILE is required");
  EXPECT_EQ(Problem({"run", "x", "--seed"}), "--seed needs a value: INT");
  EXPECT_EQ(Problem({"run", "x", "--seed", "7"}), "");
}

}  // namespace
}  // namespace halo::tool
