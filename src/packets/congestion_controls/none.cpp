// No congestion control: every flow sends at its initial rate; only pauses or credits hold it back.
#include "packets/flow/congestion_control.hpp"

namespace echo::packets::congestion_controls {
namespace {

class Unlimited : public Controller {
 public:
  void start(std::int32_t, Sender&) override {}
  void acknowledge(std::int32_t, Sender&, const Acknowledgement&) override {}
};

}  // namespace

extern const CongestionControl none{
    .name = "none",
    .source = "line rate",
    .header_bytes = 0,
    .has_telemetry = false,
    .make = [](const Parameters&, std::int32_t, FlowHost&) -> std::unique_ptr<Controller> {
      return std::make_unique<Unlimited>();
    }};

}  // namespace echo::packets::congestion_controls
