#include "cboard/base/strings.h"
#include "profile/byte_rates.h"
#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

// True for the loopback device and for devices of container networks. Their traffic also passes a
// real device, or stays inside the machine.
bool IsInternal(std::string_view name) {
  if (name == "lo") return true;
  for (const std::string_view prefix : {"veth", "docker", "br-", "virbr", "cni", "flannel"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

class NetworkSampler final : public Sampler {
 public:
  explicit NetworkSampler(std::filesystem::path proc) : dev_(std::move(proc) / "net" / "dev") {}

  void Sample(double now_seconds, std::vector<Reading>& readings) override {
    const std::optional<std::string> text = ReadKernelFile(dev_);
    if (!text) return;
    std::map<std::string, ByteCounters> interfaces;
    for (const std::string_view line : Split(*text, '\n')) {
      // The columns of a line are: eth0: bytes packets errs drop fifo frame compressed multicast
      // bytes packets … Old kernels write no space after the colon.
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const std::vector<std::string_view> name = Words(line.substr(0, colon));
      const std::vector<std::string_view> numbers = Words(line.substr(colon + 1));
      if (name.size() != 1 || numbers.size() < 9 || IsInternal(name[0])) continue;
      const auto received = ToNumber<std::uint64_t>(numbers[0]);
      const auto sent = ToNumber<std::uint64_t>(numbers[8]);
      if (received && sent) interfaces[std::string(name[0])] = {*received, *sent};
    }
    if (interfaces.empty()) return;
    if (const auto rates = rates_.Update(now_seconds, std::move(interfaces))) {
      readings.push_back({"network/received_mb_s", rates->in_mb_s});
      readings.push_back({"network/sent_mb_s", rates->out_mb_s});
    }
  }

 private:
  std::filesystem::path dev_;
  ByteRates rates_;
};

}  // namespace

std::unique_ptr<Sampler> MakeNetworkSampler(std::filesystem::path proc) {
  return std::make_unique<NetworkSampler>(std::move(proc));
}

}  // namespace cboard::profile
