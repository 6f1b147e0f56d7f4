#include <atomic>
#include <map>
#include <utility>

#include "profilers/device/companion.hpp"
#include "profilers/device/memory.hpp"
#include "profilers/device/memory_kernels.hpp"
#include "profilers/device/proxy.hpp"
#include "profilers/overlap/proxy_tiles.hpp"

namespace echo::profilers {

namespace {

constexpr std::int32_t most_channels = 1024;

class ProxyCompanion : public Companion {
 public:
  ProxyCompanion() {
    for (DeviceMemory* array : {&own_, &arrived_, &sent_}) {
      *array = device_memory(proxy_array_bytes);
      check(launch_fill(array->get(), proxy_array_bytes, nullptr), "filling memory");
    }
    check(cudaDeviceSynchronize(), "filling memory");
  }

  // Loads the kernel, and measures one without a limit on its rate.
  void prepare(const CommunicationCase& wanted) override {
    const auto payload = static_cast<std::int64_t>(20e9 * 0.004 * wanted.channels);
    const double seconds = seconds_on(stream_.get(), [&] { launch(wanted, payload); });
    if (wanted.link_rate <= 0.0) own_rates_[key_of(wanted)] = static_cast<double>(payload) / seconds;
  }

  void start(const CommunicationCase& wanted, std::int32_t milliseconds) override {
    const double rate = wanted.link_rate > 0.0 ? wanted.link_rate : own_rates_.at(key_of(wanted));
    payload_ = rate * milliseconds * 1e-3;
    launch(wanted, static_cast<std::int64_t>(payload_));
  }

  [[nodiscard]] bool has_started() const override {
    for (std::int32_t i = 0; i < channels_; ++i)
      if (started()[i] == 0) return false;
    return true;
  }
  [[nodiscard]] std::int32_t records() const override { return 1; }
  [[nodiscard]] double payload() const override {
    return static_cast<double>(proxy_share(static_cast<std::int64_t>(payload_), channels_).tiles *
                               proxy_tile_bytes * channels_);
  }

 private:
  [[nodiscard]] volatile std::int32_t* started() const {
    return reinterpret_cast<volatile std::int32_t*>(flags_.get());
  }

  void launch(const CommunicationCase& wanted, std::int64_t payload) {
    channels_ = wanted.channels;
    for (std::int32_t i = 0; i < channels_; ++i) started()[i] = 0;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const ProxyLaunch what{.channels = wanted.channels,
                           .payload = payload,
                           .link_rate = wanted.link_rate,
                           .traffic = wanted.traffic,
                           .own = own_.get(),
                           .arrived = arrived_.get(),
                           .sent = sent_.get(),
                           .started = started()};
    check(launch_proxy(what, stream_.get()), "the communication proxy");
  }

  using Key = std::pair<std::int32_t, std::int32_t>;
  static Key key_of(const CommunicationCase& c) {
    return {c.channels, 2 * c.traffic.reads + c.traffic.writes};
  }

  DeviceMemory own_, arrived_, sent_;
  HostMemory flags_ = host_memory(most_channels * static_cast<std::int64_t>(sizeof(std::int32_t)));
  Stream stream_ = new_stream();
  std::map<Key, double> own_rates_;  // bytes per second of proxies that nothing holds
  double payload_ = 0.0;
  std::int32_t channels_ = 0;
};

}  // namespace

std::unique_ptr<Companion> proxy_companion() { return std::make_unique<ProxyCompanion>(); }

}  // namespace echo::profilers
