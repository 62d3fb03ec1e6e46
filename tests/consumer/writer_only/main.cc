#include <cboard/writer/summary_writer.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  cboard::SummaryWriter writer(argv[1]);
  return writer.AddScalar("loss", 0.25, 1) && writer.Close() ? 0 : 1;
}
