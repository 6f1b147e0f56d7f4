#include "explain/slowdown_input.hpp"

#include <span>
#include <utility>

#include "config/catalog/fitted/learned_model.hpp"

namespace echo::explain {

std::string learned_again(const std::vector<results::InputFile>& inputs, std::string& problem) {
  for (const results::InputFile& input : inputs) {
    if (!input.name.starts_with(learned_mark)) continue;
    Problems problems;
    const auto found = config::read_learned_model(input.path, {}, problems);
    if (found && found->digest == input.hash) return found->image;
    problem =
        found ? "the slowdown model \"" + input.path + "\" has changed since" : problems.list().front().what;
  }
  return {};
}

std::unique_ptr<const std::string> choose_slowdown(const std::string& choice,
                                                   simulate::Calibration& calibration) {
  if (choice == "off") calibration.slowdown = slowdown::NoSlowdown{};
  if (choice == "auto" || choice == "contention" || choice == "off") return nullptr;
  Problems problems;
  auto found = config::read_learned_model(choice, {}, problems);
  problems.throw_if_any();
  auto image = std::make_unique<const std::string>(std::move(found.value().image));
  calibration.learned = slowdown::LearnedView(std::as_bytes(std::span(*image)));
  return image;
}

}  // namespace echo::explain
