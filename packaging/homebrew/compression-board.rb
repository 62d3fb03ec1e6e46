# brew install --build-from-source packaging/homebrew/compression-board.rb
#
# Before a release, set url and sha256 to those of the release's archive.
class CompressionBoard < Formula
  desc "Compares neural networks before and after compression"
  homepage "https://compression-board.invalid"
  url "https://compression-board.invalid/compression-board-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "node" => :build
  depends_on "pkgconf" => :build
  depends_on "protozero" => :build
  depends_on "agg"
  depends_on "giflib"
  depends_on "highway"
  depends_on "isa-l"
  depends_on "libdeflate"
  depends_on "libspng"
  depends_on :linux # The reader follows files with inotify.
  depends_on "md4c"
  depends_on "openssl@3"
  depends_on "pugixml"
  depends_on "re2"
  depends_on "simdjson"
  depends_on "tl-expected"
  depends_on "yaml-cpp"

  def install
    system "cmake", "-S", ".", "-B", "build/release", "-G", "Ninja", "-DCBOARD_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build/release", "--target", "programs"
    system "cmake", "--install", "build/release"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/compression-board --version")
  end
end
