#include "cli/run/sweep_inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <fstream>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/unforeseen.hpp"
#include "cli/run/build_facts.hpp"
#include "explain/row_settings.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/launch/stop_signal.hpp"

#include "simulate/serialize.hpp"
#include "sweep/serialize.hpp"
#include "sweep/space/sampling.hpp"
#include "sweep/space/serialize_index.hpp"
#include "sweep/space/space_index.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {

// Null if worker 0 has none.
static std::unique_ptr<parallel::SharedTable> share_image(const parallel::Session& session,
                                                          const std::string& image) {
  bool is_there = !image.empty();
  parallel::broadcast(session, is_there);
  return is_there ? std::make_unique<parallel::SharedTable>(session, image) : nullptr;
}

WorkerInputs share_inputs(const parallel::Session& session, config::SweepInputs&& read,
                          const std::string& measured) {
  WorkerInputs inputs{std::move(read.spec), std::move(read.catalog), std::move(read.calibration)};
  parallel::broadcast(session, inputs.spec);
  parallel::broadcast(session, inputs.catalog);
  parallel::broadcast(session, inputs.calibration);
  inputs.measured = share_image(session, measured);
  if (inputs.measured != nullptr) inputs.calibration.measured = kernels::Database(inputs.measured->bytes());
  inputs.learned = share_image(session, std::exchange(read.learned, {}));
  if (inputs.learned != nullptr) inputs.calibration.learned = slowdown::LearnedView(inputs.learned->bytes());
  return inputs;
}

// Shares have equal lengths but unequal numbers of points: several per worker even this out.
constexpr std::int64_t shares_per_worker = 16;
constexpr std::int64_t worth_sharing = 100'000;       // raw combinations: some 10 ms of one worker
constexpr std::int64_t worth_a_line = 1'000'000'000;  // of output; rules drop most of them early

static std::vector<sweep::SpaceIndex> own_shares(const parallel::Session& session, const WorkerInputs& inputs,
                                                 const sweep::RawSpace& raw) {
  const std::int64_t shares = shares_per_worker * session.workers();
  std::vector<sweep::SpaceIndex> own;
  for (std::int64_t share = session.worker(); share < shares; share += session.workers())
    own.push_back(sweep::index_part(inputs.spec, raw, share, shares));
  return own;
}

std::string numbering_note(const WorkerInputs& inputs) {
  const std::int64_t raw = sweep::RawSpace(inputs.spec, inputs.catalog).size();
  if (raw < worth_a_line) return "";
  return "numbering the points among " + text::show_count(raw) +
         " combinations; this may take long (echo-sweep plan estimates how many there are)\n";
}

sweep::DesignSpace share_space(const parallel::Session& session, const WorkerInputs& inputs) {
  const sweep::RawSpace raw(inputs.spec, inputs.catalog);
  std::optional<parallel::StopAtOnce> at_once;
  if (raw.size() >= worth_a_line)
    at_once.emplace("stopped while the points were numbered; nothing was written\n");
  if (session.workers() == 1 || raw.size() < worth_sharing)
    return sweep::DesignSpace(inputs.spec, inputs.catalog);
  std::vector<sweep::SpaceIndex> own;
  std::string failure;
  try {
    own = own_shares(session, inputs, raw);
  } catch (const UserError& error) {
    failure = parallel::describe(error);
  } catch (const std::exception& error) {
    failure = parallel::describe(unforeseen(error));
  }
  session.share_failure(failure);
  if (!failure.empty()) parallel::throw_described(failure);
  std::vector<sweep::SpaceIndex> all(static_cast<std::size_t>(shares_per_worker * session.workers()));
  for (int worker = 0; worker < session.workers(); ++worker) {
    std::string bytes = worker == session.worker() ? parallel::to_archive(own) : "";
    session.broadcast_bytes(bytes, worker);
    std::vector<sweep::SpaceIndex> theirs;
    parallel::from_archive(bytes, theirs);
    for (std::size_t i = 0; i < theirs.size(); ++i)
      all[i * at(session.workers()) + at(worker)] = std::move(theirs[i]);
  }
  return {inputs.spec, inputs.catalog, sweep::join_parts(all)};
}

namespace {

class Key {
 public:
  Key& add(std::span<const std::byte> bytes) {
    const std::string length = std::to_string(bytes.size()) + ":";
    digest_.add(std::as_bytes(std::span(length)));
    digest_.add(bytes);
    return *this;
  }
  Key& add(const std::string& text) { return add(std::as_bytes(std::span(text))); }
  template <class T>
  Key& add_archive(const T& value) {
    return add(parallel::to_archive(value));
  }
  [[nodiscard]] std::string hex() const { return digest_.hex(); }

 private:
  Digest digest_;
};

// The part of the spec that determines the points.
std::string space_key(const sweep::SweepSpec& spec) {
  sweep::SweepSpec space;
  space.dimensions = spec.dimensions;
  space.groups = spec.groups;
  space.rules = spec.rules;
  for (sweep::Rule& rule : space.rules) rule.why.clear();
  space.search = spec.search;
  if (sweep::draws_points(spec.search.strategy)) space.seed = spec.seed;
  space.batch_in_tokens = spec.batch_in_tokens;
  return Key().add_archive(space).hex();
}

// The part that determines the row of a point.
std::string settings_key(const sweep::SweepSpec& spec) {
  sweep::SweepSpec settings;
  settings.limits = spec.limits;
  settings.run.work_budget = spec.run.work_budget;
  settings.terms = spec.terms;
  settings.slowdown = spec.slowdown;
  settings.contention = spec.contention;
  settings.setting = spec.setting;
  settings.skew = spec.skew;
  settings.what_ifs = spec.what_ifs;
  return Key().add_archive(settings).hex();
}

std::string calibration_key(const simulate::Calibration& calibration) {
  Key key;
  key.add_archive(calibration);
  if (!calibration.measured.is_empty()) key.add(calibration.measured.image());
  if (!calibration.learned.is_empty()) key.add("learned slowdown").add(calibration.learned.image());
  return key.hex();
}

}  // namespace

static std::string digest_of_program() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  Digest digest;
  std::vector<char> piece(std::size_t{1} << 20);
  while (program.read(piece.data(), static_cast<std::streamsize>(piece.size())) || program.gcount() > 0)
    digest.add(std::as_bytes(std::span(piece).first(at(program.gcount()))));
  return digest.hex();
}

const std::string& fingerprint_of_program() {
  static const std::string fingerprint = digest_of_program();
  return fingerprint;
}

results::FileHeader sweep_header(const WorkerInputs& inputs) {
  const sweep::SweepSpec& spec = inputs.spec;
  results::FileHeader header{.name = spec.name,
                             .title = spec.title,
                             .code_key = fingerprint_of_program(),
                             .catalog_key = Key().add_archive(inputs.catalog).hex(),
                             .calibration_key = calibration_key(inputs.calibration),
                             .space_key = space_key(spec),
                             .terms = spec.terms,
                             .reliability = campaign::describe(spec.terms.reliability),
                             .min_fit_chance = spec.min_fit_chance,
                             .settings = explain::row_settings(spec),
                             .objectives = spec.objectives};
  header.row_key = Key()
                       .add(header.code_key)
                       .add(build_facts().schema_version)
                       .add(header.catalog_key)
                       .add(header.calibration_key)
                       .add(settings_key(spec))
                       .hex();
  header.sweep_key = Key().add(header.row_key).add(header.space_key).hex();
  for (const sweep::Limit& limit : spec.limits) header.limit_names.push_back(limit.name);
  return header;
}

}  // namespace echo::cli
