#include "testing/fuzz_replay.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cboard::testing {
namespace {

constexpr std::size_t kMaxTruncations = 40;
constexpr int kChangedCopies = 120;

template <typename T>
std::string Bytes(T number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

// Encodes a protobuf field with bytes, or with a small number.
std::string Field(int number, std::string_view content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())}.append(
      content);
}
std::string Field(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

std::string Safetensors() {
  std::string header = R"({"a.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  return Bytes(std::uint64_t{header.size()}) + header + Bytes(1.5f) + Bytes(-2.f);
}

std::string Gguf() {
  const auto text = [](std::string_view t) { return Bytes(std::uint64_t{t.size()}).append(t); };
  std::string file = "GGUF" + Bytes(std::uint32_t{3}) + Bytes(std::uint64_t{1});
  file += Bytes(std::uint64_t{1}) + text("general.alignment") + Bytes(std::uint32_t{4}) +
          Bytes(std::uint32_t{32});
  file += text("a.weight") + Bytes(std::uint32_t{2}) + Bytes(std::uint64_t{32}) +
          Bytes(std::uint64_t{1}) + Bytes(std::uint32_t{8}) + Bytes(std::uint64_t{0});
  file.resize((file.size() + 31) / 32 * 32);
  return file + std::string(34, '\x11');
}

std::string Onnx() {
  const std::string weight =
      Field(1, 2) + Field(1, 1) + Field(2, 1) + Field(8, "w") + Field(9, Bytes(1.f) + Bytes(2.f));
  const std::string node =
      Field(1, "x") + Field(1, "w") + Field(2, "y") + Field(3, "n") + Field(4, "MatMul");
  const std::string shape = Field(2, Field(1, Field(1, 1)) + Field(1, Field(1, 2)));
  const std::string input = Field(1, "x") + Field(2, Field(1, Field(1, 1) + shape));
  const std::string graph = Field(1, node) + Field(2, "g") + Field(5, weight) + Field(11, input) +
                            Field(12, Field(1, "y"));
  return Field(1, 8) + Field(8, Field(2, 13)) + Field(7, graph);
}

// An ONNX model whose weight consists of codes and a scale.
std::string QuantizedOnnx() {
  const std::string code = Field(1, 1) + Field(2, 3) + Field(8, "c") + Field(9, "\x05");
  const std::string scale = Field(2, 1) + Field(8, "s") + Field(9, Bytes(0.5f));
  const std::string dequantize =
      Field(1, "c") + Field(1, "s") + Field(2, "w") + Field(4, "DequantizeLinear");
  const std::string multiply = Field(1, "x") + Field(1, "w") + Field(2, "y") + Field(4, "Mul");
  const std::string graph = Field(1, dequantize) + Field(1, multiply) + Field(5, code) +
                            Field(5, scale) + Field(11, Field(1, "x")) + Field(12, Field(1, "y"));
  return Field(1, 8) + Field(8, Field(2, 13)) + Field(7, graph);
}

std::string TensorFlowGraph() {
  const std::string type = Field(5, Field(1, "dtype") + Field(2, Field(6, 1)));
  return Field(1, Field(1, "x") + Field(2, "Placeholder") + type) +
         Field(1, Field(1, "y") + Field(2, "Relu") + Field(3, "x") + type) + Field(4, Field(1, 27));
}

// A part of a flatbuffer with everything that its offsets refer to. Offsets to the part itself
// point to its `entry`.
struct Flat {
  std::string bytes;
  std::size_t entry = 0;
};
using FlatField = std::variant<std::monostate, int, Flat>;

// Appends `target` to `bytes`, and writes its offset at `at`, where there is room for it.
void PointTo(const Flat& target, std::size_t at, std::string& bytes) {
  bytes.replace(at, 4, Bytes(static_cast<std::uint32_t>(bytes.size() + target.entry - at)));
  bytes += target.bytes;
}

Flat FlatVector(std::string_view content) {
  return {Bytes(static_cast<std::uint32_t>(content.size())).append(content)};
}

Flat FlatVector(const std::vector<int>& numbers) {
  Flat vector{Bytes(static_cast<std::uint32_t>(numbers.size()))};
  for (const int number : numbers) vector.bytes += Bytes(number);
  return vector;
}

Flat FlatVector(const std::vector<Flat>& tables) {
  Flat vector = FlatVector(std::vector<int>(tables.size()));
  for (std::size_t i = 0; i < tables.size(); ++i) PointTo(tables[i], 4 + 4 * i, vector.bytes);
  return vector;
}

// Builds a table in which each field takes four bytes, whatever its type.
Flat FlatTable(const std::vector<FlatField>& fields) {
  const std::size_t list = 4 + 2 * fields.size(), table = 4 + 4 * fields.size();
  std::string bytes =
      Bytes(static_cast<std::uint16_t>(list)) + Bytes(static_cast<std::uint16_t>(table));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    bytes += Bytes(static_cast<std::uint16_t>(fields[i].index() == 0 ? 0 : 4 + 4 * i));
  }
  bytes += Bytes(static_cast<std::int32_t>(list));
  for (const FlatField& field : fields) {
    bytes += Bytes(std::holds_alternative<int>(field) ? std::get<int>(field) : 0);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto* target = std::get_if<Flat>(&fields[i]);
    if (target != nullptr) PointTo(*target, list + 4 + 4 * i, bytes);
  }
  return {bytes, list};
}

// A TFLite model with a sparse constant of 2 rows of 2 blocks of 2, and a DENSIFY node that uses
// it.
std::string Tflite() {
  constexpr std::monostate kNone;
  const Flat segments = FlatTable({FlatVector(std::vector<int>{0, 1, 2})});
  const Flat indices = FlatTable({FlatVector(std::string_view("\x01\x00", 2))});
  const Flat levels = FlatVector(
      {FlatTable({0, 2}), FlatTable({1, kNone, 1, segments, 3, indices}), FlatTable({0, 2})});
  const Flat sparsity =
      FlatTable({FlatVector(std::vector<int>{0, 1, 2}), FlatVector(std::vector<int>{1}), levels});
  const Flat shape = FlatVector(std::vector<int>{2, 4});
  const Flat tensors =
      FlatVector({FlatTable({shape, 0, 1, FlatVector("w"), kNone, kNone, sparsity}),
                  FlatTable({shape, 0, 0, FlatVector("y")})});
  const Flat from = FlatVector(std::vector<int>{0}), to = FlatVector(std::vector<int>{1});
  const Flat subgraph =
      FlatTable({tensors, FlatVector(""), to, FlatVector({FlatTable({0, from, to})})});
  const Flat values = FlatVector(Bytes(1.f) + Bytes(2.f) + Bytes(3.f) + Bytes(4.f));
  const Flat model =
      FlatTable({3, FlatVector({FlatTable({124, kNone, 1, 124})}), FlatVector({subgraph}),
                 FlatVector("d"), FlatVector({FlatTable({}), FlatTable({values})})});
  std::string file = Bytes(std::uint32_t{0}) + "TFL3";
  PointTo(model, 0, file);
  return file;
}

std::string Event() {
  const std::string value = Field(1, "loss") + "\x15" + Bytes(0.5f);
  const std::string histogram =
      Field(1, "h") + Field(5, Field(6, Bytes(1.0)) + Field(7, Bytes(2.0)));
  return "\x09" + Bytes(1.0) + Field(2, 7) + Field(5, Field(1, value) + Field(1, histogram));
}

std::string Npy() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + Bytes(static_cast<std::uint16_t>(header.size())) +
         header + Bytes(1.f) + Bytes(2.f);
}

constexpr std::string_view kTexts[] = {
    "",
    "\x01\x02\x03",
    R"({"net": {"fp32": {"accuracy": 0.9, "size_mb": 12}, "int8": {"accuracy": [1, null]}}})",
    R"([{"name": "conv1", "type": "Conv2D", "mse": 1e-3, "sqnr": -1.5, "bits": 8}])",
    R"({"op_cfg": {"conv1": {"weight": {"dtype": "int8"}}}, "calib": [1, 2]})",
    "accuracy: {max_drop: 1%}\nsize: {min_ratio: 3.5}\n- a: b\n",
    "baseline: fp32\ngates:\n- {id: q, metric: accuracy, min: 0.7}\n"
    "- layers: ['a*', \"?b\"]\n  metric: level\n  max: amber\n",
    R"(<?xml version="1.0"?><net name="n" version="11"><layers><layer id="0" name="x" )"
    R"(type="Parameter" version="opset1"><data shape="1,2" element_type="f32"/><output>)"
    R"(<port id="0"><dim>1</dim></port></output></layer></layers><edges/></net>)",
    "GET /api/v1/scalars?run=r&tag=s HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
    "GET /api/v1/scalars?run=r&tag=s&max_points=10\ntext/html\n{}",
    "gzip;q=0.5, br, *;q=0",
    "a=%41&b=%zz+c&d",
    "loss/train_0.5 %",
};

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = {Safetensors(),     Gguf(),   Onnx(),  QuantizedOnnx(),
                                    TensorFlowGraph(), Tflite(), Event(), Npy()};
  seeds.push_back("\x01" + Event());  // Some fuzzers take a byte before the file itself.
  seeds.insert(seeds.end(), std::begin(kTexts), std::end(kTexts));
  return seeds;
}

class Changer {
 public:
  explicit Changer(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  std::string Change(std::string input) {
    for (std::size_t changes = 1 + Below(4); changes > 0; --changes) ChangeOnce(input);
    return input;
  }

 private:
  std::size_t Below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  void ChangeOnce(std::string& input) {
    constexpr char kOdd[] = {'\0', '\x01', '\x7f', '\x80', '\xff', '"', '/', '\n'};
    const std::size_t at = Below(input.size());
    switch (Below(6)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (!input.empty()) input[at] = kOdd[Below(std::size(kOdd))];
        break;
      case 2:
        input.insert(at, 1 + Below(8), kOdd[Below(std::size(kOdd))]);
        break;
      case 3:
        input.erase(at, 1 + Below(8));
        break;
      case 4:
        input.insert(at, input.substr(Below(input.size()), Below(32)));
        break;
      default: {
        const std::string& other = seeds_[Below(seeds_.size())];
        input = input.substr(0, at) + other.substr(Below(other.size()));
      }
    }
  }

  const std::vector<std::string>& seeds_;
  std::mt19937 random_{1};
};

std::string_view current_input;

// Prints the failing input as a C string to stderr when a fuzzer ends the program.
void ShowInputAndStop(int signal) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::fputs("found with the input \"", stderr);
  for (const char c : current_input) {
    const auto byte = static_cast<unsigned char>(c);
    for (const char digit : {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]}) {
      std::fputc(digit, stderr);
    }
  }
  std::fputs("\"\n", stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Copies the input to memory of exactly its size, so that sanitizers detect a read past its end.
void Run(FuzzTarget target, std::string_view input) {
  const auto copy = std::make_unique<std::uint8_t[]>(input.size());
  std::ranges::copy(input, copy.get());
  current_input = input;
  target(copy.get(), input.size());
}

}  // namespace

void ReplayFuzzer(FuzzTarget target) {
  for (const int signal : {SIGABRT, SIGILL, SIGTRAP}) std::signal(signal, ShowInputAndStop);
  const std::vector<std::string> seeds = Seeds();
  Changer changer(seeds);
  for (const std::string& seed : seeds) {
    Run(target, seed);
    const std::size_t step = seed.size() / kMaxTruncations + 1;
    for (std::size_t size = 0; size < seed.size(); size += step) {
      Run(target, std::string_view(seed).substr(0, size));
    }
    for (int i = 0; i < kChangedCopies; ++i) Run(target, changer.Change(seed));
  }
}

}  // namespace cboard::testing
