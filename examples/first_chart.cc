#include <cboard/writer/summary_writer.h>

int main() {
  cboard::SummaryWriter writer("runs/edge");
  for (int step = 0; step < 100; ++step) {
    writer.AddScalar("resnet18/latency_ms", 12.4 - 0.01 * step, step);
  }
}
