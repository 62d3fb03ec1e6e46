#include <cboard/compression/compression_writer.h>
#include <cboard/writer/summary_writer.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  cboard::SummaryWriter writer(argv[1]);
  for (int step = 0; step < 10; ++step) {
    if (!writer.AddScalar("resnet18/latency_ms", 12.4 - step, step)) return 1;
  }
  const auto closed = writer.Close();
  if (!closed) std::fprintf(stderr, "%s\n", closed.error().message.c_str());
  return closed ? 0 : 1;
}
