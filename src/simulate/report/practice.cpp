// Problem: the best of thousands of layouts combines choices that nobody has run together, and there the
// errors of published runs say least: kernels, collectives and overlaps are priced one by one, but what a
// framework does with a combination (a fallback, a missing overlap, memory that fragments) shows only in a
// run. Idea: every published run exercised one value of each choice on one GPU kind. Values are grouped where
// a run of one says something of the others (micro-batches of 5 to 8), and counted singly where they are
// small. A choice of a config is untried where no published run of its GPU kind had such a value. Neglected:
// pairs of choices other than with the GPU kind. Choices that a publication leaves open count as its
// framework's default.
#include "simulate/report/practice.hpp"

#include <algorithm>
#include <tuple>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "timeline/schedule.hpp"

namespace echo::simulate {

namespace {

using training::TrainingConfig;

// The last value of each group; larger ones are the group after the last.
struct Groups {
  std::array<std::int32_t, 5> last;
  std::array<std::string_view, 6> names;
};
constexpr Groups small{{1, 2, 3, 4, 8}, {"1", "2", "3", "4", "5 to 8", "above 8"}};
constexpr Groups degree{{1, 8, 16, 32, 64}, {"1", "2 to 8", "9 to 16", "17 to 32", "33 to 64", "above 64"}};
constexpr Groups tokens{{2048, 4096, 8192, 32768, 131072},
                        {"to 2048", "to 4096", "to 8192", "to 32768", "to 131072", "above 131072"}};

std::int32_t group_of(const Groups& groups, std::int32_t value) {
  return static_cast<std::int32_t>(std::ranges::lower_bound(groups.last, value) - groups.last.begin());
}

const Groups* groups_of(Choice choice) {
  switch (choice) {
    case Choice::seq_len:
      return &tokens;
    case Choice::vpp:
    case Choice::micro_batch:
      return &small;
    case Choice::tp:
    case Choice::pp:
    case Choice::cp:
    case Choice::ep:
      return &degree;
    default:
      return nullptr;
  }
}

std::int32_t format_of(machine::Precision precision) {  // 4, 8, 16, 32 bits
  const double bytes = machine::operand_bytes(precision);
  return bytes < 1.0 ? 0 : bytes < 2.0 ? 1 : bytes < 4.0 ? 2 : 3;
}

// By Choice; those without a number are 0.
std::array<std::int32_t, choice_count> values_of(const TrainingConfig& c, const Catalog& catalog) {
  std::array<std::int32_t, choice_count> value{};
  const auto set = [&value](Choice choice, std::int32_t number) {
    const Groups* const groups = groups_of(choice);
    value[at(choice)] = groups == nullptr ? number : group_of(*groups, number);
  };
  const training::Degrees& d = c.degrees;
  set(Choice::model, catalog.model(c.model).has_experts() ? 1 : 0);
  set(Choice::precision, format_of(c.precision));
  set(Choice::seq_len, c.batch.sequence_tokens);
  set(Choice::tp, d.tensor), set(Choice::pp, d.pipeline), set(Choice::vpp, d.virtual_stages);
  set(Choice::micro_batch, c.batch.micro_samples), set(Choice::cp, d.context), set(Choice::ep, d.expert);
  // Without a pipeline a schedule means nothing; schedules of files are never a publication's.
  const auto schedules = static_cast<std::int32_t>(timeline::schedule_table().size());
  set(Choice::schedule,
      d.pipeline == 1 ? 0 : std::min(1 + static_cast<std::int32_t>(at(c.schedule)), 1 + schedules));
  set(Choice::zero, static_cast<std::int32_t>(c.zero));
  set(Choice::recompute, static_cast<std::int32_t>(c.recompute));
  set(Choice::sequence_parallel, c.sequence_parallel && d.tensor > 1 ? 1 : 0);
  set(Choice::overlap_tp, c.overlap.tensor && d.tensor > 1 ? 1 : 0);
  set(Choice::offload_optimizer, c.recipe.offload_optimizer ? 1 : 0);
  return value;
}

const PublishedKind* find(const Practice& practice, std::string_view gpu) {
  const auto found = std::ranges::find(practice.kinds, gpu, &PublishedKind::gpu);
  return found == practice.kinds.end() ? nullptr : &*found;
}

PublishedKind& kind_in(Practice& practice, std::string_view gpu) {
  auto found = std::ranges::lower_bound(practice.kinds, gpu, {}, &PublishedKind::gpu);
  if (found == practice.kinds.end() || found->gpu != gpu)
    found = practice.kinds.insert(found, {std::string(gpu), {}, {}});
  return *found;
}

void add_framework(PublishedKind& kind, const std::string& name) {
  const auto place = std::ranges::lower_bound(kind.frameworks, name);
  if (place == kind.frameworks.end() || *place != name) kind.frameworks.insert(place, name);
}

bool is_like(const PublishedBest& a, const PublishedBest& b) {
  return a.gpu == b.gpu && a.operand_bytes == b.operand_bytes && a.has_experts == b.has_experts;
}

void add_best(Practice& practice, const PublishedBest& best) {
  const auto found =
      std::ranges::find_if(practice.best, [&](const PublishedBest& one) { return is_like(one, best); });
  if (found == practice.best.end()) {
    practice.best.push_back(best);
    std::ranges::sort(practice.best, [](const PublishedBest& a, const PublishedBest& b) {
      return std::tie(a.gpu, a.operand_bytes, a.has_experts) <
             std::tie(b.gpu, b.operand_bytes, b.has_experts);
    });
  } else if (best.mfu > found->mfu)
    *found = best;
}

// As untried(), compared with the runs of one kind.
std::int32_t untried_by(const PublishedKind& kind, const TrainingConfig& config, const Catalog& catalog) {
  const auto value = values_of(config, catalog);
  std::int32_t bits = 0;
  for (std::size_t i = at(Choice::model); i < value.size(); ++i)
    if ((kind.seen[i] >> value[i] & 1U) == 0 && i != at(Choice::framework)) bits |= 1 << i;
  if (!std::ranges::binary_search(kind.frameworks, catalog.framework(config).name))
    bits |= bit_of(Choice::framework);
  return bits;
}

}  // namespace

std::vector<std::string_view> value_names(Choice choice) {
  if (const Groups* const groups = groups_of(choice)) return {groups->names.begin(), groups->names.end()};
  switch (choice) {
    case Choice::model:
      return {"dense", "mixture"};
    case Choice::precision:
      return {"4 bits", "8 bits", "16 bits", "32 bits"};
    case Choice::schedule: {
      std::vector<std::string_view> names{"no pipeline"};
      for (const timeline::Schedule* one : timeline::schedule_table()) names.emplace_back(one->name);
      return names;
    }
    case Choice::zero:
      return {"0", "1", "2", "3"};
    case Choice::recompute:
      return {training::recompute_names.begin(), training::recompute_names.end()};
    case Choice::sequence_parallel:
    case Choice::overlap_tp:
    case Choice::offload_optimizer:
      return {"off", "on"};
    default:
      return {};
  }
}

std::string_view kind_of(const machine::GpuSpec& gpu) {
  return std::string_view(gpu.kernels).substr(0, gpu.kernels.find('-'));
}

void add_run(Practice& practice, const TrainingConfig& config, const Catalog& catalog, double mfu,
             std::string_view publication) {
  const std::string_view gpu = kind_of(catalog.gpu(config));
  PublishedKind& kind = kind_in(practice, gpu);
  const auto value = values_of(config, catalog);
  for (std::size_t i = at(Choice::model); i < value.size(); ++i)
    if (i != at(Choice::framework)) kind.seen[i] |= 1U << value[i];
  add_framework(kind, catalog.framework(config).name);
  if (mfu > 0.0)
    add_best(practice, {std::string(gpu), machine::operand_bytes(config.precision),
                        catalog.model(config.model).has_experts(), mfu, std::string(publication)});
}

void add_runs(Practice& practice, const Practice& other) {
  for (const PublishedKind& one : other.kinds) {
    PublishedKind& kind = kind_in(practice, one.gpu);
    for (std::size_t i = 0; i < kind.seen.size(); ++i) kind.seen[i] |= one.seen[i];
    for (const std::string& name : one.frameworks) add_framework(kind, name);
  }
  for (const PublishedBest& best : other.best) add_best(practice, best);
}

std::int32_t untried(const Practice& practice, const TrainingConfig& config, const Catalog& catalog) {
  if (practice.kinds.empty()) return 0;
  if (const PublishedKind* const own = find(practice, kind_of(catalog.gpu(config))))
    return untried_by(*own, config, catalog);
  std::int32_t bits = ~0;  // of a kind without runs: what no other kind has shown either
  for (const PublishedKind& kind : practice.kinds) bits &= untried_by(kind, config, catalog);
  return bits | bit_of(Choice::gpu);
}

bool is_framework_tried(const Practice& practice, const TrainingConfig& config, const Catalog& catalog) {
  const auto ran = [&practice](const training::FrameworkSpec& framework) {
    return std::ranges::any_of(practice.kinds, [&framework](const PublishedKind& kind) {
      return std::ranges::binary_search(kind.frameworks, framework.name);
    });
  };
  const training::FrameworkSpec& own = catalog.framework(config);
  if (practice.kinds.empty() || ran(own)) return true;
  const std::string_view root = training::root_of(own, catalog.frameworks).name;
  return std::ranges::any_of(catalog.frameworks, [&](const training::FrameworkSpec& other) {
    return training::root_of(other, catalog.frameworks).name == root && ran(other);
  });
}

const PublishedBest* best_published(const Practice& practice, const TrainingConfig& config,
                                    const Catalog& catalog) {
  const std::string_view gpu = kind_of(catalog.gpu(config));
  const double bytes = machine::operand_bytes(config.precision);
  const bool has_experts = catalog.model(config.model).has_experts();
  const auto found = std::ranges::find_if(practice.best, [&](const PublishedBest& one) {
    return one.gpu == gpu && one.operand_bytes == bytes && one.has_experts == has_experts;
  });
  return found == practice.best.end() ? nullptr : &*found;
}

}  // namespace echo::simulate
