# The Homebrew formula: the command and libhaloscope, without the compiled engine. Only for Linux: the command does not yet
# build on macOS. scripts/package/check_recipes parses it; scripts/release fills in the digest.
class Haloscope < Formula
  desc "Toolkit for XLA programs: read, write, check and explain HLO"
  homepage "https://github.com/haloscope/haloscope"
  url "https://github.com/haloscope/haloscope/releases/download/v0.1.0/haloscope-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "fmt"
  depends_on :linux
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "--preset", "core", "-B", "build/core", *std_cmake_args
    system "cmake", "--build", "build/core", "--target", "halo", "haloscope", "halo_manuals"
    system "cmake", "--install", "build/core", "--component", "command"
    system "cmake", "--install", "build/core", "--component", "core"
  end

  test do
    (testpath/"module.txt").write <<~HLO
      HloModule tiny

      ENTRY main {
        x = f32[4] parameter(0)
        ROOT y = f32[4] add(x, x)
      }
    HLO
    assert_match "halo #{version}", shell_output("#{bin}/halo --version")
    system bin/"halo", "check", testpath/"module.txt"
  end
end
